"""Apply a patch to several files: add, change, move and delete, all or none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from pydantic import Field

from handrail.contract.confirmation import Confirmation, EditConfirmation, PatchConfirmation
from handrail.contract.context import FileLedger, FileReader, Files, Workspace
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import DiffDisplay, Display, PatchDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.patch.envelope import BadPatch, DeleteFile, Section, UpdateFile, sections
from handrail.tools.patch.planning import PlannedFile, planned
from handrail.tools.text.links import links_note

MOST_FILES = 200
"""In one patch: each is held open until all are ready."""


class Params(Parameters):
    input: str = Field(description="The whole patch, from `*** Begin Patch` to `*** End Patch`.")


class ApplyPatch(Tool[Params]):
    name = "apply_patch"
    title = "Apply a patch"
    kind = Kind.EDIT
    description = description_of("apply_patch")

    def describe(self, params: Params) -> str:
        try:
            paths = [section.path for section in sections(params.input)]
        except BadPatch:
            return "Apply a patch"
        return f"Patch {paths[0]}" if len(paths) == 1 else f"Patch {len(paths)} files: {', '.join(paths)}"

    def effects(self, params: Params) -> Claims:
        """All paths are written. What can't be read may touch anything: it goes no further than `check`."""
        try:
            found = sections(params.input)
        except BadPatch:
            return Claims.unknown()
        destructive = any(isinstance(section, DeleteFile) for section in found)
        return Claims(writes=tuple(map(PathClaim, _paths(found))), destructive=destructive)

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        try:
            found = sections(params.input)
        except BadPatch as error:
            return f"{error} Nothing was changed."
        if len(found) > MOST_FILES:
            return f"The patch has {len(found):,} files; at most {MOST_FILES} are changed at once. Make several of it."
        if (twice := _named_twice(found, workspace)) is not None:
            return f"The patch names {twice} more than once. Put all changes of a file into one section."
        if (both := _file_and_folder(found, workspace)) is not None:
            return f"The patch has {both[0]} as a file, and {both[1]} as a file in it. Correct one of the two paths."
        return None

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> Confirmation:
        plan = await planned(sections(params.input), files, workspace)
        title = self.describe(params)
        shown = tuple(EditConfirmation(title, workspace.absolute(file.path), file.old, file.new) for file in plan)
        return shown[0] if len(shown) == 1 else PatchConfirmation(title, shown)

    async def run(self, params: Params, files: Files, ledger: FileLedger, workspace: Workspace) -> ToolResult:
        plan = await planned(sections(params.input), files, workspace, ledger)
        for content in await files.change([file.change for file in plan]):
            if content is not None:
                ledger.note(content)
        said = [file.done + links_note(file.change.before) for file in plan if file.done]
        return ToolResult.of_text("\n".join(said), display=_display(plan, workspace))


def _paths(found: Sequence[Section]) -> Iterator[str]:
    for section in found:
        yield section.path
        if isinstance(section, UpdateFile) and section.to is not None:
            yield section.to


def _named_twice(found: Sequence[Section], workspace: Workspace) -> str | None:
    seen: set[str] = set()
    for path in _paths(found):
        absolute = os.path.normpath(workspace.absolute(path))
        if absolute in seen:
            return path
        seen.add(absolute)
    return None


def _file_and_folder(found: Sequence[Section], workspace: Workspace) -> tuple[str, str] | None:
    named = {os.path.normpath(workspace.absolute(path)): path for path in _paths(found)}
    for absolute, path in named.items():
        above = next((named[str(folder)] for folder in Path(absolute).parents if str(folder) in named), None)
        if above is not None:
            return above, path
    return None


def _display(plan: Sequence[PlannedFile], workspace: Workspace) -> Display:
    diffs = tuple(DiffDisplay(workspace.absolute(file.path), file.old, file.new) for file in plan)
    return diffs[0] if len(diffs) == 1 else PatchDisplay(diffs)
