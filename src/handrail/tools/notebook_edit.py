"""Change one cell of a Jupyter notebook, and leave every other byte as it is."""

from __future__ import annotations

import secrets
from typing import Annotated, Literal

from pydantic import Field

from handrail.contract.confirmation import EditConfirmation
from handrail.contract.context import FileContent, FileLedger, FileReader, Files, Workspace
from handrail.contract.results import DiffDisplay, ToolResult
from handrail.contract.tool import Kind, Tool, Writes
from handrail.errors import ToolFailed
from handrail.runtime.names import shown_name
from handrail.tools.descriptions import description_of
from handrail.tools.notebook.document import CODE, Cell, NotANotebook, Notebook
from handrail.tools.notebook.editing import NotebookText
from handrail.tools.parameters import Parameters
from handrail.tools.text.changing import Change, encoded, refuse_stale
from handrail.tools.text.counting import counted
from handrail.tools.text.encoding import as_text
from handrail.tools.text.links import links_note
from handrail.tools.text.omissions import refuse_omissions

_ID = 8
"""Characters of a new id, as nbformat makes them."""


class Params(Parameters):
    notebook_path: Annotated[str, Writes()] = Field(
        description="The notebook (.ipynb). A relative path starts at the workspace."
    )
    cell_id: str = Field(
        default="",
        description="The cell: its id as reading shows it, or its number. Without it, insert makes the first cell.",
    )
    new_source: str = Field(default="", description="The cell's new source, all of it. Not for delete.")
    cell_type: Literal["code", "markdown", "raw"] | None = Field(
        default=None, description="The kind of an inserted cell (code unless given), or the new kind of a replaced one."
    )
    edit_mode: Literal["replace", "insert", "delete"] = Field(
        default="replace", description="insert puts a new cell behind the one named."
    )


class NotebookEdit(Tool[Params]):
    name = "notebook_edit"
    title = "Edit a notebook"
    kind = Kind.EDIT
    description = description_of("notebook_edit")

    def describe(self, params: Params) -> str:
        where = f" cell {params.cell_id}" if params.cell_id else ""
        verb = {"replace": "Replace", "insert": "Insert behind" if where else "Insert a cell", "delete": "Delete"}
        return f"{verb[params.edit_mode]}{where} in {params.notebook_path}"

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        if not params.cell_id and params.edit_mode != "insert":
            return f"{params.edit_mode} needs a cell_id: read the notebook for the ids and numbers of its cells."
        if params.edit_mode == "delete" and (params.new_source or params.cell_type):
            return "delete takes no new_source and no cell_type. Leave them out, or choose another edit_mode."
        return None

    async def confirmation(self, params: Params, files: FileReader, workspace: Workspace) -> EditConfirmation:
        change = await _planned(params, files, workspace)
        return EditConfirmation(self.describe(params), workspace.absolute(params.notebook_path), change.old, change.new)

    async def run(self, params: Params, files: Files, ledger: FileLedger, workspace: Workspace) -> ToolResult:
        change = await _planned(params, files, workspace, ledger)
        ledger.note(await files.write(params.notebook_path, change.data, replacing=change.before))
        display = DiffDisplay(workspace.absolute(params.notebook_path), change.old, change.new)
        return ToolResult.of_text(change.done + links_note(change.before), display=display)


async def _planned(params: Params, files: FileReader, workspace: Workspace, ledger: FileLedger | None = None) -> Change:
    import asyncio  # as long to load as all the tools together, and whoever only lists them needs none of it

    shown = shown_name(workspace.shown(workspace.absolute(params.notebook_path)))
    before = await files.read(params.notebook_path)
    if ledger is not None:
        refuse_stale(before, ledger, shown)
    return await asyncio.to_thread(_change, params, before, shown)


def _change(params: Params, before: FileContent, shown: str) -> Change:
    file = as_text(before.data)
    if file is None:
        raise ToolFailed(f"{shown} is binary and no notebook. Name an .ipynb file.")
    try:
        notebook = Notebook.parse(file.text)
    except NotANotebook as error:
        raise ToolFailed(f"{shown} is no notebook that can be edited: {error}. Mend it as a file of text.") from None
    new, done = _edited(params, notebook, shown)
    return Change(before, notebook.text, new, encoded(file, new, shown), done)


def _edited(params: Params, notebook: Notebook, shown: str) -> tuple[str, str]:
    """The notebook's new text, and what to say of it."""
    text = NotebookText.of(notebook, shown)
    cell = _cell(params.cell_id, notebook, shown) if params.cell_id else None
    refuse_omissions(params.new_source, "" if cell is None else cell.source, shown)
    if cell is None or params.edit_mode == "insert":
        id = _new_id(notebook)
        number = 1 if cell is None else cell.number + 1
        named = f"cell {number}" + (f" (id {id})" if notebook.has_ids else "")
        return text.with_cell(cell, params.new_source, params.cell_type or CODE, id), _told(
            f"Inserted {named} in {shown}", len(notebook.cells) + 1, number + 1
        )
    if params.edit_mode == "delete":
        done = _told(f"Deleted cell {cell.number} of {shown}", len(notebook.cells) - 1, cell.number)
        return text.without(cell), done
    kind = params.cell_type or cell.kind
    if (kind, params.new_source) == (cell.kind, cell.source):
        raise ToolFailed(f"Cell {cell.number} of {shown} has exactly this source already; nothing was written.")
    outputs = " Its outputs are those of the old source until it is run." if kind == CODE and cell.outputs else ""
    return text.with_source(cell, params.new_source, kind), f"Replaced cell {cell.number} of {shown}.{outputs}"


def _told(done: str, cells: int, moved: int) -> str:
    """`moved`: the first cell whose number has changed."""
    others = f" The numbers from {moved} on have changed." if moved <= cells else ""
    return f"{done}, which now has {counted(cells, 'cell')}.{others}"


def _cell(named: str, notebook: Notebook, shown: str) -> Cell:
    """By id; where no cell has that, by number."""
    found = [cell for cell in notebook.cells if cell.id == named]
    if len(found) > 1:
        numbers = ", ".join(str(cell.number) for cell in found)
        raise ToolFailed(f"Cells {numbers} of {shown} all have the id {named}. Name the one you mean by its number.")
    if not found and named.isascii() and named.isdigit():
        found = [cell for cell in notebook.cells if cell.number == int(named)]
    if not found:
        raise ToolFailed(
            f"{shown} has no cell {shown_name(named)}: it has {counted(len(notebook.cells), 'cell')}. "
            "Read it for their ids and numbers."
        )
    return found[0]


def _new_id(notebook: Notebook) -> str:
    taken = {cell.id for cell in notebook.cells}
    while (id := secrets.token_hex(_ID // 2)) in taken:
        pass
    return id
