"""What Python's audit events say of files, hosts and processes.

The events and their arguments: docs.python.org/3/library/audit_events.html. Only opening is told, not
what is read or written afterwards, so a file opened for writing counts as written.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


class How(StrEnum):
    """What was done. The value reads as a verb."""

    READ = "read"
    WROTE = "wrote"
    CONNECTED = "connected to"
    LOOKED_UP = "looked up the address of"
    STARTED = "started"
    MOVED = "changed the working directory of the whole process to"


@dataclass(frozen=True, slots=True)
class Touch:
    """One thing done to one path, host or program."""

    how: How
    what: str
    """A path, absolute and with its links resolved; a host, or the path of a socket; a program."""
    existed: bool = True
    """Whether the path was there just before."""
    before: tuple[int, ...] | None = None
    """Set where it is not sure that this path was meant: what it looked like before."""

    @property
    def is_sure(self) -> bool:
        return self.before is None or _look(self.what) != self.before


def touches_of(event: str, arguments: tuple[Any, ...]) -> Iterator[Touch]:
    """What an event tells. Nothing for those that no row of the table names."""
    reading = _READINGS.get(event)
    for how, what, unsure in reading(*arguments) if reading is not None else ():
        is_path = how in (How.READ, How.WROTE, How.MOVED)
        existed = os.path.lexists(what) if is_path else True
        if existed or event not in _FAILING_WITHOUT:
            yield Touch(how, what, existed, _look(what) if unsure else None)


_Found = tuple[How, str, bool]
"""What was done, to what, and whether it is unsure that this was meant."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_NO_CONTENT = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", 0)
_NO_HANDLE = -1


def _opened(path: object, mode: object, flags: int) -> Iterator[_Found]:
    """`os.open` (which gives no mode) does not tell the folder handle that a name may be relative to."""
    writes = bool(flags & _WRITING)
    unsure = mode is None and not _is_absolute(path)
    if isinstance(path, int) or flags & _NO_CONTENT or (unsure and not writes):
        return
    for place in _places(path):
        if writes and not os.path.isdir(place):  # `tempfile` opens a folder's name, by an opener of its own
            yield How.WROTE, place, unsure
        elif not writes and os.path.lexists(place):
            yield How.READ, place, False


def _listed(path: object) -> Iterator[_Found]:
    yield from ((How.READ, place, False) for place in _places("." if path is None else path))


def _written(path: object, *_: object) -> Iterator[_Found]:
    yield from ((How.WROTE, place, False) for place in _places(path))


def _made(path: object, _: object, handle: int = _NO_HANDLE) -> Iterator[_Found]:
    for place in _places(path, handle, follow=False):
        if not os.path.lexists(place):
            yield How.WROTE, place, False


def _removed(path: object, handle: int = _NO_HANDLE) -> Iterator[_Found]:
    yield from ((How.WROTE, place, False) for place in _places(path, handle, follow=False))


def _renamed(old: object, new: object, old_handle: int = _NO_HANDLE, new_handle: int = _NO_HANDLE) -> Iterator[_Found]:
    for place in _places(old, old_handle, follow=False):
        if os.path.lexists(place):
            yield How.WROTE, place, False
            yield from ((How.WROTE, target, False) for target in _places(new, new_handle, follow=False))


def _linked(_: object, new: object, *handles: int) -> Iterator[_Found]:
    """The last handle is the new name's, for hard links and symbolic ones alike."""
    handle = handles[-1] if handles else _NO_HANDLE
    yield from ((How.WROTE, place, False) for place in _places(new, handle, follow=False))


def _moved(path: object) -> Iterator[_Found]:
    yield from ((How.MOVED, place, False) for place in _places(path))


def _database(name: object) -> Iterator[_Found]:
    """SQLite opens a database to write, unless an address says otherwise: sqlite.org/uri.html."""
    if not isinstance(name, (str, bytes, os.PathLike)):
        return
    address = urlsplit(os.fsdecode(name)) if os.fsdecode(name).startswith("file:") else None
    path = os.fsdecode(name) if address is None else unquote(address.path)
    options = parse_qs("" if address is None else address.query)
    if path in ("", ":memory:") or options.get("mode") == ["memory"]:
        return
    reads = options.get("mode") == ["ro"] or "immutable" in options
    yield from ((How.READ if reads else How.WROTE, place, False) for place in _places(path))


def _connected(_: object, address: object) -> Iterator[_Found]:
    host = address[0] if isinstance(address, tuple) and address else address
    if isinstance(host, (str, bytes)) and host:
        yield How.CONNECTED, os.fsdecode(host), False


def _looked_up(host: object, *_: object) -> Iterator[_Found]:
    if isinstance(host, (str, bytes)) and host:
        yield How.LOOKED_UP, os.fsdecode(host), False


def _started(program: object, *_: object) -> Iterator[_Found]:
    yield How.STARTED, os.fsdecode(program) if isinstance(program, (bytes, os.PathLike)) else str(program), False


def _forked() -> Iterator[_Found]:
    yield How.STARTED, "a copy of itself", False


_READINGS: Mapping[str, Callable[..., Iterable[_Found]]] = MappingProxyType({
    "open": _opened,
    "os.listdir": _listed,
    "os.scandir": _listed,
    "os.mkdir": _made,
    "os.rmdir": _removed,
    "os.remove": _removed,
    "os.rename": _renamed,
    "os.link": _linked,
    "os.symlink": _linked,
    "os.truncate": _written,
    "os.chmod": _written,
    "os.chown": _written,
    "os.utime": _written,
    "os.setxattr": _written,
    "os.removexattr": _written,
    "os.chdir": _moved,
    "sqlite3.connect": _database,
    "socket.connect": _connected,
    "socket.sendto": _connected,
    "socket.sendmsg": _connected,
    "socket.getaddrinfo": _looked_up,
    "socket.gethostbyname": _looked_up,
    "subprocess.Popen": _started,
    "os.system": _started,
    "os.posix_spawn": _started,
    "os.exec": _started,
    "os.fork": _forked,
    "os.forkpty": _forked,
    "pty.spawn": _started,
})  # fmt: skip
HEARD = frozenset(_READINGS)
"""The events that mean anything here."""

_FAILING_WITHOUT = frozenset(("os.rmdir", "os.remove", "os.truncate", "os.chmod", "os.chown", "os.utime", "os.chdir"))
"""These do nothing to what is not there."""


def _is_absolute(path: object) -> bool:
    return isinstance(path, (str, bytes, os.PathLike)) and os.path.isabs(os.fspath(path))


def _places(path: object, handle: int = _NO_HANDLE, *, follow: bool = True) -> Iterator[str]:
    """The one path that is meant, if it can be told: links resolved, but for the last name unless `follow`."""
    with contextlib.suppress(OSError, ValueError):
        if isinstance(path, int):
            yield _of_handle(path)
        elif isinstance(path, (str, bytes, os.PathLike)):
            folder = os.getcwd() if handle == _NO_HANDLE else _of_handle(handle)
            full = os.path.join(folder, os.fsdecode(path))
            parent, name = os.path.split(full.rstrip("/") or "/")
            kept = not follow and name not in ("", ".", "..")
            yield os.path.join(os.path.realpath(parent), name) if kept else os.path.realpath(full)


def _of_handle(handle: int) -> str:
    """Raises OSError where the system does not say, as others than Linux don't."""
    return os.readlink(f"/proc/self/fd/{handle}")


def _look(path: str) -> tuple[int, ...]:
    try:
        found = os.lstat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
