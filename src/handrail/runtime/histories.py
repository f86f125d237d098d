"""A session's calls as its events tell them: what `handrail sessions` shows and what telemetry is made from."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from handrail.contract.basics import Instant, SessionId
from handrail.errors import UnknownSession
from handrail.runtime.chain import StoredEvent
from handrail.runtime.journal_file import reading
from handrail.runtime.journal_schema import version_of

SETTLED = frozenset({"Completed", "Failed", "Rejected", "Cancelled", "Interrupted"})

_EVENTS = """
SELECT session, sequence, epoch, at, call, parent, state, body, previous, hash, content
FROM events LEFT JOIN payloads USING (session, call, sequence) WHERE session = ? ORDER BY sequence
"""
_FIRST_VERSION = 1


@dataclass(frozen=True, slots=True)
class Step:
    """One transition."""

    at: Instant
    state: str
    """The state's class name."""
    body: Mapping[str, Any]


@dataclass(slots=True)
class CallHistory:
    """One call, from its first event on."""

    call: str
    parent: str | None
    steps: list[Step] = field(default_factory=list)

    @property
    def state(self) -> str:
        return self.steps[-1].state

    @property
    def is_settled(self) -> bool:
        return self.state in SETTLED

    @property
    def edited_from(self) -> Mapping[str, Any] | None:
        """The arguments that a person was last asked about and gave others for; None where they stood."""
        asked: Mapping[str, Any] | None = None
        for step, following in pairwise(self.steps):
            if step.state == "AwaitingApproval" and following.state == "Pending":
                asked = step.body.get("arguments")
        return None if asked == self.latest("arguments") else asked

    def latest(self, key: str) -> Any:
        """The last value that any of its events gave for this key of a body; None where none did."""
        return next((step.body[key] for step in reversed(self.steps) if key in step.body), None)


def histories(events: Iterable[StoredEvent]) -> list[CallHistory]:
    """The calls in the order in which they were received."""
    calls: dict[str, CallHistory] = {}
    for event in events:
        call = calls.setdefault(event.call, CallHistory(event.call, event.parent))
        call.steps.append(Step(event.at, event.state, _parsed(event.body)))
    return list(calls.values())


def recorded_events(path: Path, session: SessionId) -> list[StoredEvent]:
    """A session's events in order. Raises JournalError when there is no such session."""
    return [StoredEvent(*row[:8]) for row in _rows(path, session)]


def kept_payloads(path: Path, session: SessionId) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """By call and by the state's name, the last payload that was not deleted: exact arguments and results, with
    whatever secrets they hold. Raises JournalError when there is no such session."""
    kept: dict[str, dict[str, Mapping[str, Any]]] = {}
    for *columns, _, _, content in _rows(path, session):
        event = StoredEvent(*columns)
        if content is not None:
            kept.setdefault(event.call, {})[event.state] = _parsed(content)
    return kept


def exported_events(path: Path, session: SessionId, *, payloads: bool) -> Iterator[Mapping[str, object]]:
    """Each event as `docs/reference/journal.schema.json` has it; without payloads, that field is left out."""
    with reading(path, oldest=_FIRST_VERSION) as connection:
        version = version_of(connection)
    for *columns, previous, link, content in _rows(path, session):
        event = StoredEvent(*columns)
        yield {
            "version": version,
            **dict(zip(("session", "sequence", "epoch", "at", "call", "parent", "state"), event.columns, strict=False)),
            "body": _parsed(event.body),
            "previous": previous,
            "hash": link,
            **({"payload": None if content is None else json.loads(content)} if payloads else {}),
        }


def _rows(path: Path, session: SessionId) -> list[tuple[Any, ...]]:
    with reading(path, oldest=_FIRST_VERSION) as connection:
        rows = connection.execute(_EVENTS, (session,)).fetchall()
        if not rows and not _is_there(connection, session):
            raise UnknownSession(f"the journal {path} holds no session {session}; see 'handrail sessions list'")
        return rows


def _is_there(connection: sqlite3.Connection, session: SessionId) -> bool:
    return connection.execute("SELECT 1 FROM sessions WHERE id = ?", (session,)).fetchone() is not None


def _parsed(body: str) -> Mapping[str, Any]:
    """A body that was tampered with is told as it stands."""
    try:
        parsed = json.loads(body)
    except ValueError:
        return {"unreadable": body}
    return parsed if isinstance(parsed, dict) else {"unreadable": body}
