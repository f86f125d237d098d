"""Read a file: text with numbered lines, or an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from handrail.contract.context import FileContent, FileReader, Workspace
from handrail.contract.results import ImagePart, TextDisplay, TextPart, ToolResult
from handrail.contract.tool import Kind, Reads, Tool
from handrail.errors import ToolFailed
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.text.counting import counted
from handrail.tools.text.encoding import TextFile, as_text
from handrail.tools.text.media import PDF, document_type, image_type

DEFAULT_LINES = 2_000
LONGEST_LINE = 2_000
"""Characters shown of one line."""
MOST_CHARACTERS = 100_000
"""Of one result, line numbers included: about what 25,000 tokens hold."""
LARGEST_IMAGE = 5_000_000
"""Bytes; the least of what the providers take."""


class Params(Parameters):
    file_path: Annotated[str, Reads()] = Field(description="The file. A relative path starts at the workspace.")
    offset: int = Field(default=1, ge=1, description="The first line to read, counted from 1.")
    limit: int = Field(default=DEFAULT_LINES, ge=1, description="How many lines to read at most.")


class ReadFile(Tool[Params]):
    name = "read_file"
    title = "Read a file"
    kind = Kind.READ
    aliases = ("Read",)
    description = description_of("read_file")
    max_result_chars = MOST_CHARACTERS + 1_000

    def describe(self, params: Params) -> str:
        return f"Read {params.file_path}"

    async def run(self, params: Params, files: FileReader, workspace: Workspace) -> ToolResult:
        content = await files.read(params.file_path)
        shown = shown_name(workspace.shown(workspace.absolute(params.file_path)))
        if (media_type := image_type(content.data)) is not None:
            return _image(content, media_type, shown)
        text = as_text(content.data)
        if text is None or content.data.startswith(PDF):
            raise ToolFailed(
                f"{shown} is {document_type(content.data)}, {counted(len(content.data), 'byte')}, and can't be read as "
                "text. Use a program that knows its format, by the shell."
            )
        return _page(text, params, shown)


def _image(content: FileContent, media_type: str, shown: str) -> ToolResult:
    size = len(content.data)
    if size > LARGEST_IMAGE:
        raise ToolFailed(
            f"{shown} is an image ({media_type}) of {size:,} bytes; at most {LARGEST_IMAGE:,} can be shown. "
            "Make a smaller copy by the shell and read that."
        )
    caption = f"{shown}: {media_type}, {size:,} bytes"
    return ToolResult((TextPart(caption), ImagePart(content.data, media_type)), display=TextDisplay(caption))


def _page(file: TextFile, params: Params, shown: str) -> ToolResult:
    lines = lines_of(file.text)
    total = len(lines)
    if total and params.offset > total:
        raise ToolFailed(f"offset {params.offset:,} is past the end: {shown} has {counted(total, 'line')}.")
    wanted = lines[params.offset - 1 : params.offset - 1 + params.limit]
    page = numbered(wanted, params.offset)
    last = params.offset + len(page) - 1
    notes = _notes(file, params.offset, last, total)
    display = TextDisplay(f"Lines {params.offset:,}-{last:,} of {total:,}" if total else "Empty")
    return ToolResult.of_text("\n".join([*page, *notes]), display=display, data={"lines": len(page), "total": total})


def lines_of(text: str) -> list[str]:
    """Lines end with `\\n` or `\\r\\n` and nothing else, as in editors; the ends are left out."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def numbered(lines: Sequence[str], first: int) -> list[str]:
    """As many of the lines as one result holds, at least one."""
    page: list[str] = []
    left = MOST_CHARACTERS
    for number, line in enumerate(lines, first):
        row = f"{number:>6}→{_clipped(line)}"
        left -= len(row) + 1
        if left < 0 and page:
            break
        page.append(row)
    return page


def _clipped(line: str) -> str:
    rest = len(line) - LONGEST_LINE
    return f"{line[:LONGEST_LINE]} [… {counted(rest, 'more character')}]" if rest > 0 else line


def _notes(file: TextFile, first: int, last: int, total: int) -> list[str]:
    notes = []
    if not total:
        notes.append("[The file is empty.]")
    elif last < total:
        notes.append(f"[Lines {first:,}-{last:,} of {total:,}. To go on: offset={last + 1}.]")
    elif first > 1:
        notes.append(f"[Lines {first:,}-{last:,} of {total:,}: the end of the file.]")
    if file.encoding == "latin-1":
        notes.append("[Not valid UTF-8: shown as Latin-1. edit_file keeps the bytes it does not touch.]")
    elif file.encoding != "utf-8":
        notes.append(f"[Encoded in {file.name}; edit_file and write_file keep that.]")
    return notes
