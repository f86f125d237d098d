"""Grants on disk: those of sessions and of the project in the workspace's journal, those of the user in a file of
their own in the state folder. Each is added or revoked alone, in one transaction; nothing else in a file is touched.

Synchronous, and used by one thread at a time.
"""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from handrail.contract.basics import ApprovalId, Instant, SessionId
from handrail.contract.values import value
from handrail.errors import JournalError, RuleError, UsageError
from handrail.policy.grants import Grant, as_record, from_record
from handrail.runtime.journal_file import connect, errors_in_words, writing

USER_FILE = "grants-of-the-user.sqlite"
"""In the state folder; a journal without sessions, so that it is kept with the same care."""


KEEP_GRANT = "INSERT INTO grants (id, created, scope, session, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING"
"""Again, it changes nothing: the answer that gave it may be taken up more than once."""


@value
class StoredGrant:
    """A grant, and where and when it was given."""

    grant: Grant
    created: Instant
    session: SessionId | None
    """Of a grant for one session."""
    revoked: Instant | None


class GrantStore:
    """All grants that may hold in one workspace."""

    def __init__(self, journal: Path, state: Path) -> None:
        """`state` is the state folder. Without such a journal: the user's grants alone. Raises JournalError."""
        self._project = _GrantFile(journal) if journal.exists() else None
        self._user_path = state / USER_FILE
        self._user: _GrantFile | None = None

    def close(self) -> None:
        for file in (self._project, self._user):
            if file is not None:
                file.connection.close()

    def version(self) -> tuple[int, ...]:
        """Another value whenever another connection has changed one of the files."""
        return tuple(file.version() for file in self._files())

    def all(self) -> list[StoredGrant]:
        """Of every session and scope, revoked ones too, the oldest first; one that can't be read is left out."""
        return sorted((grant for file in self._files() for grant in file.read()), key=lambda grant: grant.created)

    def in_force(self, session: SessionId) -> tuple[Grant, ...]:
        """Those that hold in this session, the oldest first."""
        held = (stored for stored in self.all() if stored.revoked is None)
        return tuple(stored.grant for stored in held if stored.session in (None, session))

    def add(self, grant: Grant, session: SessionId, at: Instant) -> bool:
        """Keeps a grant where its scope says, once under its id. False where it was revoked. Raises JournalError."""
        scope = grant.option.scope
        if scope == "user" and self._user is None:
            self._user = _GrantFile(self._user_path, make=True)
        file = self._user if scope == "user" else self._project
        if file is None:
            raise JournalError(f"a grant for a {scope} is kept in the workspace's journal, and there is none yet")
        file.write(KEEP_GRANT, grant_row(grant, session, at))
        return not file.is_revoked(grant.id)

    def revoke(self, id: str, at: Instant) -> StoredGrant:
        """Raises UsageError when there is no such grant, or it was revoked before."""
        found = next((stored for stored in self.all() if stored.grant.id == id), None)
        if found is None:
            raise UsageError(f"there is no grant {id!r} here; see 'handrail grants list'")
        if found.revoked is not None:
            raise UsageError(f"the grant {id} was revoked before")
        for file in self._files():
            file.write("UPDATE grants SET revoked = ? WHERE id = ? AND revoked IS NULL", (at, id))
        return found

    def _files(self) -> list[_GrantFile]:
        if self._user is None and self._user_path.exists():
            self._user = _GrantFile(self._user_path)
        return [file for file in (self._project, self._user) if file is not None]


def grant_id(approval: ApprovalId) -> str:
    """Of the grant that the answer to a question gives: whoever writes it down first, it is the same one."""
    return f"g-{approval.removeprefix('a-')}"


def grant_row(grant: Grant, session: SessionId, at: Instant) -> tuple[object, ...]:
    """What `KEEP_GRANT` takes."""
    scope = grant.option.scope
    return grant.id, at, scope, session if scope == "session" else None, json.dumps(as_record(grant))


class _GrantFile:
    """The table of grants in one file."""

    def __init__(self, path: Path, *, make: bool = False) -> None:
        self._path = path
        self.connection: sqlite3.Connection = connect(path, make=make)

    def version(self) -> int:
        with errors_in_words(self._path):
            return int(self.connection.execute("PRAGMA data_version").fetchone()[0])

    def read(self) -> list[StoredGrant]:
        with errors_in_words(self._path):
            rows = self.connection.execute("SELECT body, created, session, revoked FROM grants").fetchall()
        return [stored for row in rows if (stored := _stored(*row)) is not None]

    def is_revoked(self, id: str) -> bool:
        with errors_in_words(self._path):
            rows = self.connection.execute("SELECT revoked FROM grants WHERE id = ?", (id,)).fetchall()
        return any(revoked is not None for (revoked,) in rows)

    def write(self, statement: str, values: tuple[object, ...]) -> None:
        with writing(self.connection, self._path):
            self.connection.execute(statement, values)


def _stored(body: str, created: float, session: str | None, revoked: float | None) -> StoredGrant | None:
    """None for what is no grant: it grants nothing then."""
    try:
        plain: Any = json.loads(body)
        grant = from_record(plain)
    except (ValueError, AttributeError, RuleError):
        return None
    of_session = None if session is None else SessionId(session)
    return StoredGrant(grant, Instant(created), of_session, None if revoked is None else Instant(revoked))
