"""Who holds a session: one process at a time, by a lock of the operating system's on a file of its own.

The lock goes when its process does, however that ends, so a session of a dead process can be taken over at once.
One that is alive and only stopped keeps it; who takes over all the same (`seize`) puts a new file in the place of
the old one. The old holder is then stopped by the session's epoch, which every transaction checks.
"""

from __future__ import annotations

import hashlib
import os
import sys
import time
from contextlib import suppress
from pathlib import Path

from handrail.contract.basics import SessionId
from handrail.errors import JournalError

_ATTEMPTS = 5
_PAUSE_SECONDS = 0.02
"""Between attempts: `holder_of` has the lock for some microseconds when it looks."""

if sys.platform == "win32":  # untested
    import msvcrt

    _FAR = 1 << 30  # the locked byte lies behind all that is written: others may read the rest

    def _try_lock(descriptor: int) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True
else:
    import fcntl

    def _try_lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class SessionLock:
    """Held from `take` to `release`, or to the end of the process. Children don't inherit it."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def take(cls, journal: Path, session: SessionId, *, seize: bool = False) -> SessionLock:
        """Raises JournalError, with the holder's process id, when another process has it and `seize` is false."""
        path = _lock_file(journal, session)
        try:
            path.parent.mkdir(mode=0o700, exist_ok=True)
            for _ in range(_ATTEMPTS):
                descriptor = _open_at(path, seize=seize)
                if descriptor is not None:
                    return cls(path, descriptor)
                time.sleep(_PAUSE_SECONDS)
        except OSError as error:
            raise JournalError(
                f"session {session} can't be locked: {path}: {error.strerror}; "
                "check the folder's permissions, or set HANDRAIL_STATE to a folder you own"
            ) from error
        raise JournalError(
            f"session {session} is held by process {_written_in(path) or 'unknown'}; "
            "wait until it ends, or end it, and try again; if it hangs, 'handrail sessions resume "
            f"{session} --take-over' takes the session from it"
        )

    def release(self) -> None:
        """Lets go, and takes the file away unless somebody put another in its place."""
        with suppress(OSError):
            if _is_at(self._path, self._descriptor):
                self._path.unlink()
        os.close(self._descriptor)


def holder_of(journal: Path, session: SessionId) -> int | None:
    """The id of the process that holds the session now; None when nobody does. 0 when it can't be told."""
    path = _lock_file(journal, session)
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return None if _try_lock(descriptor) else _written_in(path)
    finally:
        os.close(descriptor)


def _open_at(path: Path, *, seize: bool) -> int | None:
    """A locked descriptor of the file that stands at the path, with our process id in it; None for now."""
    if seize:
        path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    # Between opening and locking, the one before us may have taken the file away.
    if not (_try_lock(descriptor) and _is_at(path, descriptor)):
        os.close(descriptor)
        return None
    os.truncate(descriptor, 0)
    os.write(descriptor, f"{os.getpid()}\n".encode())
    return descriptor


def _is_at(path: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _written_in(path: Path) -> int:
    try:
        return int(path.read_text("ascii").strip() or 0)
    except (OSError, ValueError):
        return 0


def _lock_file(journal: Path, session: SessionId) -> Path:
    """By a hash: a session's id may be any text."""
    name = hashlib.sha256(session.encode("utf-8", "backslashreplace")).hexdigest()[:32]
    return journal.with_name(f"{journal.name}.locks") / f"{name}.lock"
