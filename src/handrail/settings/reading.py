"""Reads a settings or policy file with care: who could have written it, and whether it is an ordinary file at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

from handrail.contract.values import value

MAX_BYTES = 1024 * 1024
"""Of one settings or policy file: ten thousand rules are about as much."""

_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
_ABSENT = frozenset((errno.ENOENT, errno.ENOTDIR))


@value
class FileText:
    """What a file holds, read once: what is hashed, shown and obeyed are the same bytes."""

    data: bytes
    doubt: str = ""
    """Who else could have written it, with what to do about that; empty when nobody could."""

    @property
    def digest(self) -> str:
        """SHA-256, hexadecimal."""
        return sha256(self.data).hexdigest()

    @property
    def text(self) -> str:
        return self.data.decode("utf-8")


class Unreadable(Exception):
    """There is such a file, and it can't be read; the message completes `FILE …`."""


def read_own(path: Path, most: int = MAX_BYTES) -> FileText | None:
    """A file of the person's own; None where there is none. Links are followed, and doubted at their ends.

    Raises Unreadable.
    """
    return _read(path, lambda found: doubt_about(path, found), most)


def read_in_workspace(path: Path, workspace: Path) -> FileText | None:
    """A file that came with a workspace; None where there is none. Its writer doesn't matter: trust is by content.

    Raises Unreadable, also for a link that leads out of the workspace.
    """
    real = os.path.realpath(path)
    root = os.path.realpath(workspace)
    if os.path.commonpath([real, root]) != root:
        if not os.path.lexists(path):
            return None
        raise Unreadable("lies outside the workspace, or is a link that leads there; put a file in its place")
    return _read(path, lambda found: "", MAX_BYTES)


def _read(path: Path, doubt: Callable[[os.stat_result], str], most: int) -> FileText | None:
    try:
        _require_regular(os.stat(path))  # before opening: opening a device can do something
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # never waits for a FIFO's writer
    except OSError as error:
        if error.errno in _ABSENT and not os.path.islink(path):
            return None
        raise Unreadable(f"can't be read: {error.strerror}") from error
    try:
        found = os.fstat(handle)
        _require_regular(found)
        return FileText(_utf8(_at_most(handle, most)), doubt(found))
    except OSError as error:
        raise Unreadable(f"can't be read: {error.strerror}") from error
    finally:
        os.close(handle)


def _require_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Unreadable("is not an ordinary file")


def _at_most(handle: int, most: int) -> bytes:
    data = bytearray()
    while piece := os.read(handle, 65536):
        data += piece
        if len(data) > most:
            raise Unreadable(f"is larger than {most} bytes, which no such file needs")
    return bytes(data)


def _utf8(data: bytes) -> bytes:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"is not UTF-8: byte {error.start} is {data[error.start]:#04x}") from error
    return data


def doubt_about(path: Path, found: os.stat_result) -> str:
    """Whoever may write a file, or put another in its place, decides what it says. Links count at both ends."""
    folders = dict.fromkeys((path.parent, Path(os.path.realpath(path)).parent))
    return _writers(path, found) or next((doubt for f in folders if (doubt := _writers(f, f.stat()))), "")


def _writers(path: Path, found: os.stat_result) -> str:
    if found.st_uid not in (0, os.geteuid()):
        return f"{path} belongs to another user (uid {found.st_uid}); run: chown {os.geteuid()} '{path}'"
    if found.st_mode & _OTHERS_MAY_WRITE:
        return f"{path} can be written by others (mode {stat.S_IMODE(found.st_mode):04o}); run: chmod go-w '{path}'"
    return ""
