"""Small files for their owner alone: replaced whole, under a lock. Blocks."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def locked(file: Path) -> Iterator[None]:
    """Nobody else who locks this file goes on meanwhile. Raises OSError."""
    import fcntl  # where there is none, on Windows, such files are read and can't be changed

    handle = open_lock(file)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def open_lock(file: Path) -> int:
    """A handle on the file, made where it is not there. Raises OSError."""
    return os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def replace(file: Path, data: bytes, mode: int = 0o600) -> None:
    """The old content or the new one, whatever happens; durable on return. Raises OSError."""
    temporary = file.with_name(f".{file.name}-{secrets.token_hex(8)}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        with open(handle, "wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(handle)
        os.replace(temporary, file)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    folder = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
