"""Values of a session in the journal's file: written in line with its events, so before the outcome of their call."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from handrail.contract.basics import Json, SessionId
from handrail.contract.values import value
from handrail.runtime.journal_file import reading

_KEPT = "INSERT OR REPLACE INTO session_values (session, name, content) VALUES (?, ?, ?)"
_ALL = "SELECT name, content FROM session_values WHERE session = ?"
_LAST = """
SELECT id FROM sessions WHERE id IN (SELECT session FROM session_values WHERE name = ?)
ORDER BY max(started, coalesce((SELECT max(at) FROM events WHERE events.session = id), 0)) DESC LIMIT 1
"""


@value
class KeptValue:
    name: str
    content: str
    """JSON."""


@value
class KeptTogether:
    """Values that one transaction writes: whoever takes the session up finds all of them, or none."""

    values: tuple[KeptValue, ...]


class ValueKeeper(Protocol):
    """Where values are written. Never blocks; they are durable soon, and before any later event."""

    def keep_values(self, kept: KeptTogether) -> None: ...


def write_values(connection: sqlite3.Connection, session: SessionId, kept: KeptTogether) -> None:
    """Within the journal's transaction."""
    connection.executemany(_KEPT, [(session, each.name, each.content) for each in kept.values])


def values_of(path: Path, session: SessionId) -> Mapping[str, Json]:
    """All that is kept for a session; what can't be read is left out. Raises JournalError."""
    with reading(path) as connection:
        rows = connection.execute(_ALL, (session,)).fetchall()
    found: dict[str, Json] = {}
    for name, content in rows:
        try:
            found[name] = json.loads(content)
        except ValueError:
            continue
    return found


def last_session_with(path: Path, name: str) -> SessionId | None:
    """The session with a value of this name in which something happened last. Raises JournalError."""
    with reading(path) as connection:
        row = connection.execute(_LAST, (name,)).fetchone()
    return None if row is None else SessionId(row[0])
