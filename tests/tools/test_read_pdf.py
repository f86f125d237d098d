from __future__ import annotations

import asyncio
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pdf_files import pdf
from pypdf import PdfReader, PdfWriter
from tool_harness import Bench, CheckFailed

from handrail.errors import ToolFailed
from handrail.tools.read_file import ReadFile
from handrail.tools.reading import pdf as reading_pdf
from handrail.tools.reading.ranges import BadRange, in_short, ranges_in
from handrail.tools.reading.view import MOST_CHARACTERS


async def read(root: Path, data: bytes, **arguments: object) -> str:
    (root / "d.pdf").write_bytes(data)
    return (await Bench(root).run(ReadFile(), file_path="d.pdf", **arguments)).text


async def test_the_text_is_shown_page_by_page(tmp_path: Path) -> None:
    text = await read(tmp_path, pdf(["First (1)\nline two", "", "Third"], title="Tides", pictures={1: 2}))
    assert text.split("\n") == [
        '[d.pdf: a PDF document, 3 pages, titled "Tides".]',
        "[Page 1]",
        "First (1)",
        "line two",
        "[Page 2]",
        "[No text, 2 pictures: it may be a scan. Make an image of the page by the shell and read that.]",
        "[Page 3]",
        "Third",
    ]


MANY = pdf([f"page {number}" for number in range(1, 46)])


@pytest.mark.parametrize(
    ("pages", "shown", "note"),
    [
        ("", list(range(1, 21)), '[Pages 1-20 of 45. To go on: pages="21-45".]'),
        ("21-45", list(range(21, 41)), '[Pages 21-40 of 45. To go on: pages="41-45".]'),
        ("1-3,7", [1, 2, 3, 7], "[Pages 1-3,7 of 45.]"),
        ("44-", [44, 45], "[Pages 44-45 of 45.]"),
        ("45,1,2-2,99", [1, 2, 45], "[Pages 1-2,45 of 45.]"),
        (" 3 , 5 ", [3, 5], "[Pages 3,5 of 45.]"),
    ],
)
async def test_pages_can_be_chosen(pages: str, shown: list[int], note: str, tmp_path: Path) -> None:
    _, *rows, last = (await read(tmp_path, MANY, pages=pages)).split("\n")
    assert rows == [row for number in shown for row in (f"[Page {number}]", f"page {number}")]
    assert last == note


@pytest.mark.parametrize(
    ("pages", "says"),
    [
        ("x", "x is no range of pages; write them as 1-5,8,12-"),
        ("1,,2", "nothing is no range of pages"),
        ("-3", "-3 is no range of pages"),
        ("0-2", "pages are counted from 1"),
        ("5-2", "5-2 ends before it begins"),
    ],
)
async def test_what_is_no_range_is_refused(pages: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(CheckFailed) as caught:
        await read(tmp_path, MANY, pages=pages)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"pages": "46-"}, "The pages given are past the end: d.pdf has 45 pages."),
        ({"offset": 2}, "d.pdf is a PDF document: give pages in place of offset and limit."),
    ],
)
async def test_what_is_not_there_is_refused(arguments: dict[str, object], says: str, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed) as caught:
        await read(tmp_path, MANY, **arguments)
    assert str(caught.value) == says


async def test_a_file_that_is_no_document_has_no_pages(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a")
    with pytest.raises(ToolFailed, match=r"f is no PDF document and has no pages. Use offset and limit"):
        await Bench(tmp_path).run(ReadFile(), file_path="f", pages="1")


def encrypted(password: str) -> bytes:
    writer = PdfWriter(PdfReader(io.BytesIO(pdf(["secret plans"]))))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


async def test_a_document_with_a_password_says_so(tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match=r"d\.pdf is a PDF document with a password\. Ask the user for a copy without"):
        await read(tmp_path, encrypted("tides"))


async def test_a_document_with_an_owners_password_alone_can_be_read(tmp_path: Path) -> None:
    assert "secret plans" in await read(tmp_path, encrypted(""))


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\ntext", MANY[: len(MANY) // 3][:500], b"%PDF-"], ids=["no objects", "cut", "bare"]
)
async def test_a_broken_document_says_so(data: bytes, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match=r"d\.pdf is a PDF document that can't be read: .+ Get another copy\."):
        await read(tmp_path, data)


async def test_pages_before_a_broken_one_are_shown(tmp_path: Path) -> None:
    data = pdf(["one", "two", "three"]).replace(b"9 0 obj\n<< ", b"9 0 obj\n<< /Filter /Unknown ")
    *rows, last = (await read(tmp_path, data)).split("\n")
    assert rows[1:] == ["[Page 1]", "one", "[Page 2]", "two"]
    assert last.startswith("[Page 3 and what follows can't be read: ")
    assert last.endswith(". Try pages after it by themselves.]")


async def test_a_document_that_is_too_long_is_cut_with_how_to_go_on(tmp_path: Path) -> None:
    long = "\n".join(["x" * 90] * 700)
    text = await read(tmp_path, pdf([long, long, long]))
    assert len(text) < MOST_CHARACTERS + 1_000
    assert "more characters]" in text
    assert text.endswith('[Pages 1-2 of 3. To go on: pages="3".]')


async def test_a_document_that_takes_too_long_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_pdf, "TIMEOUT", 0.001)
    with pytest.raises(ToolFailed, match=r"can't be read: it took more than 0\.001 s"):
        await read(tmp_path, MANY)


async def test_a_cancelled_read_leaves_nothing_running(tmp_path: Path) -> None:
    task = asyncio.ensure_future(read(tmp_path, MANY))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_the_same_pages_are_not_shown_again(tmp_path: Path) -> None:
    (tmp_path / "d.pdf").write_bytes(MANY)
    bench = Bench(tmp_path)
    await bench.run(ReadFile(), file_path="d.pdf")
    again = await bench.run(ReadFile(), file_path="d.pdf")
    assert again.text == "[d.pdf has not changed since you read it: Pages 1-20 of 45. force=true shows it again.]"
    assert "page 21" in (await bench.run(ReadFile(), file_path="d.pdf", pages="21")).text


@given(st.sets(st.integers(1, 50), min_size=1).map(sorted))
def test_pages_in_short_are_the_same_pages(pages: list[int]) -> None:
    ranges = ranges_in(in_short(pages))
    assert [page for first, last in ranges for page in range(first, (last or first) + 1)] == pages


@given(st.text(st.sampled_from("0123456789-, x")))
def test_any_text_is_ranges_or_is_refused(text: str) -> None:
    try:
        ranges = ranges_in(text)
    except BadRange:
        return
    assert all(1 <= first <= (last or first) for first, last in ranges)
