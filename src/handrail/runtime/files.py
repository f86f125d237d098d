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
from functools import partial
from pathlib import Path
from threading import Event
from typing import Literal, TypeVar

from handrail.contract.context import Entry, FileChange, FileContent, Workspace
from handrail.contract.effects import Effects, PathEffect
from handrail.contract.values import value
from handrail.errors import FileTooLarge, ToolFailed
from handrail.runtime import atomic, file_failures, staging
from handrail.runtime.file_failures import Missing
from handrail.runtime.folders import Folder, deepest
from handrail.runtime.names import shown_name
from handrail.runtime.staging import Staged
from handrail.runtime.together import NOTHING, Ready, carry_out
from handrail.sandbox.finishing import to_the_end

T = TypeVar("T")
Kind = Literal["file", "folder", "other"]


@value
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
        (content,) = await self.change([FileChange(path, replacing, data)])
        if content is None:
            raise AssertionError("a file that was written is there")
        return content

    async def change(self, changes: Sequence[FileChange]) -> Sequence[FileContent | None]:
        places = [self._place(change.path, to_write=True) for change in changes]
        gone = Event()
        work = asyncio.to_thread(self._together, list(zip(places, changes, strict=True)), gone)
        return await to_the_end(work, on_cancel=gone.set)

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
        """Runs in a thread."""
        with self._in_words(place):
            return work(gone)

    def _together(self, changes: Sequence[tuple[_Place, FileChange]], gone: Event) -> Sequence[FileContent | None]:
        """Runs in a thread. Nothing is changed before all is ready; what goes, goes last."""
        with contextlib.ExitStack() as stack:
            try:
                ready = [self._ready(stack, place, change, gone) for place, change in changes]
                with self._in_words(changes[0][0]):
                    atomic.unless(gone)
            except ToolFailed as error:
                raise error if len(changes) == 1 else ToolFailed(f"{error} {NOTHING}") from None
            carry_out(ready)
            return [
                None if change.data is None else _content(place.resolved, change.data, each.staged.mode)
                for (place, change), each in zip(changes, ready, strict=True)
            ]

    def _ready(self, stack: contextlib.ExitStack, place: _Place, change: FileChange, gone: Event) -> Ready:
        with self._in_words(place):
            staged = stack.enter_context(_staged(place, change, gone))
            return Ready(place.shown, staged, partial(self._in_words, place), change.data is None)

    @contextlib.contextmanager
    def _in_words(self, place: _Place) -> Iterator[None]:
        """Raises ToolFailed, in words, for whatever the file system answers."""
        try:
            if Path(os.path.realpath(place.anchor.named)) != place.anchor.resolved:
                raise ToolFailed(file_failures.moved(place.shown))
            yield
        except Missing as error:
            raise ToolFailed(file_failures.missing(self._workspace, place.shown, error)) from None
        except atomic.NotAFile as error:
            if stat.S_ISLNK(error.mode):
                raise ToolFailed(file_failures.a_link(place.shown, place.resolved)) from None
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


def _content(path: Path, data: bytes, mode: int) -> FileContent:
    return FileContent(path, data, hashlib.sha256(data).hexdigest(), mode)


@contextlib.contextmanager
def _staged(place: _Place, change: FileChange, gone: Event) -> Iterator[Staged]:
    with _parent(place) as (folder, absent, name):
        if change.before is None:
            if not absent and _has(folder, name):
                atomic.require_regular(folder.look(name))
            elif change.path.endswith(("/", "/.")):
                raise ToolFailed(file_failures.no_name(place.shown))
            with staging.creation(folder, absent, name, change.data or b"", change.mode, gone) as staged:
                yield staged
            return
        if absent:
            raise atomic.Changed
        if change.data is not None:
            with staging.replacement(folder, name, change.data, change.before.digest, gone) as staged:
                yield staged
            return
        if place.anchor.named.is_symlink():
            raise ToolFailed(file_failures.only_a_link(place.shown))
        with staging.deletion(folder, name, change.before.digest, gone) as staged:
            yield staged


def _has(folder: Folder, name: str) -> bool:
    try:
        folder.look(name)
    except FileNotFoundError:
        return False
    return True
