"""A session as its journal left it: every call's last state, from the events and what their payloads still hold.

Reading changes nothing. What becomes of the calls is `recovery`'s.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handrail.contract.basics import ApprovalId, CallId, Instant, JsonObject, SessionId
from handrail.contract.calls import (
    Arguments,
    AwaitingApproval,
    CallForm,
    CallRequest,
    ObjectArguments,
    Pending,
)
from handrail.contract.transitions import SETTLED, STATES
from handrail.contract.values import value
from handrail.errors import UnknownSession
from handrail.runtime.approval_store import Shown, shown_in
from handrail.runtime.journal_file import reading
from handrail.runtime.stored import revived
from handrail.runtime.turn_rows import StoredTurn, turns_of

_STATES = {state.__name__: state for state in STATES}

_EVENTS = """
SELECT e.call, e.parent, e.state, e.at, e.body, p.content
FROM events e LEFT JOIN payloads p ON p.session = e.session AND p.call = e.call AND p.sequence = e.sequence
WHERE e.session = ? ORDER BY e.sequence
"""


@value
class RecalledCall:
    """What the journal says of one call."""

    request: CallRequest
    """As far as it is kept: `is_lost` says whether the arguments are."""
    requested_at: Instant
    arguments: Arguments
    """In force: the request's, or what a person or hook made of them."""
    state: type
    entered_at: Instant
    body: JsonObject
    """Of the last event."""
    content: str | None
    """Its payload."""
    is_lost: bool = False
    """What the call was to do is no longer kept."""
    edited: bool = False
    approval: ApprovalId | None = None
    shown: Shown | None = None
    """What a person was last shown about it."""

    @property
    def is_open(self) -> bool:
        return self.state not in SETTLED

    @property
    def is_as_sent(self) -> bool:
        """The arguments are still the model's, in the words it chose."""
        return self.arguments is self.request.arguments


@value
class Trail:
    """The events of one call as they stand in the file, not taken apart yet: most calls are of the past."""

    parent: CallId | None
    rows: list[tuple[str, float, str, str | None]]
    """Of each event its state, when that was entered, its body, and what is left of its payload."""

    @property
    def is_open(self) -> bool:
        return _STATES[self.rows[-1][0]] not in SETTLED

    def recalled(self, id: CallId) -> RecalledCall:
        """What they come to."""
        state, _, first, content = self.rows[0]
        asked, is_lost = _arguments_in(content)
        request = _request(id, self.parent, first, asked)
        arguments, edited, question, before = request.arguments, False, None, state
        for row in self.rows[1:]:
            if row[0] == Pending.__name__:
                sent, gone = _arguments_in(row[3])
                new = sent.get("arguments", arguments)
                edited = edited or (before == AwaitingApproval.__name__ and new != arguments)
                arguments, is_lost, question = new, is_lost or gone, None
            elif row[0] == AwaitingApproval.__name__:
                question = row
            before = row[0]
        last, at, text, content = self.rows[-1]
        body = json.loads(text)
        put = question and (body if question is self.rows[-1] else json.loads(question[2]))
        return RecalledCall(
            request=request,
            requested_at=Instant(self.rows[0][1]),
            arguments=arguments,
            state=_STATES[last],
            entered_at=Instant(at),
            body=body,
            content=content,
            is_lost=is_lost,
            edited=edited,
            approval=ApprovalId(put["approval"]) if put else None,
            shown=shown_in(question[3]) if question else None,
        )


@value
class RecalledSession:
    """Everything of a session, in the order in which it began."""

    calls: Mapping[CallId, Trail]
    turns: tuple[StoredTurn, ...]


@value
class Taken:
    """What no new call and turn of the session may use again."""

    ids: frozenset[CallId]
    place: int
    """Of the last turn."""


def recall(path: Path, session: SessionId) -> RecalledSession:
    """Reads a whole session. Raises JournalError when it can't be read, or there is none."""
    with reading(path) as connection:
        _check(connection, path, session)
        calls: dict[CallId, Trail] = {}
        for id, parent, *row in connection.execute(_EVENTS, (session,)):
            trail = calls.get(id)
            if trail is None:
                trail = calls[id] = Trail(parent, [])
            trail.rows.append(tuple(row))
        return RecalledSession(calls, tuple(turns_of(connection, path, session)))


def taken_in(path: Path, session: SessionId) -> Taken:
    """Raises JournalError."""
    with reading(path) as connection:
        ids = connection.execute("SELECT DISTINCT call FROM events WHERE session = ?", (session,))
        place = connection.execute("SELECT max(place) FROM turns WHERE session = ?", (session,)).fetchone()[0]
        return Taken(frozenset(CallId(id) for (id,) in ids), place or 0)


def check_session(path: Path, session: SessionId) -> None:
    """Raises JournalError when the journal can't be read, or holds no such session."""
    with reading(path, oldest=1) as connection:
        _check(connection, path, session)


def _check(connection: sqlite3.Connection, path: Path, session: SessionId) -> None:
    if connection.execute("SELECT 1 FROM sessions WHERE id = ?", (session,)).fetchone() is None:
        raise UnknownSession(f"the journal {path} holds no session {session}; see 'handrail sessions list'")


def _request(id: CallId, parent: CallId | None, body: str, asked: Mapping[str, Any]) -> CallRequest:
    """As received; of one whose payload is gone, only the names, which its event has."""
    return CallRequest(
        id,
        str(asked["name"] if "name" in asked else json.loads(body)["name"]),
        asked.get("arguments", ObjectArguments({})),
        str(asked.get("wire_id", "")),
        CallForm(asked.get("form", CallForm.FUNCTION)),
        parent,
        str(asked.get("server", "")),
        tuple(asked.get("notes", ())),
    )


def _arguments_in(content: str | None) -> tuple[dict[str, Any], bool]:
    """What the payload of a pending call holds, and whether it is lost."""
    try:
        asked: dict[str, Any] = json.loads(content or "")
        return {**asked, "arguments": revived(Arguments, asked["arguments"])}, False
    except (ValueError, KeyError, TypeError):
        return {}, True
