"""What was said so far, by whom, and what the model's calls gave: encoded for a wire when a model is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

from handrail.contract.basics import JsonObject
from handrail.contract.values import value
from handrail.runtime.turns import Turn
from handrail.wire import Answer, Response, Wire, encode
from handrail.wire.retelling import retold
from handrail.wire.user import encode_user, in_turn

_MARK = re.compile(r"<(?=\s*+(?:/\s*+)?note\b)", re.IGNORECASE)
"""What other agents and servers say stands in notes: nothing in it may end one, and go on in the user's name."""


@value
class Told:
    """What the user said."""

    text: str


@value
class Noted:
    """What the model is to know beside what the user said: the mode is another, a subagent has come to its end."""

    text: str


@value
class CarriedOut:
    """A response, and the results of all its calls, in its order."""

    response: Response
    answers: tuple[Answer, ...]

    def messages(self, wire: Wire, stem: str) -> tuple[JsonObject, ...]:
        """As it was received, where the wire is its own; else told in that one, with ids that begin with `stem`."""
        if self.response.wire is wire:
            return encode(self.response, self.answers)
        response = retold(self.response, wire, stem)
        answers = [replace(answer, request=call) for answer, call in zip(self.answers, response.calls, strict=True)]
        return encode(response, answers)


Entry: TypeAlias = Told | Noted | CarriedOut
Keep: TypeAlias = Callable[[Sequence[Entry], str], None]
"""Gets all entries, and the id of the newest turn."""


class Conversation:
    """Entries in their order. Each call stands in one entry with its result, so that nothing parts the two."""

    def __init__(self, entries: Sequence[Entry] = (), last: str = "", keep: Keep | None = None) -> None:
        """`last` is the newest turn with calls that it ever had, by its id. `keep` hears of every change."""
        self.last = last
        self._entries = tuple(entries)
        self._keep = keep

    @property
    def entries(self) -> tuple[Entry, ...]:
        return self._entries

    def tell(self, text: str) -> None:
        self.replace((*self._entries, Told(text)))

    def note(self, text: str) -> None:
        self.replace((*self._entries, Noted(text)))

    def carried_out(self, turn: Turn) -> None:
        """A turn none of whose calls waits. One that says nothing at all leaves nothing."""
        if turn.calls:
            self.last = turn.id
        if turn.response.assistant:
            self.replace((*self._entries, CarriedOut(turn.response, turn.answers)))

    def replace(self, entries: Sequence[Entry]) -> None:
        """Puts other entries in the place of all. What can't be kept changes nothing: raises what `keep` does."""
        wanted = tuple(entries)
        if self._keep is not None:
            self._keep(wanted, self.last)
        self._entries = wanted

    def messages(self, wire: Wire) -> tuple[JsonObject, ...]:
        """In the form of a wire, the oldest first. Well paired, whatever happened to the calls."""
        return in_turn(messages_of(self._entries, wire), wire)


def messages_of(entries: Sequence[Entry], wire: Wire) -> Iterator[JsonObject]:
    for place, entry in enumerate(entries, 1):
        match entry:
            case Told(text):
                yield encode_user(text, wire)
            case Noted(text):
                yield encode_user(f"<note>\n{_MARK.sub('&lt;', text)}\n</note>", wire)
            case CarriedOut():
                yield from entry.messages(wire, f"call_{place}")
