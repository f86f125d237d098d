"""Write a whole file: a new one, or in place of what was there."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from handrail.contract.confirmation import EditConfirmation
from handrail.contract.context import FileContent, FileReader, Files, Workspace
from handrail.contract.results import DiffDisplay, ToolResult
from handrail.contract.tool import Kind, Tool, Writes
from handrail.contract.values import value
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.read_file import lines_of
from handrail.tools.text.counting import counted
from handrail.tools.text.encoding import PLAIN, TextFile, as_text
from handrail.tools.text.links import links_note
from handrail.tools.text.placeholders import refuse_placeholders


class Params(Parameters):
    file_path: Annotated[str, Writes()] = Field(description="The file. A relative path starts at the workspace.")
    content: str = Field(description="All that the file is to hold.")


@value
class _Plan:
    before: FileContent | None
    old: str | None
    """As text for people; None for a new file."""
    new: str
    data: bytes
    kept: tuple[str, ...] = ()
    """What of the old file's form the new content takes on."""


class WriteFile(Tool[Params]):
    name = "write_file"
    title = "Write a file"
    kind = Kind.EDIT
    aliases = ("Write",)
    description = description_of("write_file")

    def describe(self, params: Params) -> str:
        return f"Write {params.file_path} ({counted(len(lines_of(params.content)), 'line')})"

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> EditConfirmation:
        plan = await _planned(params, files)
        return EditConfirmation(self.describe(params), workspace.absolute(params.file_path), plan.old, plan.new)

    async def run(self, params: Params, files: Files, workspace: Workspace) -> ToolResult:
        plan = await _planned(params, files)
        path = workspace.absolute(params.file_path)
        shown = shown_name(workspace.shown(path))
        if plan.before is not None and plan.before.data == plan.data:
            return ToolResult.of_text(f"{shown} holds exactly this already; nothing was written.")
        await files.write(params.file_path, plan.data, replacing=plan.before)
        return ToolResult.of_text(_report(shown, plan), display=DiffDisplay(path, plan.old, plan.new))


async def _planned(params: Params, files: FileReader) -> _Plan:
    before = await files.read(params.file_path) if await files.exists(params.file_path) else None
    refuse_placeholders(params.content, before, params.file_path)
    if before is None:
        return _Plan(None, None, params.content, params.content.encode())
    return _in_the_form_of(before, params.content)


def _in_the_form_of(before: FileContent, content: str) -> _Plan:
    """A byte order mark, the encoding that it names, and line endings outlive a rewrite."""
    file = as_text(before.data)
    old = f"[binary, {counted(len(before.data), 'byte')}]" if file is None else file.text
    form = file if file is not None and file.mark else PLAIN
    kept = []
    if form.mark:
        content = content.removeprefix("\ufeff")
        kept.append(form.name)
    if file is not None and _has_crlf(file) and "\n" in content and "\r\n" not in content:
        content = content.replace("\n", "\r\n")
        kept.append("CRLF line endings")
    return _Plan(before, old, content, form.to_file(form.encode(content)), tuple(kept))


def _has_crlf(file: TextFile) -> bool:
    """Most of its lines end with CRLF."""
    return 2 * file.body.count(b"\r\n") > file.body.count(b"\n")


def _report(shown: str, plan: _Plan) -> str:
    after = counted(len(lines_of(plan.new)), "line")
    if plan.old is None:
        return f"Created {shown} ({after})."
    before = counted(len(lines_of(plan.old)), "line")
    size = f"it is now empty; before, it had {before}" if not plan.new else f"{after}; before, {before}"
    kept = f" Kept from the old file: {' and '.join(plan.kept)}." if plan.kept else ""
    return f"Replaced {shown} ({size}).{kept}{links_note(plan.before)}"
