"""The journal's file: how it comes to be, how it is opened, and what its failures mean in words."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from handrail.errors import JournalError
from handrail.runtime.journal_schema import VERSION, bring_up_to_date, check_version

BUSY_SECONDS = 10.0
"""How long a commit waits for other processes that write to the same file."""

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


def connect(
    path: Path, busy_seconds: float = BUSY_SECONDS, page_limit: int | None = None, *, make: bool = True
) -> sqlite3.Connection:
    """A connection to a journal of this version. An older one is brought up to date first.

    `make` makes one where there is none. `page_limit` bounds the file, in pages of 4096 bytes.
    Raises JournalError for all that goes wrong.
    """
    with errors_in_words(path):
        if make and not path.exists():
            _create(path)
        name = f"{path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(name, uri=True, timeout=busy_seconds, isolation_level=None)
        with closed_on_failure(connection):
            if page_limit is not None:
                connection.execute(f"PRAGMA max_page_count = {page_limit:d}")
            # A commit has returned from fsync before it is acknowledged.
            connection.execute("PRAGMA synchronous = FULL")
            # What is deleted is overwritten: a payload that was pruned must not be found in the file.
            connection.execute("PRAGMA secure_delete = ON")
            if check_version(connection, path) < VERSION:
                bring_up_to_date(connection)
        return connection


def connect_for_reading(path: Path, *, oldest: int = VERSION) -> sqlite3.Connection:
    """A connection that can't change the journal, and fails where there is none.

    `oldest` is the first version that has what the caller reads. Raises JournalError.
    """
    with errors_in_words(path):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)
        with closed_on_failure(connection):
            version = check_version(connection, path)
            if version < oldest:
                raise JournalError(
                    f"the journal {path} was written by an older Handrail (version {version} of its tables), which "
                    "kept no such thing; the next session in its workspace brings it up to date"
                )
        return connection


@contextmanager
def reading(path: Path, *, oldest: int = VERSION) -> Iterator[sqlite3.Connection]:
    """One look at the file, as `connect_for_reading`: what others write meanwhile is not seen."""
    with errors_in_words(path), closing(connect_for_reading(path, oldest=oldest)) as connection:
        connection.execute("BEGIN")
        yield connection


@contextmanager
def writing(connection: sqlite3.Connection, path: Path) -> Iterator[None]:
    """One transaction: all of it, or nothing.

    It takes the write lock first, so that none fails halfway for another writer's sake. Raises JournalError.
    """
    with errors_in_words(path):
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")


@contextmanager
def errors_in_words(path: Path) -> Iterator[None]:
    """SQLite's errors and the file system's, raised in the block, become a JournalError."""
    try:
        yield
    except sqlite3.Error as error:
        raise in_words(path, error) from error
    except OSError as error:
        raise JournalError(
            f"the journal {path} can't be made: {error.strerror}; "
            "check the folder's permissions, or set HANDRAIL_STATE to a folder you own"
        ) from error


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
            # Before the first table, or never: lets the file shrink when payloads are pruned.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
            if mode != "wal":
                raise JournalError(
                    f"the file system of {path.parent} can't hold a journal (no shared memory for SQLite); "
                    "set HANDRAIL_STATE to a folder on a local disk"
                )
            bring_up_to_date(connection)
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
