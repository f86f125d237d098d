"""Write a whole file: a new one, or in place of what was there."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from handrail.contract.confirmation import EditConfirmation
from handrail.contract.context import FileLedger, FileReader, Files, Workspace
from handrail.contract.results import DiffDisplay, ToolResult
from handrail.contract.tool import Kind, Tool, Writes
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.text.beside import beside_the_loop
from handrail.tools.text.changing import Change, created, line_count, refuse_stale, rewritten
from handrail.tools.text.counting import counted
from handrail.tools.text.links import links_note


class Params(Parameters):
    file_path: Annotated[str, Writes()] = Field(description="The file. A relative path starts at the workspace.")
    content: str = Field(description="All that the file is to hold.")


class WriteFile(Tool[Params]):
    name = "write_file"
    title = "Write a file"
    kind = Kind.EDIT
    description = description_of("write_file")

    def describe(self, params: Params) -> str:
        return f"Write {params.file_path} ({counted(line_count(params.content), 'line')})"

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> EditConfirmation:
        change = await _planned(params, files, workspace)
        return EditConfirmation(self.describe(params), workspace.absolute(params.file_path), change.old, change.new)

    async def run(self, params: Params, files: Files, ledger: FileLedger, workspace: Workspace) -> ToolResult:
        change = await _planned(params, files, workspace, ledger)
        if change.before is not None and change.before.data == change.data:
            ledger.note(change.before)
            return ToolResult.of_text(change.done)
        ledger.note(await files.write(params.file_path, change.data, replacing=change.before))
        display = DiffDisplay(workspace.absolute(params.file_path), change.old, change.new)
        return ToolResult.of_text(change.done + links_note(change.before), display=display)


async def _planned(params: Params, files: FileReader, workspace: Workspace, ledger: FileLedger | None = None) -> Change:
    """`ledger` is None where nothing is written yet, but only shown."""
    shown = shown_name(workspace.shown(workspace.absolute(params.file_path)))
    if not await files.exists(params.file_path):
        return await beside_the_loop(created, params.content, shown)
    before = await files.read(params.file_path)
    if ledger is not None:
        refuse_stale(before, ledger, shown)
    return await beside_the_loop(rewritten, before, params.content, shown)
