"""The sessions of a journal: a line about each, and what is deleted of old ones."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from handrail.contract.basics import Instant, SessionId
from handrail.errors import JournalError
from handrail.runtime.histories import SETTLED
from handrail.runtime.journal_file import connect, errors_in_words, reading, writing
from handrail.runtime.journal_schema import version_of
from handrail.runtime.session_lock import SessionLock, holder_of
from handrail.runtime.session_work import WORK, SessionWork, work_in
from handrail.runtime.spilling import spill_folder

_FIRST_VERSION = 1
_VALUES_SINCE = 3
"""Versions of the journal's tables."""

_SESSIONS = """
SELECT id, started, workspace, (SELECT max(at) FROM events WHERE session = id) FROM sessions ORDER BY started, id
"""
_LAST_STATES = "SELECT call, max(sequence), state FROM events WHERE session = ? GROUP BY call"
"""SQLite takes the other columns from the row that has the maximum: https://sqlite.org/lang_select.html#bareagg"""

_PAYLOADS = "SELECT count(*), total(length(content)) FROM payloads WHERE session = ?"

_KEPT_VALUE = "SELECT content FROM session_values WHERE session = ? AND name = ?"

_FORGOTTEN = (
    "DELETE FROM payloads WHERE session = ?",
    "UPDATE turns SET salt = NULL, content = NULL WHERE session = ?",
    "UPDATE approvals SET answer = NULL WHERE session = ?",
    "DELETE FROM session_values WHERE session = ?",
)
"""What may hold exact arguments, results and the model's words."""

_DELETED = (
    "DELETE FROM approvals WHERE session = ?",
    "DELETE FROM grants WHERE session = ? AND scope = 'session'",
    "DELETE FROM turns WHERE session = ?",
    "DELETE FROM openings WHERE session = ?",
    "DELETE FROM session_values WHERE session = ?",
    "DELETE FROM payloads WHERE session = ?",
    "DELETE FROM events WHERE session = ?",
    "DELETE FROM sessions WHERE id = ?",
)
_UNUSED = "DELETE FROM schemas WHERE digest NOT IN (SELECT json_extract(body, '$.schema') FROM approvals)"


@dataclass(frozen=True, slots=True)
class StoredSession:
    """What the journal knows of one session."""

    id: SessionId
    started: Instant
    last: Instant
    """When the last event was, or the session began."""
    workspace: str
    calls: int
    waiting: int
    """Calls that wait for an approval."""
    unfinished: int
    """Calls in any open state, those that wait included."""
    payloads: int
    payload_size: int
    """Characters."""
    holder: int | None
    """The id of the process that has it open; None when nobody does."""
    work: SessionWork | None = None
    """What an agent worked on; None where none did, or it is no longer kept."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """What a pruning did, or would do."""

    sessions: tuple[StoredSession, ...]
    spared: tuple[StoredSession, ...]
    """Old enough, but open in a process, or with calls that could go on."""
    wiped: bool
    """Nothing of what was deleted is left in the journal's files. False while another process reads them."""


def stored_sessions(path: Path) -> list[StoredSession]:
    """The oldest first. Raises JournalError."""
    with reading(path, oldest=_FIRST_VERSION) as connection:
        return list(_sessions(connection, path))


def prune(path: Path, before: Instant, *, whole: bool, unfinished: bool, dry_run: bool) -> Pruned:
    """Deletes the payloads of sessions whose last event was before that time; with `whole`, all of these sessions.

    Sessions that a process has open are spared; unless `unfinished` is true, also those with calls that could go
    on. What is deleted is overwritten in the file. Raises JournalError.
    """
    old = [session for session in stored_sessions(path) if session.last < before]
    chosen = [session for session in old if session.holder is None and (unfinished or not session.unfinished)]
    if dry_run or not chosen:
        return Pruned(tuple(chosen), tuple(session for session in old if session not in chosen), wiped=True)
    with ExitStack() as locks, closing(connect(path, make=False)) as connection:
        done = [session for session in chosen if _locked(locks, path, session.id)]
        with writing(connection, path):
            for session in done:
                for statement in _DELETED if whole else _FORGOTTEN:
                    connection.execute(statement, (session.id,))
            connection.execute(_UNUSED)
        for session in done:
            # Too long for the model, so in no payload: kept whole beside the journal.
            shutil.rmtree(spill_folder(path.parent, session.id), ignore_errors=True)
        return Pruned(tuple(done), tuple(session for session in old if session not in done), _wiped(connection, path))


def _sessions(connection: sqlite3.Connection, path: Path) -> Iterator[StoredSession]:
    for id, started, workspace, last in connection.execute(_SESSIONS).fetchall():
        states = [state for _, _, state in connection.execute(_LAST_STATES, (id,))]
        payloads, size = connection.execute(_PAYLOADS, (id,)).fetchone()
        yield StoredSession(
            id=SessionId(id),
            started=Instant(started),
            last=Instant(started if last is None else last),
            workspace=workspace,
            calls=len(states),
            waiting=states.count("AwaitingApproval"),
            unfinished=_count_open(states),
            payloads=payloads,
            payload_size=int(size),
            holder=holder_of(path, SessionId(id)),
            work=_work(connection, id),
        )


def _work(connection: sqlite3.Connection, session: str) -> SessionWork | None:
    if version_of(connection) < _VALUES_SINCE:
        return None
    row = connection.execute(_KEPT_VALUE, (session, WORK)).fetchone()
    try:
        return work_in(json.loads(row[0])) if row else None
    except ValueError:
        return None


def _count_open(states: Sequence[str]) -> int:
    return sum(state not in SETTLED for state in states)


def _locked(locks: ExitStack, path: Path, session: SessionId) -> bool:
    """Whether the session is ours until the pruning ends: nobody opens it meanwhile."""
    try:
        locks.callback(SessionLock.take(path, session).release)
    except JournalError:
        return False
    return True


def _wiped(connection: sqlite3.Connection, path: Path) -> bool:
    """Gives freed pages back, and empties the write-ahead log, which holds pages as they were."""
    with errors_in_words(path):
        connection.executescript("PRAGMA incremental_vacuum")  # `execute` would stop at the first page
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy
