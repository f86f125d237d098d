"""Changes to files that are made ready first, and then take effect in one step each: for several that belong together.

New bytes go to a file of another name in the same folder, are made durable, and take the name in one step. A file
that is replaced keeps its permission bits and, where the system lets it, its owner and its attributes. Nothing is
changed before `commit`; what was committed can be undone until the end of the `with`.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence
from threading import Event
from typing import Protocol

from handrail.runtime.atomic import (
    NO_HARD_LINKS,
    Changed,
    identity,
    keep_what_it_was,
    spare_name,
    unless,
    written,
)
from handrail.runtime.atomic import digest as digest_now
from handrail.runtime.folders import Folder


class Staged(Protocol):
    """A change that is ready."""

    @property
    def mode(self) -> int:
        """Permission bits of the file as it then is."""
        ...

    def commit(self, *, undoable: bool) -> None:
        """Makes the change. Raises Changed and OSError, and then has done nothing."""
        ...

    def undo(self) -> None:
        """Raises Changed and OSError where the file can't be given back what it was."""
        ...

    def sync(self) -> None:
        """Makes the change durable."""
        ...


@contextlib.contextmanager
def replacement(folder: Folder, name: str, data: bytes, digest: str, gone: Event) -> Iterator[Staged]:
    """`data` in place of a file whose SHA-256 is `digest`.

    Raises Changed if the file holds something else, PermissionError if it is read-only, and what `read` raises.
    """
    before = _unchanged(folder, name, digest, gone)
    with written(folder, data, 0o600, gone) as (temporary, handle):
        keep_what_it_was(folder, name, before, handle)
        os.fsync(handle)
        with contextlib.closing(_Replacement(folder, name, before, temporary, handle)) as staged:
            yield staged


@contextlib.contextmanager
def creation(
    folder: Folder, absent: Sequence[str], name: str, data: bytes, mode: int | None, gone: Event
) -> Iterator[Staged]:
    """A new file in the folder that the names of `absent` lead to; those folders are made now.

    They go again if nothing comes into them. `mode` are its permission bits; None leaves them to the umask.
    Its commit raises FileExistsError if the name is taken, however late.
    """
    if len(os.fsencode(folder.path.joinpath(*absent, name))) >= os.pathconf("/", "PC_PATH_MAX"):
        raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))  # we can go there; other programs can't
    with (
        _made_below(folder, absent, gone) as inner,
        written(inner, data, 0o666, gone) as (temporary, handle),
    ):
        if mode is not None:
            os.fchmod(handle, mode & 0o777)
        os.fsync(handle)
        yield _Creation(inner, name, temporary, handle)


@contextlib.contextmanager
def deletion(folder: Folder, name: str, digest: str, gone: Event) -> Iterator[Staged]:
    """No file any more in place of one whose SHA-256 is `digest`. Raises what `replacement` does."""
    with contextlib.closing(_Deletion(folder, name, _unchanged(folder, name, digest, gone))) as staged:
        yield staged


def _unchanged(folder: Folder, name: str, digest: str, gone: Event) -> os.stat_result:
    try:
        found, before = digest_now(folder, name, gone)
    except FileNotFoundError:
        raise Changed from None
    if found != digest:
        raise Changed
    if not folder.may_write(name):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), name)
    return before


@contextlib.contextmanager
def _made_below(folder: Folder, absent: Sequence[str], gone: Event) -> Iterator[Folder]:
    with contextlib.ExitStack() as stack:  # whatever fails on the way, what was made is empty and goes again
        for name in absent:
            unless(gone)
            if _made(folder, name):
                stack.callback(_remove_if_empty, folder, name)
            folder = stack.enter_context(contextlib.closing(folder.subfolder(name)))
        yield folder


def _remove_if_empty(folder: Folder, name: str) -> None:
    with contextlib.suppress(OSError):  # there is something in it, ours or somebody else's
        folder.remove_folder(name)


