"""Open folders: what is in one is reached by name through its handle, and no link is ever followed.

A path with its links resolved is walked component by component from the root. If somebody puts a link
in the way after the path was looked at, the walk stops there instead of going where the link leads.
Needs `openat` and its like: POSIX.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from handrail.contract.context import Entry

_PASS_THROUGH = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY
"""Linux lets a folder be passed through that may be searched but not listed."""
_ALWAYS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
"""A link or a FIFO that took the place of a file is neither followed nor waited for."""
_NOT_SYNCED = frozenset({errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
"""What file systems answer whose folders need no sync, or have none."""


class LinkInTheWay(OSError):
    """A link stands where the resolved path had none."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.ELOOP, os.strerror(errno.ELOOP), str(path))


class Folder:
    """A folder, held open. Names are single components; every method raises OSError."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self._handle = handle

    @classmethod
    def root(cls) -> Folder:
        return cls(Path("/"), os.open("/", _PASS_THROUGH))

    def close(self) -> None:
        os.close(self._handle)

    def look(self, name: str) -> os.stat_result:
        """At the entry itself; a link is not followed."""
        return os.stat(name, dir_fd=self._handle, follow_symlinks=False)

    def subfolder(self, name: str) -> Folder:
        if stat.S_ISLNK(self.look(name).st_mode):
            raise LinkInTheWay(self.path / name)
        return Folder(self.path / name, self.open(name, _PASS_THROUGH))

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        return os.open(name, flags | _ALWAYS, mode, dir_fd=self._handle)

    def entries(self) -> list[Entry]:
        """What is in it, in order of the names; what goes away meanwhile is left out."""
        entries: list[Entry] = []
        with self._listing() as listing, os.scandir(listing) as found:
            for item in found:
                with contextlib.suppress(FileNotFoundError):
                    entries.append(self._entry(item))
        return sorted(entries, key=lambda entry: entry.name)

    def _entry(self, item: os.DirEntry[str]) -> Entry:
        kind = _kind(item)
        size = self.look(item.name).st_size if kind == "file" else 0
        return Entry(item.name, kind, size, os.readlink(item.name, dir_fd=self._handle) if kind == "link" else "")

    def names(self) -> list[str]:
        with self._listing() as listing:
            return sorted(os.listdir(listing))

    def make(self, name: str) -> None:
        os.mkdir(name, dir_fd=self._handle)

    def remove(self, name: str) -> None:
        os.unlink(name, dir_fd=self._handle)

    def remove_folder(self, name: str) -> None:
        os.rmdir(name, dir_fd=self._handle)

    def rename(self, name: str, to: str) -> None:
        """Takes the place of what is called `to`, in one step."""
        os.replace(name, to, src_dir_fd=self._handle, dst_dir_fd=self._handle)

    def link(self, name: str, to: str) -> None:
        """Gives the file a second name; raises FileExistsError if that is taken."""
        os.link(name, to, src_dir_fd=self._handle, dst_dir_fd=self._handle, follow_symlinks=False)

    def may_write(self, name: str) -> bool:
        return os.access(name, os.W_OK, dir_fd=self._handle)

    def sync(self) -> None:
        """Makes the names in it durable."""
        with self._listing() as listing:
            try:
                os.fsync(listing)
            except OSError as error:
                if error.errno not in _NOT_SYNCED:
                    raise

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """One at a time, of all that ask for it, in any process; where the file system has no locks, without.

        For the moment between a last look at a name and its change.
        """
        with self._listing() as listing:
            with contextlib.suppress(OSError):
                fcntl.flock(listing, fcntl.LOCK_EX)
            yield  # closing it gives the lock back

    @contextlib.contextmanager
    def _listing(self) -> Iterator[int]:
        listing = self.open(".", os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield listing
        finally:
            os.close(listing)


def _kind(item: os.DirEntry[str]) -> Literal["file", "folder", "link", "other"]:
    if item.is_symlink():
        return "link"
    if item.is_dir(follow_symlinks=False):
        return "folder"
    return "file" if item.is_file(follow_symlinks=False) else "other"


@contextlib.contextmanager
def deepest(path: Path) -> Iterator[tuple[Folder, tuple[str, ...]]]:
    """The deepest folder on the way to `path` that exists, and the names from there on that don't.

    `path` is absolute, with its links resolved. Raises LinkInTheWay for a link, NotADirectoryError for a file.
    """
    folder, missing = Folder.root(), path.parts[1:]
    try:
        while missing:
            try:
                inner = folder.subfolder(missing[0])
            except FileNotFoundError:
                break
            folder.close()
            folder, missing = inner, missing[1:]
        yield folder, missing
    finally:
        folder.close()
