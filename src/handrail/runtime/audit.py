"""Reads a journal and says whether it is what was written. Changes nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from handrail.contract.basics import SessionId
from handrail.errors import UnknownSession
from handrail.runtime.chain import Anchor, Flaw, Link, StoredEvent, first_link, flaws, flaws_against
from handrail.runtime.journal_file import reading
from handrail.runtime.records import payload_digest

_FIRST_VERSION = 1
"""Events and payloads are as they were in the first version of the tables."""

_EVENTS = """
SELECT session, sequence, epoch, at, call, parent, state, body, previous, hash
FROM events WHERE session = ? ORDER BY sequence
"""
_PAYLOADS = """
SELECT sequence, body, salt, content
FROM events LEFT JOIN payloads USING (session, call, sequence) WHERE session = ? ORDER BY sequence
"""
_SESSIONS = """
SELECT id FROM (
    SELECT id, started FROM sessions
    UNION SELECT DISTINCT session, NULL FROM events WHERE session NOT IN (SELECT id FROM sessions)
) ORDER BY started, id
"""
"""Also one whose own row is gone, while its events are there."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one session."""

    session: SessionId
    events: int
    payloads_gone: int
    """Deleted, as `handrail sessions prune` does: no flaw."""
    anchored: bool
    """An anchor was given for it."""
    flaws: tuple[Flaw, ...]
    """By place; empty when nothing is wrong."""


def verify(path: Path, session: SessionId | None = None, anchors: Sequence[Anchor] = ()) -> list[Finding]:
    """All sessions of a journal, or one. Each anchored session is looked at, whether it is there or not.

    Raises JournalError when the journal can't be read, or holds no such session.
    """
    with reading(path, oldest=_FIRST_VERSION) as connection:
        wanted = _sessions(connection) if session is None else [session]
        if session is not None and not _is_there(connection, session):
            raise UnknownSession(f"the journal {path} holds no session {session}; see 'handrail sessions list'")
        if session is None:
            wanted += dict.fromkeys(anchor.session for anchor in anchors if anchor.session not in wanted)
        return [_finding(connection, each, [a for a in anchors if a.session == each]) for each in wanted]


def verify_chain(path: Path, session: SessionId) -> list[Flaw]:
    """What is wrong with a session's events and payloads, by place; empty when nothing is.

    A payload that is gone is no flaw: payloads may be deleted. That the last events were cut off, or
    that all were written anew, doesn't show. Raises JournalError when there is no such session.
    """
    (finding,) = verify(path, session)
    return list(finding.flaws)


def heads(path: Path, session: SessionId | None = None) -> list[Anchor]:
    """The end of each session's chain now. Raises JournalError when there is no such journal or session."""
    with reading(path, oldest=_FIRST_VERSION) as connection:
        if session is not None and not _is_there(connection, session):
            raise UnknownSession(f"the journal {path} holds no session {session}; see 'handrail sessions list'")
        return [_head(connection, each) for each in (_sessions(connection) if session is None else [session])]


def _sessions(connection: sqlite3.Connection) -> list[SessionId]:
    return [SessionId(id) for (id,) in connection.execute(_SESSIONS)]


def _is_there(connection: sqlite3.Connection, session: SessionId) -> bool:
    return session in _sessions(connection)


def _head(connection: sqlite3.Connection, session: SessionId) -> Anchor:
    end = connection.execute(
        "SELECT sequence, hash FROM events WHERE session = ? ORDER BY sequence DESC LIMIT 1", (session,)
    ).fetchone()
    return Anchor(session, *(end or (0, _first(connection, session))))


def _first(connection: sqlite3.Connection, session: SessionId) -> str:
    """What the first event is chained to; empty where the session's row is gone."""
    begun = connection.execute("SELECT started, workspace FROM sessions WHERE id = ?", (session,)).fetchone()
    return first_link(session, *begun) if begun else ""


def _finding(connection: sqlite3.Connection, session: SessionId, anchors: Sequence[Anchor]) -> Finding:
    links = [_link(row) for row in connection.execute(_EVENTS, (session,))]
    first = _first(connection, session)
    if not first and not links:
        gone = Flaw(0, "missing", "the session is not in the journal: it was pruned, or deleted")
        return Finding(session, 0, 0, anchored=True, flaws=(gone,))
    found = [Flaw(0, "missing", "the session's own row is missing")] if not first else []
    found += flaws(links, first or (links[0].previous if links else ""))
    for anchor in anchors:
        found += flaws_against(anchor, links, first)
    payloads_gone = 0
    for sequence, body, salt, content in connection.execute(_PAYLOADS, (session,)):
        digest = _digest_in(body)
        if content is None:
            payloads_gone += digest is not None
        elif digest != payload_digest(salt, content):
            message = f"the payload of event {sequence} was changed: it does not give its hash"
            found.append(Flaw(sequence, "changed", message))
    return Finding(session, len(links), payloads_gone, bool(anchors), _once(found))


def _once(found: Sequence[Flaw]) -> tuple[Flaw, ...]:
    """One change can show in several ways: its own hash, the next event's, its payload's. One is enough."""
    once = {(flaw.sequence, flaw.kind): flaw for flaw in reversed(found)}
    return tuple(sorted(once.values(), key=lambda flaw: flaw.sequence))


def _link(row: tuple[Any, ...]) -> Link:
    *columns, previous, stored = row
    event = StoredEvent(*columns)
    return Link(event.sequence, previous, stored, intact=event.hash(previous) == stored)


def _digest_in(body: str) -> str | None:
    try:
        return str(json.loads(body)["payload"]["sha256"])
    except (ValueError, KeyError, TypeError):
        return None
