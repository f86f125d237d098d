"""List a folder: names, kinds and sizes, ignored entries left out."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from handrail.contract.context import Entry, FileReader, Workspace
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import TextDisplay, ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import ToolFailed
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.search.ignoring import Ignoring, ignore_claims
from handrail.tools.text.counting import counted

MOST_ENTRIES = 1_000
_OWN_TO_GIT = ".git"


class Params(Parameters):
    path: str = Field(default=".", description="The folder. A relative path starts at the workspace.")
    show_ignored: bool = Field(default=False, description="Also list .git and what .gitignore leaves out.")


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

    async def run(self, params: Params, files: FileReader, workspace: Workspace) -> ToolResult:
        shown = shown_name(workspace.shown(workspace.absolute(params.path)))
        if await files.kind(params.path) == "file":
            raise ToolFailed(f"{shown} is a file, not a folder. Use read_file to see what is in it.")
        entries = await files.entries(params.path)
        if params.show_ignored:
            return _listing(shown, entries, hidden=0)
        ignoring = await Ignoring.read(params.path, files)
        wanted = [entry for entry in entries if entry.name != _OWN_TO_GIT]
        visible = [e for e in wanted if not ignoring.ignores(e.name, is_folder=e.kind == "folder")]
        return _listing(shown, visible, hidden=len(wanted) - len(visible))


def _listing(shown: str, entries: Sequence[Entry], hidden: int) -> ToolResult:
    ordered = sorted(entries, key=lambda entry: (entry.kind != "folder", entry.name))
    rows = [_row(entry) for entry in ordered[:MOST_ENTRIES]]
    if not entries:
        rows.append("[Nothing is in this folder.]" if not hidden else "[Nothing but ignored entries.]")
    if len(entries) > MOST_ENTRIES:
        rows.append(f"[{MOST_ENTRIES:,} of {len(entries):,} entries; use glob to find the others by name.]")
    if hidden:
        rows.append(f"[{hidden:,} ignored by .gitignore; show_ignored=true lists them too.]")
    display = TextDisplay(f"{counted(len(entries), 'entry', 'entries')} in {shown}")
    return ToolResult.of_text("\n".join(rows), display=display, data={"entries": len(entries), "ignored": hidden})


def _row(entry: Entry) -> str:
    name = shown_name(entry.name)
    match entry.kind:
        case "folder":
            return f"{name}/"
        case "file":
            return f"{name}  ({counted(entry.size, 'byte')})"
        case "link":
            return f"{name}  (link)"
        case "other":
            return f"{name}  (not a regular file)"
