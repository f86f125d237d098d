"""A file's bytes, read whole or piece by piece, and written to a new file: the parts that changes are made of."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from threading import Event

from handrail.runtime.folders import Folder

MAX_BYTES = 256 * 1024 * 1024
"""The most of one file that is read into memory."""
MAX_SCANNED = 16 * 1024 * 1024 * 1024
"""The most of one file that is read in pieces: about ten seconds from memory, and the end of what has none."""
MAX_OF_NO_SIZE = 16 * 1024 * 1024
"""The most of a file that says it has 0 bytes and has some."""

_PIECE = 8 * 1024 * 1024
_MOST_AT_ONCE = 64 * 1024 * 1024
_LEAST_AT_ONCE = 64 * 1024
_PIECE_TO_HASH = 1024 * 1024
"""What stays in the processor's cache from the reading to the hashing."""
NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK})
"""What file systems without hard links answer."""


class Abandoned(Exception):
    """Whoever wanted this has gone. Raised only while nothing has been changed."""


class Changed(Exception):
    """The file is not what it was when it was read."""


class NotAFile(Exception):
    """A folder, FIFO, device or socket; the argument is its `st_mode`."""

    def __init__(self, mode: int) -> None:
        super().__init__(mode)
        self.mode = mode


class TooLarge(Exception):
    """More than may be read: the size in bytes, None where the file says a smaller one and goes on; and the most."""

    def __init__(self, size: int | None, most: int) -> None:
        super().__init__(size, most)
        self.size = size
        self.most = most


def read(folder: Folder, name: str, gone: Event) -> tuple[bytes, os.stat_result]:
    """A regular file's bytes, never waiting for a writer. Raises OSError, NotAFile, TooLarge, Abandoned."""
    with _regular(folder, name) as (handle, found):
        pieces = _pieces(handle, found.st_size, MAX_BYTES, gone, min(found.st_size + 1, _MOST_AT_ONCE))
        whole = io.BytesIO(next(pieces, b""))  # holds a single piece as it is
        whole.seek(0, io.SEEK_END)
        for piece in pieces:  # it grows in place; pieces that are joined at the end are held twice
            whole.write(piece)
        return whole.getvalue(), found


def digest(folder: Folder, name: str, gone: Event) -> tuple[str, os.stat_result]:
    """The SHA-256 of a regular file's bytes, hexadecimal. Raises what `read` does."""
    known = hashlib.sha256()
    with _regular(folder, name) as (handle, found):
        for piece in _pieces(handle, found.st_size, MAX_BYTES, gone, _PIECE_TO_HASH):
            known.update(piece)
        return known.hexdigest(), found


def scan(folder: Folder, name: str, take: Callable[[bytes], None], gone: Event) -> None:
    """Gives a regular file's bytes to `take`, piece by piece. Raises what `read` does, and what `take` raises."""
    with _regular(folder, name) as (handle, found):
        for piece in _pieces(handle, found.st_size, MAX_SCANNED, gone):
            take(piece)


@contextlib.contextmanager
def _regular(folder: Folder, name: str) -> Iterator[tuple[int, os.stat_result]]:
    require_regular(folder.look(name))  # before opening: opening a device can do something
    handle = folder.open(name, os.O_RDONLY)
    try:
        found = os.fstat(handle)
        require_regular(found)
        yield handle, found
    finally:
        os.close(handle)


def _pieces(handle: int, size: int, most: int, gone: Event, length: int = _PIECE) -> Iterator[bytes]:
    """What a file says of its size need not be true: in `/proc` it is 0, and some files there have no end."""
    if size > most:
        raise TooLarge(size, most)
    left = most = most if size else MAX_OF_NO_SIZE
    while piece := os.read(handle, max(length, _LEAST_AT_ONCE)):
        unless(gone)
        left -= len(piece)
        if left < 0:
            raise TooLarge(None, most)
        yield piece


def spare_name() -> str:
    """A name that nobody else has."""
    return f".handrail-{secrets.token_hex(8)}.tmp"


@contextlib.contextmanager
def written(folder: Folder, data: bytes, mode: int, gone: Event) -> Iterator[tuple[str, int]]:
    """A temporary file that holds `data`: its name and handle. Its name is gone afterwards, whatever happens."""
    unless(gone)
    name = spare_name()
    handle = folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(handle, rest[:_PIECE]) :]
            unless(gone)
        yield name, handle
    finally:
        os.close(handle)
        with contextlib.suppress(OSError):  # mostly it has another name now
            folder.remove(name)


def keep_what_it_was(folder: Folder, name: str, before: os.stat_result, handle: int) -> None:
    """The owner first: changing it may change the mode. Set-user-id bits go, as they do with any write."""
    now = os.fstat(handle)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        with contextlib.suppress(PermissionError):
            os.fchown(handle, before.st_uid, before.st_gid)
    if sys.platform == "linux":
        original = folder.open(name, os.O_RDONLY)
        try:
            for attribute in filter(_is_kept, os.listxattr(original)):
                with contextlib.suppress(OSError):  # not every file system takes every attribute
                    os.setxattr(handle, attribute, os.getxattr(original, attribute))
        finally:
            os.close(original)
    os.fchmod(handle, before.st_mode & 0o777)


def _is_kept(attribute: str) -> bool:
    return attribute.startswith("user.") or attribute in ("system.posix_acl_access", "security.selinux")


def identity(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def require_regular(found: os.stat_result) -> None:
    """Raises NotAFile."""
    if not stat.S_ISREG(found.st_mode):
        raise NotAFile(found.st_mode)


def unless(gone: Event) -> None:
    if gone.is_set():
        raise Abandoned
