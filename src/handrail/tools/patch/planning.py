"""What becomes of each file that a patch names, planned in full before any is changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from handrail.contract.context import FileChange, FileContent, FileLedger, FileReader, Workspace
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.runtime.names import shown_name
from handrail.tools.patch.envelope import AddFile, DeleteFile, Section, UpdateFile
from handrail.tools.patch.hunks import patched
from handrail.tools.text.beside import beside_the_loop
from handrail.tools.text.changing import as_shown, created, encoded, refuse_stale
from handrail.tools.text.counting import counted
from handrail.tools.text.encoding import as_text
from handrail.tools.text.omissions import refuse_omissions
from handrail.tools.text.placeholders import refuse_placeholders


@value
class PlannedFile:
    path: str
    change: FileChange
    old: str | None
    """As text for people; None for a new file."""
    new: str | None
    """None for one that goes."""
    done: str
    """What was done, for the model; empty where another file's says it."""


async def planned(
    found: Sequence[Section], files: FileReader, workspace: Workspace, ledger: FileLedger | None = None
) -> tuple[PlannedFile, ...]:
    """Raises ToolFailed, in words, for the first that does not fit. `ledger` is None where all is only shown."""
    planner = _Planner(files, workspace, ledger)
    plan = [file for section in found for file in await planner.section(section)]
    return tuple(plan)


class _Planner:
    def __init__(self, files: FileReader, workspace: Workspace, ledger: FileLedger | None) -> None:
        self._files = files
        self._workspace = workspace
        self._ledger = ledger
        self._names: dict[Path, str] = {}
        """The files that were read, with links resolved, as the patch names them."""

    async def section(self, section: Section) -> Sequence[PlannedFile]:
        match section:
            case AddFile(path, text):
                return [await self._added(path, text)]
            case DeleteFile(path):
                before = await self._read(path)
                done = f"Deleted {self._shown(path)}."
                text = await beside_the_loop(as_shown, before)
                return [PlannedFile(path, FileChange(path, before, None), text, None, done)]
            case UpdateFile(path, to):
                return await self._moved(section, to) if to is not None else [await self._updated(section)]

    async def _added(self, path: str, text: str) -> PlannedFile:
        shown = self._shown(path)
        await self._refuse_taken(path)
        new = await beside_the_loop(created, text, shown)
        return PlannedFile(path, FileChange(path, None, new.data), None, text, new.done)

    async def _updated(self, section: UpdateFile) -> PlannedFile:
        shown = self._shown(section.path)
        before = await self._read(section.path)
        old, new, data = await beside_the_loop(_with_hunks, before, section, shown)
        if data == before.data:
            raise ToolFailed(f"{shown} would not change: what the hunks take away and add is the same.")
        done = f"Changed {shown} ({counted(len(section.hunks), 'hunk')})."
        return PlannedFile(section.path, FileChange(section.path, before, data), old, new, done)

    async def _moved(self, section: UpdateFile, to: str) -> Sequence[PlannedFile]:
        shown = self._shown(section.path)
        before = await self._read(section.path)
        await self._refuse_taken(to)
        old, new, data = await beside_the_loop(_moving, before, section, shown)
        changed = f", and changed it ({counted(len(section.hunks), 'hunk')})" if section.hunks else ""
        done = f"Moved {shown} to {self._shown(to)}{changed}."
        return [
            PlannedFile(to, FileChange(to, None, data, before.mode), None, new, done),
            PlannedFile(section.path, FileChange(section.path, before, None), old, None, ""),
        ]

    async def _read(self, path: str) -> FileContent:
        before = await self._files.read(path)
        if (other := self._names.setdefault(before.path, path)) != path:
            raise ToolFailed(
                f"{self._shown(path)} and {self._shown(other)} are one file: a link leads there. Put all its changes "
                "into one section."
            )
        if self._ledger is not None:
            refuse_stale(before, self._ledger, self._shown(path))
        return before

    async def _refuse_taken(self, path: str) -> None:
        if await self._files.exists(path):
            raise ToolFailed(
                f"{self._shown(path)} is there already, and a patch does not write over it. Update that file, or take "
                "another path."
            )

    def _shown(self, path: str) -> str:
        return shown_name(self._workspace.shown(self._workspace.absolute(path)))


def _with_hunks(before: FileContent, section: UpdateFile, shown: str) -> tuple[str, str, bytes]:
    """The text before and after, and the bytes after."""
    file = as_text(before.data)
    if file is None:
        raise ToolFailed(f"{shown} is binary, {counted(len(before.data), 'byte')}, and can't be patched.")
    for hunk in section.hunks:
        new, old = "\n".join(hunk.new), "\n".join(hunk.old)
        refuse_placeholders(new, before, shown)
        refuse_omissions(new, old, shown)
    text = patched(file.text, section.hunks, shown)
    return file.text, text, encoded(file, text, shown)


def _moving(before: FileContent, section: UpdateFile, shown: str) -> tuple[str, str, bytes]:
    """The same of a file that moves, and need not change."""
    if section.hunks:
        return _with_hunks(before, section, shown)
    text = as_shown(before)
    return text, text, before.data
