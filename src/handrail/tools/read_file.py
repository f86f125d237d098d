"""Read a file: text with numbered lines, an image, the text of a PDF document, a notebook's cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from handrail.contract.context import FileContent, FileLedger, FileReader, Workspace
from handrail.contract.launching import Launcher
from handrail.contract.results import TextDisplay, TextPart, ToolResult
from handrail.contract.skills import SkillOffers
from handrail.contract.tool import Kind, Reads, Tool
from handrail.errors import FileTooLarge, ToolFailed
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.reading.folder import in_order, row
from handrail.tools.reading.kinds import view_of
from handrail.tools.reading.pdf import pdf_view
from handrail.tools.reading.ranges import BadRange, ranges_in
from handrail.tools.reading.text import LargeText, Page
from handrail.tools.reading.view import MOST_CHARACTERS, View
from handrail.tools.text.counting import counted
from handrail.tools.text.media import PDF

DEFAULT_LINES = 2_000
MOST_ENTRIES = 200
"""Shown of a folder; `list_directory` shows more."""


class Params(Parameters):
    file_path: Annotated[str, Reads()] = Field(description="The file. A relative path starts at the workspace.")
    offset: int = Field(default=1, ge=1, description="The first line to read, counted from 1; of a notebook, the cell.")
    limit: int = Field(default=DEFAULT_LINES, ge=1, description="How many lines or cells to read at most.")
    pages: str = Field(default="", description="Of a PDF document, the pages to read: `1-5,8,12-`.")
    force: bool = Field(default=False, description="Show it again though nothing has changed since you read it.")


class ReadFile(Tool[Params]):
    name = "read_file"
    title = "Read a file"
    kind = Kind.READ
    description = description_of("read_file")
    max_result_chars = MOST_CHARACTERS + 10_000
    """Room for notes and the last output."""

    def describe(self, params: Params) -> str:
        return f"Read {params.file_path}"

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        try:
            ranges_in(params.pages or "1")
        except BadRange as error:
            return f"{error}."
        return None

    async def run(
        self,
        params: Params,
        files: FileReader,
        launcher: Launcher,
        workspace: Workspace,
        ledger: FileLedger,
        skills: SkillOffers,
    ) -> ToolResult:
        shown = shown_name(workspace.shown(workspace.absolute(params.file_path)))
        try:
            content = await files.read(params.file_path)
        except FileTooLarge:
            return _result(await _large(params, files, shown))
        except ToolFailed:
            if await files.kind(params.file_path) == "folder":
                return await _listing(params, files, shown)
            raise
        view = await _view(content, params, shown, launcher, workspace)
        if not params.force and ledger.shown(content, view.name):
            return _unchanged(view, shown)
        ledger.note(content, view.name)
        offers = skills.for_path(content.path)
        return _result(view, [f"[A skill for this file, {offer.name}: {offer.description}]" for offer in offers])


async def _view(content: FileContent, params: Params, shown: str, launcher: Launcher, workspace: Workspace) -> View:
    import asyncio  # as long to load as all the tools together, and whoever only lists them needs none of it

    page = Page(params.offset, params.limit)
    if content.data.startswith(PDF):
        if page.offset > 1:
            raise ToolFailed(f"{shown} is a PDF document: give pages in place of offset and limit.")
        ranges = ranges_in(params.pages) if params.pages else ()
        return await pdf_view(content.data, ranges, shown, launcher, workspace)
    if params.pages:
        raise ToolFailed(f"{shown} is no PDF document and has no pages. Use offset and limit.")
    return await asyncio.to_thread(view_of, content, page, shown)


async def _large(params: Params, files: FileReader, shown: str) -> View:
    """Without the ledger: what is known of a file is known by its whole content."""
    large = LargeText(Page(params.offset, params.limit), shown)
    await files.scan(params.file_path, large.take)
    return large.view()


def _result(view: View, notes: Sequence[str] = ()) -> ToolResult:
    parts = (*view.parts, TextPart("\n".join(notes))) if notes else view.parts
    return ToolResult(parts, display=TextDisplay(view.name), data=view.data)


def _unchanged(view: View, shown: str) -> ToolResult:
    text = f"[{shown} has not changed since you read it: {view.name}. force=true shows it again.]"
    return ToolResult.of_text(text, display=TextDisplay("Unchanged"), data={**view.data, "unchanged": True})


async def _listing(params: Params, files: FileReader, shown: str) -> ToolResult:
    entries = in_order(await files.entries(params.file_path))
    rows = [f"{shown} is a folder. In it:", *map(row, entries[:MOST_ENTRIES])]
    if len(entries) > MOST_ENTRIES:
        rows.append(f"[{MOST_ENTRIES:,} of {counted(len(entries), 'entry', 'entries')} shown.]")
    rows.append("[Read one of its files, or list or search what is below.]")
    return ToolResult.of_text("\n".join(rows), display=TextDisplay(f"{shown} is a folder"))