def _made(folder: Folder, name: str) -> bool:
    """False if it is there already: another call may need the same folder."""
    try:
        folder.make(name)
    except FileExistsError:
        return False
    folder.sync()
    return True


class _Replacement:
    def __init__(self, folder: Folder, name: str, before: os.stat_result, temporary: str, handle: int) -> None:
        self._folder = folder
        self._name = name
        self._before = before
        self._temporary = temporary
        self._handle = handle
        self._old = ""
        """A second name of the old file, once there is one."""

    @property
    def mode(self) -> int:
        return stat.S_IMODE(os.fstat(self._handle).st_mode)

    def commit(self, *, undoable: bool) -> None:
        with self._folder.locked():
            self._replace(undoable=undoable)

    def _replace(self, *, undoable: bool) -> None:
        if identity(self._folder.look(self._name)) != identity(self._before):
            raise Changed
        if undoable:
            spare = spare_name()
            try:
                self._folder.link(self._name, spare)
                self._old = spare
            except OSError as error:
                if error.errno not in NO_HARD_LINKS:
                    raise
        self._folder.rename(self._temporary, self._name)

    def undo(self) -> None:
        if not self._old:
            raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
        _still_ours(self._folder, self._name, self._handle)
        self._folder.rename(self._old, self._name)
        self._old = ""

    def sync(self) -> None:
        self._folder.sync()

    def close(self) -> None:
        _forget(self._folder, self._old)


class _Creation:
    def __init__(self, folder: Folder, name: str, temporary: str, handle: int) -> None:
        self._folder = folder
        self._name = name
        self._temporary = temporary
        self._handle = handle

    @property
    def mode(self) -> int:
        return stat.S_IMODE(os.fstat(self._handle).st_mode)

    def commit(self, *, undoable: bool) -> None:
        try:
            self._folder.link(self._temporary, self._name)
        except OSError as error:
            if error.errno not in NO_HARD_LINKS:
                raise
            # The name is reserved by an empty file of ours, which the rename then replaces.
            os.close(self._folder.open(self._name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            self._folder.rename(self._temporary, self._name)

    def undo(self) -> None:
        _still_ours(self._folder, self._name, self._handle)
        self._folder.remove(self._name)

    def sync(self) -> None:
        self._folder.sync()


class _Deletion:
    def __init__(self, folder: Folder, name: str, before: os.stat_result) -> None:
        self._folder = folder
        self._name = name
        self._before = before
        self._old = ""
        """The name by which the file is still there, once it has lost its own."""

    @property
    def mode(self) -> int:
        return stat.S_IMODE(self._before.st_mode)

    def commit(self, *, undoable: bool) -> None:
        spare = spare_name()
        with self._folder.locked():
            if identity(self._folder.look(self._name)) != identity(self._before):
                raise Changed
            self._folder.rename(self._name, spare)
        self._old = spare

    def undo(self) -> None:
        """Somebody else's file of that name is left alone, and so is the old one, by its other name."""
        spare, self._old = self._old, ""
        try:
            self._folder.link(spare, self._name)
        except OSError as error:
            if error.errno not in NO_HARD_LINKS:
                raise
            os.close(self._folder.open(self._name, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            self._folder.rename(spare, self._name)
        else:
            self._folder.remove(spare)

    def sync(self) -> None:
        self._folder.sync()

    def close(self) -> None:
        _forget(self._folder, self._old)


def _forget(folder: Folder, spare: str) -> None:
    """What can't be removed stays, by a name that nobody else has: the change is made, and no failure."""
    if spare:
        with contextlib.suppress(OSError):
            folder.remove(spare)


def _still_ours(folder: Folder, name: str, handle: int) -> None:
    found, ours = folder.look(name), os.fstat(handle)
    if (found.st_dev, found.st_ino) != (ours.st_dev, ours.st_ino):
        raise Changed
