"""The journal's file: its tables, their version, and how it comes to be."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from handrail.errors import JournalError

VERSION = 1
"""Of the tables below; kept in the file as `user_version`."""

_WHAT_CHANGED = {1: "Sessions, their chained events, and the payloads of events, which may be deleted."}
"""One sentence for each version, kept in the file for whoever opens it with other tools."""

_TABLES = """
CREATE TABLE schema_versions (
    version  INTEGER PRIMARY KEY,
    changes  TEXT NOT NULL
);
CREATE TABLE sessions (
    id        TEXT PRIMARY KEY,
    started   REAL NOT NULL,       -- seconds since the Unix epoch
    workspace TEXT NOT NULL,
    epoch     INTEGER NOT NULL     -- goes up by one each time a process takes the session over
);
CREATE TABLE events (
    session  TEXT NOT NULL REFERENCES sessions (id),
    sequence INTEGER NOT NULL,     -- from 1, without gaps
    epoch    INTEGER NOT NULL,     -- of the writer
    at       REAL NOT NULL,        -- when the state was entered
    call     TEXT NOT NULL,
    parent   TEXT,
    state    TEXT NOT NULL,
    body     TEXT NOT NULL,        -- JSON
    previous TEXT NOT NULL,        -- the hash of the event before, or of the session's row
    hash     TEXT NOT NULL,
    PRIMARY KEY (session, sequence)
);
CREATE TABLE payloads (
    session  TEXT NOT NULL,
    call     TEXT NOT NULL,
    kind     TEXT NOT NULL,        -- arguments, confirmation, result
    sequence INTEGER NOT NULL,     -- the event whose body holds the hash of salt and content
    salt     BLOB NOT NULL,
    content  TEXT NOT NULL,        -- JSON
    PRIMARY KEY (session, call, kind, sequence)
);
"""

_ADVICE = {
    "BUSY": "another process keeps it locked; end that process, or wait and try again",
    "FULL": "the disk is full; free some space and start again",
    "IOERR": "the disk reported an error; check its space and health",
    "READONLY": "it can't be written; check the permissions of the file and its folder",
    "CANTOPEN": "it can't be opened; check the permissions of the file and its folder",
    "NOTADB": "it is not a journal; move it away and start again",
    "CORRUPT": "it is damaged; move it away, with its -wal and -shm files, and start again",
}
"""By the second word of SQLite's error name."""


def connect(path: Path, busy_seconds: float, page_limit: int | None) -> sqlite3.Connection:
    """A connection to a journal of this version, which is made first if it isn't there.

    Raises JournalError, OSError, or sqlite3.Error for what `in_words` explains.
    """
    if not path.exists():
        _create(path)
    connection = sqlite3.connect(path, timeout=busy_seconds, isolation_level=None)
    with closed_on_failure(connection):
        _check(connection, path)
        # A commit has returned from fsync before it is acknowledged.
        connection.execute("PRAGMA synchronous = FULL")
        if page_limit is not None:
            connection.execute(f"PRAGMA max_page_count = {page_limit:d}")
    return connection


def connect_for_reading(path: Path) -> sqlite3.Connection:
    """A connection that can't change the journal, and fails where there is none. Raises as `connect` does."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
    with closed_on_failure(connection):
        _check(connection, path)
    return connection


@contextmanager
def closed_on_failure(connection: sqlite3.Connection) -> Iterator[None]:
    """Closes the connection when the block does not come to its end, whatever stopped it."""
    with ExitStack() as on_failure:
        on_failure.callback(connection.close)
        yield
        on_failure.pop_all()


def in_words(path: Path, error: sqlite3.Error) -> JournalError:
    """What happened, where, and what to do next."""
    words = getattr(error, "sqlite_errorname", "").split("_")
    advice = _ADVICE.get(words[1]) if len(words) > 1 else None
    return JournalError(f"the journal {path} failed: {error}" + (f"; {advice}" if advice else ""))


def _create(path: Path) -> None:
    """Makes an empty journal with mode 0600. It appears whole or not at all, whoever else tries."""
    left_over = path.with_name(f"{path.name}-wal")
    if left_over.exists() and not path.exists():
        # SQLite would play it into the new file.
        raise JournalError(f"{left_over} is left over from a journal that is gone; move it away and start again")
    descriptor, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".new", dir=path.parent)
    # Closed before SQLite sees the file: closing any descriptor of a file drops this process's locks on it.
    os.close(descriptor)
    try:
        with closing(sqlite3.connect(name, isolation_level=None)) as connection:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            if mode != "wal":
                raise JournalError(
                    f"the file system of {path.parent} can't hold a journal (no shared memory for SQLite); "
                    "set HANDRAIL_STATE to a folder on a local disk"
                )
            connection.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {VERSION}; COMMIT;")
            connection.executemany("INSERT INTO schema_versions VALUES (?, ?)", _WHAT_CHANGED.items())
        os.link(name, path)
        _sync_folder(path.parent)
    except FileExistsError:
        return  # another process was first, with the same result
    finally:
        os.unlink(name)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _check(connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version == VERSION:
        return
    if version > VERSION:
        raise JournalError(
            f"the journal {path} was written by a newer Handrail (version {version} of its tables; this one knows "
            f"{VERSION}); use that one, or set HANDRAIL_STATE to another folder"
        )
    raise JournalError(f"{path} is not a journal of Handrail; move it away and start again")
