"""One session's part of a journal file. Synchronous, and used by one thread: `journal` owns it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from handrail.contract.basics import Instant, SessionId
from handrail.contract.calls import CallState
from handrail.errors import JournalError
from handrail.runtime.approval_rows import QuestionRows
from handrail.runtime.chain import StoredEvent, first_link
from handrail.runtime.journal_file import BUSY_SECONDS, connect, writing
from handrail.runtime.openings import NOTHING_SAID, HowOpened, write_opening
from handrail.runtime.records import Record, Recorder
from handrail.runtime.session_lock import SessionLock
from handrail.runtime.turn_rows import KeptTurn, write_turn
from handrail.runtime.value_rows import KeptTogether, write_values
from handrail.runtime.who import this_process
from handrail.settings.redaction import Redactor

_SALT_BYTES = 16

Entry: TypeAlias = CallState | KeptTurn | KeptTogether
"""What stands in line to be written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """How a session's part of a journal is opened."""

    workspace: Path
    started: Instant
    how: HowOpened = NOTHING_SAID
    """What the session is opened with, kept for whoever takes it up."""
    take_over: bool = False
    """Also from a process that is alive: it writes and starts nothing more."""
    busy_seconds: float = BUSY_SECONDS
    """How long a commit waits for other processes that write to the same file."""
    page_limit: int | None = None
    """Bounds the file, in pages of 4096 bytes."""
    redactor: Redactor | None = None
    """None: one that knows the secrets in this process's environment."""


class SessionStore:
    """Writes the events of one session, each chained to the one before."""

    def __init__(self, connection: sqlite3.Connection, path: Path, session: SessionId, recorder: Recorder) -> None:
        self._connection = connection
        self._path = path
        self._session = session
        self._recorder = recorder
        self._epoch = 0
        self._hash = ""
        self._let_go = ExitStack()
        self._questions = QuestionRows(connection, session, this_process())
        self.last = 0
        """The number of the last event that is safe."""

    @classmethod
    def open(cls, path: Path, session: SessionId, opening: Opening) -> SessionStore:
        """Begins the session, or takes it over where it stands. Raises JournalError, also while another process
        holds the session and `take_over` is not set.
        """
        recorder = Recorder(opening.redactor or Redactor(os.environ))
        with ExitStack() as on_failure:
            connection = connect(path, opening.busy_seconds, opening.page_limit)
            on_failure.callback(connection.close)
            on_failure.callback(SessionLock.take(path, session, seize=opening.take_over).release)
            store = cls(connection, path, session, recorder)
            store._take_over(opening)
            store._let_go = on_failure.pop_all()
        return store

    def write(self, states: Sequence[tuple[int, Entry]]) -> None:
        """Writes states, turns and values in one transaction: afterwards all are on the disk, or none is.

        Raises JournalError when they can't be written, or when another process took the session over.
        """
        made = [
            (sequence, state, self._recorder.record_of(state, os.urandom(_SALT_BYTES)))
            for sequence, state in states
            if not isinstance(state, KeptTurn | KeptTogether)
        ]
        events, payloads, last = self._rows(made)
        with writing(self._connection, self._path):
            self._check_epoch()
            self._connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", events)
            self._connection.executemany("INSERT INTO payloads VALUES (?, ?, ?, ?, ?, ?)", payloads)
            for sequence, state, record in made:
                self._questions.keep(sequence, state, record)
            for _, kept in states:
                if isinstance(kept, KeptTurn):
                    write_turn(self._connection, self._session, kept)
                elif isinstance(kept, KeptTogether):
                    write_values(self._connection, self._session, kept)
        self._hash = last
        self.last = states[-1][0]

    def close(self) -> None:
        """Lets go of the session and of the file."""
        self._let_go.close()

    def _take_over(self, opening: Opening) -> None:
        workspace = os.fsencode(opening.workspace).decode("utf-8", "backslashreplace")
        with writing(self._connection, self._path):
            self._connection.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET epoch = epoch + 1",
                (self._session, opening.started, workspace),
            )
            write_opening(self._connection, self._session, opening.how)
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
        self, states: Sequence[tuple[int, CallState, Record]]
    ) -> tuple[list[tuple[object, ...]], list[tuple[object, ...]], str]:
        """The rows of events and payloads, and the last event's hash."""
        events: list[tuple[object, ...]] = []
        payloads: list[tuple[object, ...]] = []
        previous = self._hash
        for sequence, _, made in states:
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
