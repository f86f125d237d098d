"""A notebook, cell by cell: sources, and outputs as a model can take them."""

from __future__ import annotations

import binascii
import json
from base64 import b64decode
from collections.abc import Iterator, Mapping

from handrail.contract.basics import Json
from handrail.contract.results import ImagePart, Part, TextPart
from handrail.errors import ToolFailed
from handrail.tools.notebook.document import CODE, Cell, Notebook, joined
from handrail.tools.reading.image import LARGEST_IMAGE
from handrail.tools.reading.text import Page
from handrail.tools.reading.view import View, range_name
from handrail.tools.text.counting import counted
from handrail.tools.text.terminal import as_shown

MOST_OF_AN_OUTPUT = 5_000
"""Characters of one output; what is left out stands in its middle."""
MOST_IMAGES = 10
"""Of one result."""
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TEXTS = ("text/plain", "text/markdown", "text/latex", "application/json", "text/html")
"""In order of preference: one output often comes in several forms."""


def notebook_view(notebook: Notebook, page: Page, shown: str) -> View:
    """Raises ToolFailed for an offset past the end."""
    total, offset = len(notebook.cells), page.offset
    if total and offset > total:
        raise ToolFailed(f"offset {offset:,} is past the end: {shown} is a notebook of {counted(total, 'cell')}.")
    pages = _Pages(page.characters)
    pages.add(f"[{shown}: {_described(notebook)}.]")
    last = offset - 1
    for cell in notebook.cells[offset - 1 : offset - 1 + page.limit]:
        if not pages.has_room and last >= offset:
            break
        pages.add(_heading(cell))
        pages.add(_cut_off(cell.source, pages.left))
        for part in _outputs(cell):
            if not pages.has_room:
                pages.add(f"[The further outputs of cell {cell.number} are left out: there is no room.]")
                break
            pages.add(part)
        last = cell.number
    name = range_name("Cells", offset, last, total) if total else "No cells"
    if last < total:
        pages.add(f"[{name}. To go on: offset={last + 1}.]")
    return View(name, pages.parts(), {"cells": last - offset + 1, "total": total})


class _Pages:
    """Text and images in their order, within what one result holds."""

    def __init__(self, characters: int) -> None:
        self._parts: list[Part] = []
        self._rows: list[str] = []
        self._images = 0
        self.left = characters

    @property
    def has_room(self) -> bool:
        return self.left > 0

    def add(self, part: str | ImagePart) -> None:
        if isinstance(part, str):
            self._rows.append(part)
            self.left -= len(part) + 1
        elif self._images < MOST_IMAGES:
            self._images += 1
            self._flush()
            self._parts.append(part)
        else:
            self.add(f"[{_named(part.media_type, part.data)}, not shown: {MOST_IMAGES} images are.]")

    def parts(self) -> tuple[Part, ...]:
        self._flush()
        return tuple(self._parts)

    def _flush(self) -> None:
        if self._rows:
            self._parts.append(TextPart("\n".join(self._rows)))
            self._rows = []


def _described(notebook: Notebook) -> str:
    form = ".".join(map(str, notebook.format))
    kernel = f", {notebook.language}" if notebook.language else ""
    return f"a notebook of {counted(len(notebook.cells), 'cell')}{kernel}, nbformat {form}"


def _heading(cell: Cell) -> str:
    run = cell.content.get("execution_count", cell.content.get("prompt_number"))
    named = [f"Cell {cell.number}: {cell.kind}"]
    if cell.id:
        named.append(f"id {cell.id}")
    if cell.kind == CODE and isinstance(run, int):
        named.append(f"run as {run}")
    return f"[{', '.join(named)}]"


def _outputs(cell: Cell) -> Iterator[str | ImagePart]:
    for output in cell.outputs:
        if isinstance(output, dict):
            yield from _output(output, f"Output of cell {cell.number}")


def _output(output: Mapping[str, Json], name: str) -> Iterator[str | ImagePart]:
    match output.get("output_type"):
        case "stream":
            yield f"[{name}: {output.get('name', output.get('stream', 'stdout'))}]"
            yield _middle_cut(joined(output.get("text", "")))
        case "error" | "pyerr":
            yield f"[{name}: error]"
            trace = output.get("traceback")
            said = "\n".join(map(str, trace)) if isinstance(trace, list) and trace else ""
            yield _middle_cut(said or f"{output.get('ename', '')}: {output.get('evalue', '')}")
        case _:
            bundle = output.get("data")
            yield from _bundle(bundle if isinstance(bundle, dict) else output, name)


def _bundle(bundle: Mapping[str, Json], name: str) -> Iterator[str | ImagePart]:
    """The best of the forms that the output comes in; the others are named."""
    image = next((kind for kind in _IMAGES if kind in bundle), None)
    if image is not None:
        yield f"[{name}: {image}]"
        yield _image(joined(bundle[image]), image)
        return
    text = next((kind for kind in _TEXTS if kind in bundle), None)
    others = [kind for kind in bundle if "/" in kind and kind != text]
    also = f", not shown as {' or '.join(others)}" if others else ""
    yield f"[{name}: {text or 'nothing that can be shown'}{also}]"
    if text is not None:
        found = bundle[text]
        yield _middle_cut(joined(found) if isinstance(found, (str, list)) else json.dumps(found, ensure_ascii=False))


def _image(encoded: str, media_type: str) -> str | ImagePart:
    try:
        data = b64decode("".join(encoded.split()), validate=True)
    except (binascii.Error, ValueError):
        return f"[The {media_type} is not valid base64.]"
    if len(data) > LARGEST_IMAGE:
        return f"[{_named(media_type, data)}, not shown: at most {LARGEST_IMAGE:,} bytes are.]"
    return ImagePart(data, media_type)


def _named(media_type: str, data: bytes) -> str:
    return f"An image ({media_type}) of {counted(len(data), 'byte')}"


def _middle_cut(text: str) -> str:
    """As a terminal would show it, the middle left out if it is long."""
    shown = as_shown(text).rstrip("\n")
    rest = len(shown) - MOST_OF_AN_OUTPUT
    if rest <= 0:
        return shown
    half = MOST_OF_AN_OUTPUT // 2
    return f"{shown[:half]}\n[… {counted(rest, 'character')} left out …]\n{shown[-half:]}"


def _cut_off(source: str, most: int) -> str:
    rest = len(source) - max(most, 1)
    return f"{source[: max(most, 1)]} [… {counted(rest, 'more character')}]" if rest > 0 else source
