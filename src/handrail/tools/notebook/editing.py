"""Replaces, inserts and deletes cells in a notebook's text. All that is not touched stays byte for byte.

What a cell must have is nbformat's (https://nbformat.readthedocs.io/en/latest/format_description.html): code has
`execution_count` and `outputs`, no other kind does; an `id` from 4.5 on, of letters, digits, `-` and `_`.
"""

from __future__ import annotations

from collections.abc import Mapping

from handrail.contract.basics import Json
from handrail.errors import ToolFailed
from handrail.tools.notebook import spans
from handrail.tools.notebook.document import CODE, Cell, Notebook
from handrail.tools.notebook.form import Form, blank_before
from handrail.tools.notebook.spans import Span

_OF_CODE: Mapping[str, Json] = {"execution_count": None, "outputs": []}
_OF_OTHERS = ("attachments",)


class NotebookText:
    """A notebook of nbformat 4, and what becomes of its text."""

    def __init__(self, notebook: Notebook, array: Span) -> None:
        self._notebook = notebook
        self._array = array
        self._text = notebook.text
        self._form = Form.of(self._text, spans.whole(self._text))

    @classmethod
    def of(cls, notebook: Notebook, shown: str) -> NotebookText:
        """Raises ToolFailed for one of an older format."""
        if notebook.array is None or notebook.format[0] != 4:
            raise ToolFailed(
                f"{shown} is a notebook of nbformat {notebook.format[0]}; only 4 can be edited. "
                "Convert it by the shell, with jupyter nbconvert --to notebook."
            )
        return cls(notebook, notebook.array)

    def with_source(self, cell: Cell, source: str, kind: str) -> str:
        """Outputs, metadata and id are kept; what the other kind can't have goes."""
        old = spans.members(self._text, cell.span)
        if kind == cell.kind and "source" in old:
            as_before = source if isinstance(old["source"].value, str) else source.splitlines(keepends=True)
            return self._with(old["source"], as_before)
        return self._with(cell.span, _of_kind(cell.content, kind) | {"source": source.splitlines(keepends=True)})

    def with_cell(self, after: Cell | None, source: str, kind: str, id: str) -> str:
        """A new cell behind the given one, or as the first; `id` is used where the format has ids."""
        content: dict[str, Json] = {"cell_type": kind, "metadata": {}, "source": source.splitlines(keepends=True)}
        if self._notebook.has_ids:
            content["id"] = id
        return self._inserted(after, dict(sorted(_of_kind(content, kind).items())))

    def without(self, cell: Cell) -> str:
        cells, place = self._notebook.cells, cell.number - 1
        if place + 1 < len(cells):
            start, end = cell.span.start, cells[place + 1].span.start
        elif place > 0:
            start, end = cells[place - 1].span.end, cell.span.end
        else:
            start, end = self._array.start + 1, self._array.end - 1
        return self._text[:start] + self._text[end:]

    def _inserted(self, after: Cell | None, content: Json) -> str:
        cells, text = self._notebook.cells, self._text
        if not cells:
            return self._with(self._array, [content])
        beside = after.span if after else cells[0].span
        item, blank = self._form.written(content, text, beside.start), blank_before(text, beside.start)
        between = "," + (blank if self._form.indent is not None else self._form.comma.removeprefix(","))
        if after is None:
            return text[: beside.start] + item + between + text[beside.start :]
        return text[: beside.end] + between + item + text[beside.end :]

    def _with(self, span: Span, item: Json) -> str:
        return self._text[: span.start] + self._form.written(item, self._text, span.start) + self._text[span.end :]


def _of_kind(content: Mapping[str, Json], kind: str) -> dict[str, Json]:
    """The members that a cell of this kind may have, and those that it must."""
    others = _OF_OTHERS if kind == CODE else tuple(_OF_CODE)
    kept = {name: item for name, item in content.items() if name not in others} | {"cell_type": kind}
    return {**_OF_CODE, **kept} if kind == CODE else kept
