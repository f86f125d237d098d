"""A conversation kept with its session's values, entry by entry: whoever takes the session up goes on with it.

A turn whose calls were running, or waited, when its process ended is not in it: the session's journal has that one,
and gives it when the session is taken up.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from handrail.agent.conversation import CarriedOut, Conversation, Entry, Told
from handrail.contract.basics import Json, SessionId
from handrail.contract.results import TextPart, ToolResult
from handrail.contract.session_values import SessionValues
from handrail.errors import UsageError
from handrail.runtime.session_values import LARGEST, fits
from handrail.runtime.stored import decoded, encoded
from handrail.runtime.value_rows import last_session_with

HEAD = "conversation"
"""The value that says how many entries the main one has. Each is a value of its own: a long talk is kept bit by bit."""

_TOO_LARGE = "[What this call gave was too large to be kept with the conversation. Make it again if you need it.]"


class KeptConversation:
    """What a session keeps of one conversation."""

    def __init__(self, values: SessionValues, name: str = HEAD) -> None:
        """`name`: of the value that says how much there is, and of what the entries' names begin with; the main one's
        where none is given."""
        self._values = values
        self._name = name
        self._kept: list[Entry] = []

    def conversation(self) -> Conversation:
        """All that was kept; an entry that can't be read is left out, with those after it. It keeps itself here."""
        head = self._values.get(self._name)
        count, last = (head.get("entries"), head.get("last")) if isinstance(head, dict) else (0, "")
        self._kept = list(self._read(count if isinstance(count, int) else 0))
        return Conversation(self._kept, last if isinstance(last, str) else "", self.keep)

    def anew(self) -> Conversation:
        """An empty one in the place of whatever was kept under the name."""
        return Conversation(keep=self.keep)

    def keep(self, entries: Sequence[Entry], last: str) -> None:
        """Keeps the entries as they are now: only what is new or another is written, and all of that at once, for a
        part of it would be another conversation. `last`: the newest turn in it."""
        same = self._same(entries)
        if same == len(entries) == len(self._kept):
            return
        changed = {self._place(place): _stored(entries[place]) for place in range(same, len(entries))}
        gone = dict.fromkeys(map(self._place, range(len(entries), len(self._kept))))
        self._values.put_all({**changed, **gone, self._name: {"entries": len(entries), "last": last}})
        self._kept = list(entries)

    def _same(self, entries: Sequence[Entry]) -> int:
        """How many of the first entries are kept as they stand."""
        pairs = zip(self._kept, entries, strict=False)
        return next(
            (place for place, (old, new) in enumerate(pairs) if old is not new), min(len(self._kept), len(entries))
        )

    def _read(self, count: int) -> Iterator[Entry]:
        for place in range(count):
            try:
                yield decoded(Entry, json.dumps(self._values.get(self._place(place))))
            except ValueError:
                return

    def _place(self, place: int) -> str:
        return f"{self._name}/{place}"


def check_keepable(text: str) -> None:
    """Raises UsageError for what is too much for one message of the user's."""
    if len(encoded(Told(text))) > LARGEST:
        raise UsageError(
            f"that is too much for one message, {len(text):,} characters: put it into a file, and say which one to read"
        )


def last_conversation(journal: Path) -> SessionId:
    """The session that had the last conversation in a journal. Raises UsageError where there was none yet."""
    session = last_session_with(journal, HEAD)
    if session is None:
        raise UsageError("there is no conversation to go on with yet; begin one with a task")
    return session


def _stored(entry: Entry) -> Json:
    whole: Json = json.loads(encoded(_for_models(entry)))
    return whole if fits(whole) else json.loads(encoded(_without_results(entry)))


def _for_models(entry: Entry) -> Entry:
    """Without what only surfaces show."""
    if not isinstance(entry, CarriedOut):
        return entry
    answers = (
        replace(answer, result=ToolResult(answer.result.parts, fault=answer.result.fault)) for answer in entry.answers
    )
    return replace(entry, answers=tuple(answers))


def _without_results(entry: Entry) -> Entry:
    if not isinstance(entry, CarriedOut):
        return entry
    gone = ToolResult((TextPart(_TOO_LARGE),))
    return replace(entry, answers=tuple(replace(answer, result=gone) for answer in entry.answers))
