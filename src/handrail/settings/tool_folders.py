"""Folders of tool files: the person's own, those that they name, and `.handrail/tools` of the workspace.

What is hashed, trusted and loaded is the same text: a file is read once, and nobody opens it again to run it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.settings.folder_content import FolderContent, read_folder
from handrail.settings.merging import Setting
from handrail.settings.opening import Opener, Place
from handrail.settings.origin import Given, Layer, Origin
from handrail.settings.places import WORKSPACE_FOLDER, Folders
from handrail.settings.reading import Unreadable, read_in_workspace, read_own
from handrail.settings.trust import TrustKey, TrustKind
from handrail.settings.waiting import Waiting

FOLDER = "tools"
"""Below `.handrail` of a workspace, and below the folders of the person and of the system."""

MOST_FILES = 200
"""Tool files in one folder: more tools than any model is shown."""


@value
class ToolPlace:
    """Where tool files may lie."""

    place: Place
    workspace: Path
    state: Path
    """Where trust is kept."""
    named: bool = False
    """Somebody named it, so it should be there; one of the usual places need not be."""

    @property
    def name(self) -> str:
        """The folder as people see it named."""
        return self.place.origin.name


@value
class ToolFile:
    """The text of one tool file, as it was read."""

    path: Path
    name: str
    """As people see it named."""
    text: str


@value
class ToolFolder:
    """One folder as it was read: its files where they may be loaded, else what waits for trust."""

    place: ToolPlace
    is_there: bool = False
    files: tuple[ToolFile, ...] = ()
    """By name."""
    waiting: Waiting | None = None
    trusted: TrustKey | None = None
    """What a person said yes to, as it is now."""
    problems: tuple[str, ...] = ()
    """For people, a line each: what is left out."""


def find_tool_folders(opener: Opener, folders: Folders, listed: Setting) -> tuple[ToolFolder, ...]:
    """From what wins to what yields: what came with a workspace never takes the name of what the person has.

    Blocks. Raises UsageError for a folder of the command line that isn't there: whoever named it is there.
    """
    found: dict[str, ToolFolder] = {}
    for place in _places(opener, folders, listed):
        real = os.path.realpath(place.place.path)
        if real not in found:
            found[real] = read_tools(place, opener)
    return tuple(found.values())


def _places(opener: Opener, folders: Folders, listed: Setting) -> Iterator[ToolPlace]:
    for given in reversed(listed.held):
        for place in _listed(given):
            yield ToolPlace(place, opener.workspace, opener.state, named=True)
    ours = Path(WORKSPACE_FOLDER, FOLDER)
    usual = (
        Place(folders.user / FOLDER, Origin(Layer.USER, str(folders.user / FOLDER))),
        Place(folders.system / FOLDER, Origin(Layer.SYSTEM, str(folders.system / FOLDER))),
        Place(opener.workspace / ours, Origin(Layer.PROJECT, ours.as_posix())),
    )
    yield from (ToolPlace(place, opener.workspace, opener.state) for place in usual)


def _listed(given: Given) -> Iterator[Place]:
    for path in given.value if isinstance(given.value, tuple) else ():
        if given.origin.layer is Layer.FLAG and not os.path.isdir(path):
            raise UsageError(f"{given.origin} {path} is not a folder; name one that exists")
        yield Place(path.absolute(), Origin(given.origin.layer, str(path)))


def read_tools(place: ToolPlace, opener: Opener | None = None) -> ToolFolder:
    """The folder as it is now. `opener` None reads anew what is trusted. Blocks; never raises."""
    opener = opener or Opener(place.workspace, place.state)
    try:
        names = _names(place.place.path)
        if names is None:
            gone = f"{place.name} is not a folder; no tools come from it"
            return ToolFolder(place, problems=(gone,) if place.named else ())
        if place.place.origin.layer.is_of_workspace:
            return _of_workspace(place, names, opener)
        return _of_person(place, names)
    except Unreadable as error:
        return ToolFolder(place, is_there=True, problems=(f"{place.name} {error}",))


def _names(folder: Path) -> tuple[str, ...] | None:
    """Its tool files; those that begin with `_` or `.` are none. None where there is no such folder."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(e.name for e in entries if e.name.endswith(".py") and e.name[0] not in "._" and e.is_file())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Unreadable(f"can't be read: {error.strerror}") from error
    if len(found) > MOST_FILES:
        raise Unreadable(f"holds more than {MOST_FILES} tool files; none is loaded")
    return tuple(found)


def _of_person(place: ToolPlace, names: tuple[str, ...]) -> ToolFolder:
    """Theirs, unless somebody else could have written it; a folder that they name here and now is their word."""
    files, problems = [], []
    believed = place.place.origin.layer in (Layer.FLAG, Layer.ENVIRONMENT)
    for name in names:
        path, shown = place.place.path / name, f"{place.name}/{name}"
        try:
            found = read_own(path)
        except Unreadable as error:
            problems.append(f"{shown} {error}")
            continue
        if found is not None and found.doubt and not believed:
            problems.append(f"{found.doubt}; until then its tools are left out")
        elif found is not None:
            files.append(ToolFile(path, shown, found.text.removeprefix("\ufeff")))
    return ToolFolder(place, True, tuple(files), problems=tuple(problems))


def _of_workspace(place: ToolPlace, names: tuple[str, ...], opener: Opener) -> ToolFolder:
    """A yes is to the whole folder: a tool may read, or run, whatever lies beside it."""
    real = Path(os.path.realpath(place.place.path))
    root = os.path.realpath(place.workspace)
    if not real.is_relative_to(root):
        raise Unreadable("is a link out of the workspace; put a folder in its place")
    content = read_folder(real)
    texts: dict[str, str] = {}
    problems = []
    for name in names:
        try:
            found = read_in_workspace(real / name, place.workspace)
        except Unreadable as error:
            problems.append(f"{place.name}/{name} {error}")
            continue
        if found is None or content.digest_of(name) != found.digest:
            raise Unreadable("was changed while it was read; it is read again before the next turn")
        texts[name] = found.text.removeprefix("\ufeff")
    if not texts:
        return ToolFolder(place, True, problems=tuple(problems))
    key = TrustKey(root, TrustKind.TOOLS, Path(os.path.relpath(real, root)).as_posix(), content.digest)
    if not opener.book.trusts(key):
        would = tuple(f"{name}: runs it in this process, and offers the tools that it defines" for name in texts)
        return ToolFolder(place, True, waiting=Waiting(key, place.name, _shown(texts, content), would))
    files = (ToolFile(place.place.path / name, f"{place.name}/{name}", text) for name, text in texts.items())
    return ToolFolder(place, True, tuple(files), trusted=key, problems=tuple(problems))


def _shown(texts: dict[str, str], content: FolderContent) -> str:
    """All that the yes is to: tool files whole, what else lies there by its digest."""
    parts = [f"--- {name}\n{text.rstrip()}\n" for name, text in texts.items()]
    others = [f"{file.digest}  {file.size:>9} bytes  {file.path}" for file in content.files if file.path not in texts]
    if others:
        parts += ["--- and these files beside them, by SHA-256:\n", *(f"{line}\n" for line in others)]
    return "".join(parts)
