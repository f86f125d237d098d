from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from notebook_files import code, markdown, notebook, shown, stream
from tool_harness import Bench

from handrail.contract.results import ImagePart, TextPart, ToolResult
from handrail.errors import ToolFailed
from handrail.tools.read_file import ReadFile
from handrail.tools.reading.image import LARGEST_IMAGE
from handrail.tools.reading.notebook import MOST_IMAGES, MOST_OF_AN_OUTPUT
from handrail.tools.reading.view import MOST_CHARACTERS

PIXEL = b"\x89PNG\r\n\x1a\n and so on"


async def read(root: Path, text: str, **arguments: Any) -> ToolResult:
    (root / "n.ipynb").write_text(text, "utf-8")
    return await Bench(root).run(ReadFile(), file_path="n.ipynb", **arguments)


async def test_cells_are_shown_with_their_ids_and_outputs(tmp_path: Path) -> None:
    text = notebook(
        markdown("# Tides\nToday", id="aa"),
        code("1 / 0\n", {"output_type": "error", "traceback": ["\x1b[31mZeroDivisionError\x1b[0m", "at 1"]}, id="bb"),
        code("print(1)", stream("1\n"), shown(text_plain="<html>", text_html="<b>"), id="cc", run=3),
    )
    assert (await read(tmp_path, text)).text.split("\n") == [
        "[n.ipynb: a notebook of 3 cells, Python 3 (ipykernel), nbformat 4.5.]",
        "[Cell 1: markdown, id aa]",
        "# Tides",
        "Today",
        "[Cell 2: code, id bb]",
        "1 / 0",
        "",
        "[Output of cell 2: error]",
        "ZeroDivisionError",
        "at 1",
        "[Cell 3: code, id cc, run as 3]",
        "print(1)",
        "[Output of cell 3: stdout]",
        "1",
        "[Output of cell 3: text/plain, not shown as text/html]",
        "<html>",
    ]


async def test_images_in_outputs_are_shown_where_they_stand(tmp_path: Path) -> None:
    picture = shown(image_png=b64encode(PIXEL).decode() + "\n", text_plain="<Figure>")
    result = await read(tmp_path, notebook(code("plot()", picture), markdown("after")))
    before, image, after = result.parts
    assert isinstance(before, TextPart)
    assert before.text.endswith("plot()\n[Output of cell 1: image/png]")
    assert image == ImagePart(PIXEL, "image/png")
    assert after == TextPart("[Cell 2: markdown]\nafter")


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (stream("x" * 20_000), f"[… {20_000 - MOST_OF_AN_OUTPUT:,} characters left out …]"),
        (stream("10%\r100%\n"), "\n100%"),
        (shown(image_png="no base64!"), "[The image/png is not valid base64.]"),
        (
            shown(image_png=b64encode(b"x" * (LARGEST_IMAGE + 1)).decode()),
            "[An image (image/png) of 5,000,001 bytes, not shown: at most 5,000,000 bytes are.]",
        ),
        (shown(application_json={"a": [1]}), '[Output of cell 1: application/json]\n{"a": [1]}'),
        (shown(**{"application_vnd.plotly": {}}), "[Output of cell 1: nothing that can be shown, not shown as appl"),
        ({"output_type": "error", "ename": "KeyError", "evalue": "'x'"}, "[Output of cell 1: error]\nKeyError: 'x'"),
        ("rubbish", "[Cell 1: code]\nx"),
    ],
)
async def test_outputs_come_in_a_form_that_a_model_can_take(output: Any, says: str, tmp_path: Path) -> None:
    text = (await read(tmp_path, notebook(code("x", output)))).text
    assert says in text
    assert len(text) < 6_000


async def test_of_many_images_some_are_shown(tmp_path: Path) -> None:
    pictures = [shown(image_png=b64encode(PIXEL).decode())] * (MOST_IMAGES + 1)
    result = await read(tmp_path, notebook(code("plot()", *pictures)))
    assert sum(isinstance(part, ImagePart) for part in result.parts) == MOST_IMAGES
    assert result.text.endswith(f"[An image (image/png) of 18 bytes, not shown: {MOST_IMAGES} images are.]")


async def test_a_long_notebook_comes_in_pages_of_cells(tmp_path: Path) -> None:
    text = notebook(*[markdown(f"cell {number} " + "x" * 10_000) for number in range(1, 30)])
    first = await read(tmp_path, text)
    assert len(first.text) < MOST_CHARACTERS + 11_000
    assert first.text.endswith("[Cells 1-10 of 29. To go on: offset=11.]")
    assert "cell 11 " in (await read(tmp_path, text, offset=11, limit=1)).text
    with pytest.raises(ToolFailed, match=r"offset 30 is past the end: n\.ipynb is a notebook of 29 cells"):
        await read(tmp_path, text, offset=30)


async def test_one_huge_cell_is_cut_and_so_are_its_outputs(tmp_path: Path) -> None:
    text = (await read(tmp_path, notebook(code("y" * 300_000, *[stream("o" * 4_000)] * 100)))).text
    assert len(text) < MOST_CHARACTERS + 5_000
    assert "[… 200," in text
    assert "[The further outputs of cell 1 are left out: there is no room.]" in text


async def test_a_notebook_without_cells_says_so(tmp_path: Path) -> None:
    assert (await read(tmp_path, notebook())).text == (
        "[n.ipynb: a notebook of 0 cells, Python 3 (ipykernel), nbformat 4.5.]"
    )


async def test_a_notebook_of_an_old_format_is_shown_too(tmp_path: Path) -> None:
    cell = {
        "cell_type": "code",
        "input": ["x = 1"],
        "prompt_number": 2,
        "outputs": [{"output_type": "pyout", "text": "1"}],
    }
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": [{"cells": [cell]}]}
    text = (await read(tmp_path, json.dumps(old))).text
    assert "nbformat 3.0" in text
    assert "[Cell 1: code, run as 2]\nx = 1\n" in text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "it is not JSON: Expecting property name enclosed in double quotes"),
        ("{}", "it has no nbformat"),
        ("[]", "it has no nbformat"),
        ('{"nbformat": 4}', "it has no cells"),
        ('{"nbformat": 4, "cells": [1]}', "its cell 1 is not an object"),
        ('{"nbformat": 4, "cells": []} x', "it is not JSON: Extra data"),
        ("[" * 100_000, "it is not JSON: "),
    ],
)
async def test_a_broken_notebook_is_shown_as_text_so_that_it_can_be_mended(text: str, why: str, tmp_path: Path) -> None:
    result = (await read(tmp_path, text)).text
    assert result.startswith("     1→")
    assert f"[This is no notebook that can be read, so it is shown as text: {why}" in result
