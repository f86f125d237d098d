"""A notebook as nbformat 4 has it (https://nbformat.readthedocs.io): cells of a type, their sources and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handrail.contract.basics import Json
from handrail.contract.values import value
from handrail.tools.notebook import spans
from handrail.tools.notebook.spans import Span

CODE, MARKDOWN, RAW = "code", "markdown", "raw"


class NotANotebook(ValueError):
    """Why, as a clause."""


@value
class Cell:
    number: int
    """Counted from 1."""
    span: Span
    content: Mapping[str, Json]

    @property
    def id(self) -> str:
        """Empty before nbformat 4.5."""
        return str(self.content.get("id", ""))

    @property
    def kind(self) -> str:
        return str(self.content.get("cell_type", RAW))

    @property
    def source(self) -> str:
        return joined(self.content.get("source", self.content.get("input", "")))

    @property
    def outputs(self) -> Sequence[Json]:
        outputs = self.content.get("outputs")
        return outputs if isinstance(outputs, list) else ()


@value
class Notebook:
    text: str
    """The whole file."""
    format: tuple[int, int]
    language: str
    """Of its kernel, for people: `Python 3 (ipykernel)`; empty where it isn't said."""
    cells: tuple[Cell, ...]
    array: Span | None
    """Of the cells; None in the old formats, which keep them on sheets."""

    @classmethod
    def parse(cls, text: str) -> Notebook:
        """Raises NotANotebook."""
        try:
            root = spans.whole(text)
        except ValueError as error:
            raise NotANotebook(f"it is not JSON: {error}") from None
        content = root.value
        if not isinstance(content, dict) or not isinstance(content.get("nbformat"), int):
            raise NotANotebook("it has no nbformat")
        minor = content.get("nbformat_minor")
        form = int(str(content["nbformat"])), minor if isinstance(minor, int) else 0
        array = spans.members(text, root).get("cells")
        if array is not None and isinstance(array.value, list):
            return cls(text, form, _kernel(content), _cells(spans.items(text, array)), array)
        sheets = content.get("worksheets")
        if isinstance(sheets, list):
            found = [cell for sheet in sheets if isinstance(sheet, dict) for cell in _listed(sheet.get("cells"))]
            return cls(text, form, _kernel(content), _cells([Span(cell, 0, 0) for cell in found]), None)
        raise NotANotebook("it has no cells")

    @property
    def has_ids(self) -> bool:
        return self.format >= (4, 5)


def joined(text: Json) -> str:
    """Text that a notebook may keep as a string or as a list of lines."""
    return "".join(map(str, text)) if isinstance(text, list) else str(text)


def _cells(found: Sequence[Span]) -> tuple[Cell, ...]:
    cells = []
    for number, span in enumerate(found, 1):
        if not isinstance(span.value, dict):
            raise NotANotebook(f"its cell {number} is not an object")
        cells.append(Cell(number, span, span.value))
    return tuple(cells)


def _listed(found: Json) -> Sequence[Json]:
    return found if isinstance(found, list) else ()


def _kernel(content: Mapping[str, Json]) -> str:
    metadata = content.get("metadata")
    for part, name in (("kernelspec", "display_name"), ("language_info", "name")):
        described = metadata.get(part) if isinstance(metadata, dict) else None
        if isinstance(described, dict) and name in described:
            return str(described[name])
    return ""
