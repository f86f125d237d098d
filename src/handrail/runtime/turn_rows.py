"""Turns in the journal's file: a model's response as it came, so that its turn can be finished after a restart.

A turn is written before the first event of its calls. Like a payload, its content may be deleted; what is left
names the calls and holds the content's salted hash.
"""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Protocol

from handrail.contract.basics import CallId, SessionId
from handrail.contract.values import value
from handrail.runtime.journal_file import errors_in_words
from handrail.runtime.records import canonical, payload_digest
from handrail.runtime.stored import decoded, encoded
from handrail.wire.response import Response

_SALT_BYTES = 16

_KEPT = "INSERT OR REPLACE INTO turns (session, id, place, body, salt, content) VALUES (?, ?, ?, ?, ?, ?)"
_ALL = "SELECT id, place, body, content FROM turns WHERE session = ? ORDER BY place"


@value
class KeptTurn:
    """One response and the calls it came to, in its order."""

    id: str
    place: int
    """Among the session's turns, from 1."""
    calls: tuple[CallId, ...]
    response: Response


@value
class StoredTurn:
    """The same in the file."""

    id: str
    place: int
    calls: tuple[CallId, ...]
    content: str | None
    """None: it was deleted."""

    def response(self) -> Response | None:
        """None where it is gone, or can't be read."""
        try:
            return None if self.content is None else decoded(Response, self.content)
        except ValueError:
            return None


class TurnKeeper(Protocol):
    """Where turns are written. Like `Journal.append` it never blocks; the next durable event makes the turn durable."""

    def keep_turn(self, turn: KeptTurn) -> None: ...


def write_turn(connection: sqlite3.Connection, session: SessionId, turn: KeptTurn) -> None:
    """Within the journal's transaction."""
    salt, content = os.urandom(_SALT_BYTES), encoded(turn.response)
    body = {"calls": turn.calls, "sha256": payload_digest(salt, content)}
    connection.execute(_KEPT, (session, turn.id, turn.place, canonical(body), salt, content))


def turns_of(connection: sqlite3.Connection, path: Path, session: SessionId) -> list[StoredTurn]:
    """All turns of a session, in order. Raises JournalError."""
    with errors_in_words(path):
        rows = connection.execute(_ALL, (session,)).fetchall()
    return [StoredTurn(id, place, tuple(json.loads(body)["calls"]), content) for id, place, body, content in rows]
