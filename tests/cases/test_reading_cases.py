"""Faults that people reported of reading files, and what another product's reading does: a test for each.

Of the areas that reading shares with searching, every case has a test here or in the table of searching.
"""

from __future__ import annotations

import json
import os
import py_compile
import unicodedata
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from accounts import accounted, case
from call_harness import opened, settled
from corpus_files import cases
from handrail.contract.calls import Completed, Failed
from handrail.contract.results import ErrorKind, ImagePart, TextPart, ToolResult
from handrail.session import Session
from handrail.tools import builtin_tools
from handrail.tools.reading.view import MOST_CHARACTERS

SHARED = {**cases("reported_faults", "search_read"), **cases("permission_faults", "glob/grep/read")}
GEMINI = cases("gemini_behaviour", "read-limits")

OUR_OWN_WAY = {
    "gm-read-limits-323": "an SVG picture is text of any size, and comes in pages like all text",
}
"""What is tested here with another value than the reference's, and why."""


def test_every_case_is_accounted_for_once() -> None:
    import test_search_cases as search_cases  # lies beside this file

    searching = [id for id in accounted(vars(search_cases)) if id in SHARED]
    here = accounted(globals())
    assert sorted({*here, *searching}) == sorted({**SHARED, **GEMINI})
    assert set(OUR_OWN_WAY) <= set(here)


async def read(session: Session, path: str, **arguments: Any) -> ToolResult:
    state = await settled(session, "read_file", {"file_path": path, **arguments}, id=f"c{os.urandom(4).hex()}")
    assert isinstance(state, Completed), state.result.text
    return state.result


async def once(root: Path, path: str, **arguments: Any) -> ToolResult:
    """Through a whole session, in default mode: nobody has to be asked."""
    async with opened(root, *builtin_tools(), mode="default") as session:
        return await read(session, path, **arguments)


# Length


@case("RD11")
async def test_a_huge_line_is_clipped_and_the_third_read_of_it_is_a_line(tmp_path: Path) -> None:
    (tmp_path / "big.json").write_text(json.dumps({"k": "v" * 1_700_000}))
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        first, *others = [await read(session, "big.json") for _ in range(3)]
    assert first.text.endswith("v [… 1,698,009 more characters]")
    assert len(first.text) < 2_100
    assert {other.text for other in others} == {
        "[big.json has not changed since you read it: Lines 1-1 of 1. force=true shows it again.]"
    }


@case("RD12")
async def test_a_result_is_bounded_in_characters_too_and_says_where_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(("x" * 5_000 + "\n") * 2_000)
    text = (await once(tmp_path, "f")).text
    shown = text.count("→")
    assert len(text) < MOST_CHARACTERS + 200
    assert text.endswith(f"[Lines 1-{shown} of 2,000. To go on: offset={shown + 1}.]")
    assert (await once(tmp_path, "f", offset=shown + 1, limit=1)).text.startswith(f"{shown + 1:>6}→xxx")


