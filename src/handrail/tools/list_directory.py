"""List a folder: names, kinds and sizes, ignored entries left out."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from handrail.contract.context import Entry, FileReader, ToolNames, Workspace
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import TextDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import ToolFailed
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.reading.folder import in_order, row
from handrail.tools.search.ignoring import Ignoring, ignore_claims
from handrail.tools.text.beside import beside_the_loop
from handrail.tools.text.counting import counted

MOST_ENTRIES = 1_000
_OWN_TO_GIT = ".git"


class Params(Parameters):
    path: str = Field(default=".", description="The folder. A relative path starts at the workspace.")
    show_ignored: bool = Field(default=False, description="Also list .git and what .gitignore leaves out.")
    offset: int = Field(default=0, ge=0, description="How many entries to pass over: shows the next page.")


class ListDirectory(Tool[Params]):
    name = "list_directory"
    title = "List a folder"
    kind = Kind.READ
    description = description_of("list_directory")

    def describe(self, params: Params) -> str:
        return f"List {params.path}"

    def effects(self, params: Params) -> Claims:
        """The folder's names, and the ignore files that bear on it."""
        folder = PathClaim(params.path, "tree", spares_secrets=True)
        return Claims(reads=(folder,) if params.show_ignored else (folder, *ignore_claims(params.path)))

    async def run(self, params: Params, files: FileReader, workspace: Workspace, names: ToolNames) -> ToolResult:
        shown = shown_name(workspace.shown(workspace.absolute(params.path)))
        match await files.kind(params.path):
            case "file":
                reads = names.of("read_file")
                raise ToolFailed(f"{shown} is a file, not a folder. Use {reads} to see what is in it.")
            case "other":
                raise ToolFailed(f"{shown} is neither a folder nor a file. Use another path.")
        entries = await files.entries(params.path)
        if params.show_ignored:
            return _listing(shown, entries, params.offset, hidden=0)
        ignoring = await Ignoring.read(params.path, files)
        wanted = [entry for entry in entries if entry.name != _OWN_TO_GIT]
        visible = await beside_the_loop(_visible, wanted, ignoring)
        return _listing(shown, visible, params.offset, hidden=len(wanted) - len(visible))


def _visible(entries: Sequence[Entry], ignoring: Ignoring) -> Sequence[Entry]:
    return [entry for entry in entries if not ignoring.ignores(entry.name, is_folder=entry.kind == "folder")]


def _listing(shown: str, entries: Sequence[Entry], offset: int, hidden: int) -> ToolResult:
    total = counted(len(entries), "entry", "entries")
    if entries and offset >= len(entries):
        raise ToolFailed(f"offset {offset:,} is past the end: {shown} has {total}.")
    page = in_order(entries)[offset : offset + MOST_ENTRIES]
    rows = [row(entry) for entry in page]
    last = offset + len(page)
    if not entries:
        rows.append("[Nothing is in this folder.]" if not hidden else "[Nothing but ignored entries.]")
    elif last < len(entries):
        rows.append(f"[Entries {offset + 1:,}-{last:,} of {len(entries):,}. To go on: offset={last}.]")
    elif offset:
        rows.append(f"[Entries {offset + 1:,}-{last:,} of {len(entries):,}: the last ones.]")
    if hidden:
        rows.append(f"[{hidden:,} ignored by .gitignore; show_ignored=true lists them too.]")
    display = TextDisplay(f"{total} in {shown}")
    return ToolResult.of_text("\n".join(rows), display=display, data={"entries": len(entries), "ignored": hidden})
