"""The files of one call: exactly the paths that its effects hold, and nothing a link leads to since.

`WorkspaceFiles` implements `contract.context.Files`. It opens what the facts resolved, by handle and
without following links, so a path that was swapped after the decision is refused, not followed. Disk
work runs in threads; a cancelled call waits for its thread, which stops at the next safe point.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import Literal, TypeVar

from handrail.contract.context import Entry, FileContent, Workspace
from handrail.contract.effects import Effects, PathEffect
from handrail.errors import FileTooLarge, ToolFailed
from handrail.runtime import atomic, file_failures
from handrail.runtime.file_failures import Missing
from handrail.runtime.folders import Folder, deepest
from handrail.runtime.names import shown_name
from handrail.sandbox.finishing import to_the_end

T = TypeVar("T")
Kind = Literal["file", "folder", "other"]


@dataclass(frozen=True, slots=True)
class _Place:
    """A path that the effects hold, as their facts resolved it."""

    anchor: PathEffect
    """Where a link may have been followed: the path itself, or the tree that holds it. Below a tree none is."""
    resolved: Path
    shown: str
    """For messages."""


class WorkspaceFiles:
    """Reads and writes for one call; see `contract.context.Files` for what each method raises."""

    def __init__(self, workspace: Workspace, effects: Effects) -> None:
        self._workspace = workspace
        self._effects = effects

    async def read(self, path: str) -> FileContent:
        place = self._place(path)
        return await self._work(place, lambda gone: _read(place, gone))

    async def scan(self, path: str, take: Callable[[bytes], None]) -> None:
        place = self._place(path)
        await self._work(place, lambda gone: _scan(place, take, gone))

    async def entries(self, path: str) -> Sequence[Entry]:
        place = self._place(path)
        return await self._work(place, lambda gone: _entries(place))

    async def kind(self, path: str) -> Kind | None:
        place = self._place(path)
        return await self._work(place, lambda gone: _kind(place))

    async def exists(self, path: str) -> bool:
        return await self.kind(path) is not None

    async def write(self, path: str, data: bytes, *, replacing: FileContent | None) -> FileContent:
        place = self._place(path, to_write=True)
        if replacing is None:
            is_folder = path.endswith(("/", "/."))
            return await self._work(place, lambda gone: _create(place, data, gone, is_folder=is_folder))
        return await self._work(place, lambda gone: _replace(place, data, replacing.digest, gone))

    def _place(self, path: str, *, to_write: bool = False) -> _Place:
        named = self._workspace.absolute(path)
        shown = shown_name(self._workspace.shown(named))
        if "\0" in path:
            raise ToolFailed(f"{shown} holds a NUL character, which no path can. Correct the path.")
        held = self._effects.writes if to_write else self._effects.writes | self._effects.reads
        places = [place for effect in held if (place := _held_by(effect, named, shown)) is not None]
        if places:
            return max(places, key=lambda place: len(place.anchor.named.parts))  # the nearest knows best
        if self._effects.certainty == "unknown":
            resolved = Path(os.path.realpath(named))
            return _Place(PathEffect(named, resolved), resolved, shown)
        raise ToolFailed(
            f"{shown} is not among the paths that this call said it would {'write' if to_write else 'read'}; "
            "nothing was done. This is a fault of the tool: its effects don't name that path."
        )

    async def _work(self, place: _Place, work: Callable[[Event], T]) -> T:
        gone = Event()
        return await to_the_end(asyncio.to_thread(self._attempt, place, work, gone), on_cancel=gone.set)

    def _attempt(self, place: _Place, work: Callable[[Event], T], gone: Event) -> T:
        """Runs in a thread. Raises ToolFailed, in words, for whatever the file system answers."""
        try:
            if Path(os.path.realpath(place.anchor.named)) != place.anchor.resolved:
                raise ToolFailed(file_failures.moved(place.shown))
            return work(gone)
        except Missing as error:
            raise ToolFailed(file_failures.missing(self._workspace, place.shown, error)) from None
        except atomic.NotAFile as error:
            raise ToolFailed(file_failures.not_a_file(place.shown, error.mode)) from None
        except atomic.TooLarge as error:
            if error.size is None:
                raise ToolFailed(file_failures.no_end(place.shown, error.most)) from None
            raise FileTooLarge(file_failures.too_large(place.shown, error.size, error.most)) from None
        except atomic.Changed:
            raise ToolFailed(file_failures.changed(place.shown)) from None
        except atomic.Abandoned:
            raise ToolFailed(f"{place.shown} was left as it was: the call was cancelled.") from None
        except OSError as error:
            raise ToolFailed(file_failures.refused(place.shown, error)) from error


def _held_by(effect: PathEffect, named: Path, shown: str) -> _Place | None:
    if os.path.normpath(named) == os.path.normpath(effect.named):
        return _Place(PathEffect(named, effect.resolved), effect.resolved, shown)
    if effect.scope == "tree" and named.is_relative_to(effect.named):
        below = named.relative_to(effect.named)
        return None if ".." in below.parts else _Place(effect, effect.resolved / below, shown)
    return None


@contextlib.contextmanager
def _parent(place: _Place) -> Iterator[tuple[Folder, tuple[str, ...], str]]:
    """The folder the path is in, or the deepest on the way; the names missing between; the last name."""
    if not place.resolved.name:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    with deepest(place.resolved.parent) as (folder, absent):
        yield folder, absent, place.resolved.name


@contextlib.contextmanager
def _there(place: _Place) -> Iterator[tuple[Folder, str]]:
    """The folder that the path is in, and its last name. Raises Missing."""
    with _parent(place) as (folder, absent, name):
        if absent or not _has(folder, name):
            raise Missing(folder, (*absent, name))
        yield folder, name


def _read(place: _Place, gone: Event) -> FileContent:
    with _there(place) as (folder, name):
        data, found = atomic.read(folder, name, gone)
    digest, mode = hashlib.sha256(data).hexdigest(), stat.S_IMODE(found.st_mode)
    return FileContent(place.resolved, data, digest, mode, found.st_nlink)


def _scan(place: _Place, take: Callable[[bytes], None], gone: Event) -> None:
    with _there(place) as (folder, name):
        atomic.scan(folder, name, take, gone)


def _entries(place: _Place) -> Sequence[Entry]:
    with deepest(place.resolved) as (folder, absent):
        if absent:
            raise Missing(folder, absent)
        return folder.entries()


def _kind(place: _Place) -> Kind | None:
    if not place.resolved.name:
        return "folder"
    with _parent(place) as (folder, absent, name):
        if absent or not _has(folder, name):
            return None
        mode = folder.look(name).st_mode
        return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def _replace(place: _Place, data: bytes, digest: str, gone: Event) -> FileContent:
    with _parent(place) as (folder, absent, name):
        if absent:
            raise atomic.Changed
        mode = atomic.replace(folder, name, data, digest, gone)
    return FileContent(place.resolved, data, hashlib.sha256(data).hexdigest(), mode)


def _create(place: _Place, data: bytes, gone: Event, *, is_folder: bool) -> FileContent:
    """`is_folder`: by its name, it would have to be one."""
    with _parent(place) as (folder, absent, name):
        if not absent and _has(folder, name):
            atomic.require_regular(folder.look(name))
        elif is_folder:
            raise ToolFailed(file_failures.no_name(place.shown))
        mode = atomic.create_below(folder, absent, name, data, gone)
    return FileContent(place.resolved, data, hashlib.sha256(data).hexdigest(), mode)


def _has(folder: Folder, name: str) -> bool:
    try:
        folder.look(name)
    except FileNotFoundError:
        return False
    return True
