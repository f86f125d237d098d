"""Replace exact text in a file, and leave every other byte as it is."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from handrail.contract.confirmation import EditConfirmation
from handrail.contract.context import FileContent, FileReader, Files, Workspace
from handrail.contract.results import DiffDisplay, ToolResult
from handrail.contract.tool import Kind, Tool, Writes
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.read_file import lines_of
from handrail.tools.text.counting import counted
from handrail.tools.text.encoding import TextFile, Unencodable, as_text
from handrail.tools.text.links import links_note
from handrail.tools.text.nearest import has_line_numbers, nearest
from handrail.tools.text.placeholders import refuse_placeholders
from handrail.tools.text.replacing import NotFound, NotUnique, Replaced, replace


class Params(Parameters):
    file_path: Annotated[str, Writes()] = Field(description="The file. A relative path starts at the workspace.")
    old_string: str = Field(
        description="The text to replace, exactly as in the file. Empty only to create a file or fill an empty one."
    )
    new_string: str = Field(description="The text to put in its place, written exactly as given.")
    replace_all: bool = Field(default=False, description="Replace every occurrence, not just a single one.")


@value
class _Plan:
    before: FileContent | None
    old: str | None
    """As text for people; None for a new file."""
    new: str
    data: bytes
    done: str
    """What was done, for the model; a sentence."""


class EditFile(Tool[Params]):
    name = "edit_file"
    title = "Edit a file"
    kind = Kind.EDIT
    aliases = ("Edit",)
    description = description_of("edit_file")

    def describe(self, params: Params) -> str:
        return f"Edit {params.file_path}"

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        if params.old_string == params.new_string:
            return "old_string and new_string are the same, so nothing would change. Give the text you want instead."
        if not params.old_string and params.replace_all:
            return "old_string must not be empty with replace_all. Give the text to replace."
        return None

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> EditConfirmation:
        plan = await _planned(params, files, workspace)
        return EditConfirmation(self.describe(params), workspace.absolute(params.file_path), plan.old, plan.new)

    async def run(self, params: Params, files: Files, workspace: Workspace) -> ToolResult:
        plan = await _planned(params, files, workspace)
        await files.write(params.file_path, plan.data, replacing=plan.before)
        display = DiffDisplay(workspace.absolute(params.file_path), plan.old, plan.new)
        return ToolResult.of_text(plan.done + links_note(plan.before), display=display)


async def _planned(params: Params, files: FileReader, workspace: Workspace) -> _Plan:
    shown = shown_name(workspace.shown(workspace.absolute(params.file_path)))
    if not params.old_string and not await files.exists(params.file_path):
        refuse_placeholders(params.new_string, None, shown)
        lines = counted(len(lines_of(params.new_string)), "line")
        return _Plan(None, None, params.new_string, params.new_string.encode(), f"Created {shown} ({lines}).")
    before = await files.read(params.file_path)
    refuse_placeholders(params.new_string, before, shown)
    file = as_text(before.data)
    if file is None:
        raise ToolFailed(
            f"{shown} is binary, {counted(len(before.data), 'byte')}, and can't be edited as text. Use the shell."
        )
    if not params.old_string:
        return _filled(before, file, params.new_string, shown)
    replaced = _replaced(file, params, shown)
    data = file.to_file(replaced.body)
    if data == before.data:
        raise ToolFailed(
            f"{shown} would not change: old_string and new_string differ in line endings alone, and those are kept."
        )
    new = TextFile(file.encoding, file.mark, replaced.body).text
    return _Plan(before, file.text, new, data, _done(replaced, shown))


def _filled(before: FileContent, file: TextFile, new: str, shown: str) -> _Plan:
    if file.body:
        raise ToolFailed(
            f"old_string is empty, but {shown} exists and has {counted(len(lines_of(file.text)), 'line')}. "
            "Give the text to replace, or use write_file to replace everything."
        )
    return _Plan(before, "", new, file.to_file(file.encode(new)), f"Filled {shown}, which was empty.")


def _replaced(file: TextFile, params: Params, shown: str) -> Replaced:
    try:
        old = file.encode(params.old_string.removeprefix("\ufeff") if file.mark else params.old_string)
    except Unencodable:
        raise ToolFailed(_not_found(file, params, shown)) from None
    try:
        new = file.encode(params.new_string.removeprefix("\ufeff") if file.mark else params.new_string)
        return replace(file.body, old, new, every=params.replace_all)
    except Unencodable as error:
        raise ToolFailed(
            f"{shown} is encoded in {file.name}, which has no {error}. Use other characters, or convert the file first."
        ) from None
    except NotFound:
        raise ToolFailed(_not_found(file, params, shown)) from None
    except NotUnique as error:
        raise ToolFailed(_not_unique(error, shown)) from None


def _done(replaced: Replaced, shown: str) -> str:
    if replaced.count == 1:
        return f"Edited {shown}: replaced 1 occurrence, at line {replaced.line:,}."
    return f"Edited {shown}: replaced {replaced.count:,} occurrences, the first at line {replaced.line:,}."


def _not_found(file: TextFile, params: Params, shown: str) -> str:
    """What is nearest, or what else went wrong, and what to do."""
    problem = f"old_string was not found in {shown}."
    if not file.body:
        return f"{problem} The file is empty: leave old_string empty to fill it."
    if has_line_numbers(params.old_string):
        return f"{problem} It starts its lines with read_file's numbers: leave number and arrow out and try again."
    text = file.text
    near = nearest(text, params.old_string)
    hint = f"Nearest: line {near.line:,}, which {near.difference}." if near else "Nothing in it is like old_string."
    there = text.find(params.new_string) if len(params.new_string.strip()) > 1 else -1
    if there >= 0:
        line = text.count("\n", 0, there) + 1
        hint += f" new_string is there already, at line {line:,}: the change may have been made."
    where = f"lines {near.first:,}-{near.last:,}" if near else "the file"
    return f"{problem} {hint} Read {where} and try again."


def _not_unique(error: NotUnique, shown: str) -> str:
    lines = ", ".join(f"{line:,}" for line in error.lines)
    more = " and more" if len(error.lines) < error.count else ""
    if error.count == 1:
        return f"old_string occurs more than once in {shown}, overlapping itself, at line {lines}. Make it longer."
    return (
        f"old_string occurs {error.count:,} times in {shown}: line{'s' if len(error.lines) > 1 else ''} {lines}{more}. "
        "Add lines around it to make it unique, or set replace_all."
    )
