"""Replace exact text in a file, at one place or several, and leave every other byte as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from handrail.contract.confirmation import EditConfirmation
from handrail.contract.context import FileLedger, FileReader, Files, Workspace
from handrail.contract.results import DiffDisplay, ToolResult
from handrail.contract.tool import Kind, Tool, Writes
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.text.beside import beside_the_loop
from handrail.tools.text.changing import Change, created, refuse_stale
from handrail.tools.text.counting import counted
from handrail.tools.text.editing import edited
from handrail.tools.text.links import links_note
from handrail.tools.text.replacing import Edit


class EditParams(BaseModel):
    model_config = ConfigDict(extra="forbid", defer_build=True)

    old_string: str = Field(min_length=1, description="The text to replace, exactly as in the file.")
    new_string: str = Field(description="The text to put in its place, written exactly as given.")
    replace_all: bool = Field(default=False, description="Replace every occurrence, not just a single one.")
    expected_count: int | None = Field(
        default=None, ge=1, description="How often old_string must occur. All are replaced; any other number fails."
    )


class Params(Parameters):
    file_path: Annotated[str, Writes()] = Field(description="The file. A relative path starts at the workspace.")
    old_string: str | None = Field(
        default=None,
        description="The text to replace, exactly as in the file. Empty only to create a file or fill an empty one.",
    )
    new_string: str | None = Field(default=None, description="The text to put in its place, written exactly as given.")
    replace_all: bool = Field(default=False, description="Replace every occurrence, not just a single one.")
    expected_count: int | None = Field(
        default=None, ge=1, description="How often old_string must occur. All are replaced; any other number fails."
    )
    edits: list[EditParams] | None = Field(
        default=None,
        min_length=1,
        description="Several edits at once, instead of old_string and new_string. All are made, or none.",
    )

    @model_validator(mode="after")
    def _one_way_of_saying_it(self) -> Params:
        single = (self.old_string, self.new_string)
        if self.edits is None and None in single:
            raise ValueError("give old_string and new_string, or edits")
        if self.edits is not None and (single != (None, None) or self.replace_all or self.expected_count is not None):
            raise ValueError("give old_string and new_string, or edits, but not both")
        return self

    @property
    def wanted(self) -> Sequence[Edit]:
        if self.edits is None:
            return (Edit(self.old_string or "", self.new_string or "", self.replace_all, self.expected_count),)
        return [Edit(each.old_string, each.new_string, each.replace_all, each.expected_count) for each in self.edits]


class EditFile(Tool[Params]):
    name = "edit_file"
    title = "Edit a file"
    kind = Kind.EDIT
    description = description_of("edit_file")

    def describe(self, params: Params) -> str:
        several = f" ({counted(len(params.edits), 'edit')})" if params.edits is not None else ""
        return f"Edit {params.file_path}{several}"

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        for edit in params.wanted:
            if edit.old == edit.new:
                return (
                    "old_string and new_string are the same, so nothing would change. Give the text you want instead."
                )
            if not edit.old and (edit.every or edit.count is not None):
                return "old_string must not be empty with replace_all or expected_count. Give the text to replace."
        return None

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> EditConfirmation:
        change = await _planned(params, files, workspace)
        return EditConfirmation(self.describe(params), workspace.absolute(params.file_path), change.old, change.new)

    async def run(self, params: Params, files: Files, ledger: FileLedger, workspace: Workspace) -> ToolResult:
        change = await _planned(params, files, workspace, ledger)
        ledger.note(await files.write(params.file_path, change.data, replacing=change.before))
        display = DiffDisplay(workspace.absolute(params.file_path), change.old, change.new)
        return ToolResult.of_text(change.done + links_note(change.before), display=display)


async def _planned(params: Params, files: FileReader, workspace: Workspace, ledger: FileLedger | None = None) -> Change:
    shown = shown_name(workspace.shown(workspace.absolute(params.file_path)))
    edits = params.wanted
    if not edits[0].old and not await files.exists(params.file_path):
        return await beside_the_loop(created, edits[0].new, shown)
    before = await files.read(params.file_path)
    if ledger is not None:
        refuse_stale(before, ledger, shown)
    return await beside_the_loop(edited, before, edits, shown)