@case("cc-109")
async def test_a_file_of_many_tokens_gives_its_first_page_and_no_error(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("".join(f"word{number} and so on\n" for number in range(28_375 // 5)))
    text = (await once(tmp_path, "f")).text
    assert text.startswith("     1→word0")
    assert text.endswith("[Lines 1-2,000 of 5,675. To go on: offset=2001.]")


@case("cc-110", "gm-read-limits-318")
async def test_the_first_two_thousand_lines_come_with_the_total(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("line\n" * 5_000)
    result = await once(tmp_path, "f")
    assert result.data == {"lines": 2_000, "total": 5_000}
    assert result.text.endswith("[Lines 1-2,000 of 5,000. To go on: offset=2001.]")


@case("gm-read-limits-319", "gm-read-limits-320")
@pytest.mark.parametrize(
    ("arguments", "lines", "note"),
    [
        ({"offset": 4_900}, 101, "[Lines 4,900-5,000 of 5,000: the end of the file.]"),
        ({"limit": 4_000}, 4_000, "[Lines 1-4,000 of 5,000. To go on: offset=4001.]"),
        ({"limit": 5_000}, 5_000, "  5000→line"),
    ],
)
async def test_what_was_asked_for_by_line_is_not_capped_at_the_default(
    arguments: dict[str, int], lines: int, note: str, tmp_path: Path
) -> None:
    (tmp_path / "f").write_text("line\n" * 5_000)
    result = await once(tmp_path, "f", **arguments)
    assert result.data == {"lines": lines, "total": 5_000}
    assert result.text.endswith(note)


@case("gm-read-limits-321")
async def test_of_a_long_line_the_first_two_thousand_characters_are_shown(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("é" * 2_500 + "\n")
    assert (await once(tmp_path, "f")).text == f"     1→{'é' * 2_000} [… 500 more characters]"


@case("gm-read-limits-324")
@pytest.mark.parametrize("arguments", [{"offset": 5, "limit": -2}, {"offset": 0}, {"limit": 0}, {"limit": "all"}])
async def test_a_range_that_can_not_be_is_an_error_of_the_arguments(arguments: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        state = await settled(session, "read_file", {"file_path": "f", **arguments})
    assert isinstance(state, Failed)
    assert state.result.fault is not None
    assert state.result.fault.kind is ErrorKind.INVALID_ARGUMENTS


# What lines are


@case("RD16")
async def test_an_empty_file_is_read_filled_and_searched(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    async with opened(tmp_path, *builtin_tools()) as session:
        result = await read(session, "f")
        nothing = await settled(session, "grep", {"pattern": "^$"}, id="c2")
        edited = await settled(session, "edit_file", {"file_path": "f", "old_string": "", "new_string": "x"}, id="c3")
    assert result.text == "[The file is empty.]"
    assert isinstance(nothing, Completed)
    assert "No line" in nothing.result.text or "No match" in nothing.result.text
    assert isinstance(edited, Completed)
    assert (tmp_path / "f").read_text() == "x"


@case("RD17")
@pytest.mark.parametrize("odd", ["\u2028", "\u2029", "\x0b", "\x0c", "\x85", "\x1c", "\r"])
async def test_only_newlines_end_lines_as_in_editors_and_in_edits(odd: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(f"a{odd}b\nE\r\nF\n".encode())
    assert (await once(tmp_path, "f", offset=2, limit=1)).text.startswith("     2→E\n")
    assert f"     1→a{odd}b" in (await once(tmp_path, "f")).text


# What is not text


def notebook_with_an_image() -> bytes:
    image = b64encode(b"\x89PNG\r\n\x1a\n" + bytes(300_000)).decode()
    output = {"output_type": "display_data", "data": {"image/png": image, "text/plain": "<Figure>"}, "metadata": {}}
    log = {"output_type": "stream", "name": "stdout", "text": ["epoch\n"] * 5_000}
    cell = {"cell_type": "code", "source": ["plot()"], "outputs": [log, output], "metadata": {}, "execution_count": 1}
    return json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": [cell]}).encode()


@case("RD18")
async def test_an_image_is_an_image(tmp_path: Path) -> None:
    data = b"\x89PNG\r\n\x1a\n" + bytes(2_000_000)
    (tmp_path / "p.png").write_bytes(data)
    caption, image = (await once(tmp_path, "p.png")).parts
    assert (caption, image) == (TextPart("p.png: image/png, 2,000,008 bytes"), ImagePart(data, "image/png"))


@case("RD18")
async def test_a_notebook_shows_its_cells_with_outputs_clipped_and_no_base64(tmp_path: Path) -> None:
    (tmp_path / "n.ipynb").write_bytes(notebook_with_an_image())
    result = await once(tmp_path, "n.ipynb")
    text = "\n".join(part.text for part in result.parts if isinstance(part, TextPart))
    assert "[Cell 1: code, run as 1]\nplot()\n[Output of cell 1: stdout]\nepoch\n" in text
    assert "characters left out …]" in text
    assert len(text) < 6_000
    assert [part.media_type for part in result.parts if isinstance(part, ImagePart)] == ["image/png"]


@case("RD18")
async def test_compiled_code_is_named_by_kind_and_size(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("x = 1\n")
    compiled = Path(py_compile.compile(str(tmp_path / "m.py"), cfile=str(tmp_path / "m.pyc")))
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        state = await settled(session, "read_file", {"file_path": "m.pyc"})
    assert isinstance(state, Failed)
    assert f"m.pyc is binary, {compiled.stat().st_size} bytes, and can't be read as text" in state.result.text


@case("RD18")
async def test_wide_text_without_a_mark_is_text(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes("plain words\n".encode("utf-16-le"))
    assert (await once(tmp_path, "f")).text.startswith("     1→plain words\n[Encoded in UTF-16-LE")


@case("gm-read-limits-323")
async def test_a_large_svg_picture_comes_in_pages(tmp_path: Path) -> None:
    (tmp_path / "p.svg").write_text("<svg>\n" + "<path d='M0 0'/>\n" * 90_000 + "</svg>\n")
    text = (await once(tmp_path, "p.svg")).text
    assert text.startswith("     1→<svg>\n")
    assert text.endswith("[Lines 1-2,000 of 90,002. To go on: offset=2001.]")


@case("gm-read-limits-325")
@pytest.mark.parametrize("name", ["x.ts", "x.mts", "x.cts", "x.bin", "x.mp4"])
async def test_what_a_file_is_is_told_by_its_content_and_not_its_name(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("const a: number = 1\n")
    assert (await once(tmp_path, name)).text == "     1→const a: number = 1"


# Names


@case("RD19")
@pytest.mark.parametrize(
    ("there", "asked", "says"),
    [
        (unicodedata.normalize("NFD", "é.txt"), "é.txt", "Nearest names in the workspace: e\u0301.txt."),
        (unicodedata.normalize("NFC", "é.txt"), "e\u0301.txt", "Nearest names in the workspace: é.txt."),
        ("Shot 9.41\u202fAM.png", "Shot 9.41 AM.png", r'Nearest names in the workspace: "Shot 9.41\u202fAM.png".'),
    ],
)
async def test_a_name_that_only_looks_the_same_is_told_with_what_is_odd_about_it(
    there: str, asked: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / there).write_text("x\n")
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        state = await settled(session, "read_file", {"file_path": asked})
    assert isinstance(state, Failed)
    assert says in state.result.text
    assert (await once(tmp_path, there)).text.startswith("     1→x")
