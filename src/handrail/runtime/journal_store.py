"""One session's part of a journal file. Synchronous, and used by one thread: `journal` owns it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from handrail.contract.basics import Instant, SessionId
from handrail.contract.calls import CallState
from handrail.errors import JournalError
from handrail.runtime.chain import StoredEvent, first_link
from handrail.runtime.journal_schema import closed_on_failure, connect, in_words
from handrail.runtime.records import record_of

_SALT_BYTES = 16


class SessionStore:
    """Writes the events of one session, each chained to the one before."""

    def __init__(self, connection: sqlite3.Connection, path: Path, session: SessionId) -> None:
        self._connection = connection
        self._path = path
        self._session = session
        self._epoch = 0
        self._hash = ""
        self.last = 0
        """The number of the last event that is safe."""

    @classmethod
    def open(
        cls,
        path: Path,
        session: SessionId,
        *,
        workspace: Path,
        started: Instant,
        busy_seconds: float,
        page_limit: int | None,
    ) -> SessionStore:
        """Begins the session, or takes it over where it stands. Raises JournalError."""
        try:
            connection = connect(path, busy_seconds, page_limit)
        except sqlite3.Error as error:
            raise in_words(path, error) from error
        except OSError as error:
            raise JournalError(
                f"the journal {path} can't be made: {error.strerror}; "
                "check the folder's permissions, or set HANDRAIL_STATE to a folder you own"
            ) from error
        store = cls(connection, path, session)
        with closed_on_failure(connection):
            store._take_over(workspace, started)
        return store

    def write(self, states: Sequence[tuple[int, CallState]]) -> None:
        """Writes the states in one transaction: afterwards all are on the disk, or none is.

        Raises JournalError when they can't be written, or when another process took the session over.
        """
        events, payloads, last = self._rows(states)
        with self._transaction():
            self._check_epoch()
            self._connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", events)
            self._connection.executemany("INSERT INTO payloads VALUES (?, ?, ?, ?, ?, ?)", payloads)
        self._hash = last
        self.last = states[-1][0]

    def close(self) -> None:
        self._connection.close()

    def _take_over(self, workspace: Path, started: Instant) -> None:
        with self._transaction():
            self._connection.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET epoch = epoch + 1",
                (self._session, started, os.fsencode(workspace).decode("utf-8", "backslashreplace")),
            )
            kept = self._connection.execute(
                "SELECT started, workspace, epoch FROM sessions WHERE id = ?", (self._session,)
            ).fetchone()
            end = self._connection.execute(
                "SELECT sequence, hash FROM events WHERE session = ? ORDER BY sequence DESC LIMIT 1", (self._session,)
            ).fetchone()
        self._epoch = kept[2]
        self.last, self._hash = end or (0, first_link(self._session, kept[0], kept[1]))

    def _check_epoch(self) -> None:
        query = "SELECT epoch FROM sessions WHERE id = ?"
        row = self._connection.execute(query, (self._session,)).fetchone()
        if row is None or row[0] != self._epoch:
            raise JournalError(
                f"session {self._session} in the journal {self._path} was taken over by another process; "
                "nothing more is written or started here"
            )

    def _rows(
        self, states: Sequence[tuple[int, CallState]]
    ) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]], str]:
        """The rows of events and payloads, and the last event's hash."""
        events: list[tuple[object, ...]] = []
        payloads: list[tuple[object, ...]] = []
        previous = self._hash
        for sequence, state in states:
            made = record_of(state, os.urandom(_SALT_BYTES))
            event = StoredEvent(
                self._session, sequence, self._epoch, made.at, made.call, made.parent, made.state, made.body
            )
            link = event.hash(previous)
            events.append((*event.columns, previous, link))
            previous = link
            if made.payload is not None:
                kept = made.payload
                payloads.append((self._session, made.call, kept.kind, sequence, kept.salt, kept.content))
        return events, payloads, previous

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """Takes the write lock first, so that no transaction fails halfway for another writer's sake."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
        except sqlite3.Error as error:
            raise in_words(self._path, error) from error
