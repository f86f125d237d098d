from __future__ import annotations

import hashlib
import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from tool_harness import Bench

from handrail.contract.results import ImagePart, TextPart
from handrail.contract.skills import SkillOffer
from handrail.errors import InvalidArguments, ToolFailed
from handrail.runtime import atomic
from handrail.tools.read_file import MOST_ENTRIES, ReadFile
from handrail.tools.reading.image import LARGEST_IMAGE
from handrail.tools.reading.view import MOST_CHARACTERS

LATIN1 = "[Not valid UTF-8: shown as Latin-1. An edit keeps the bytes that it does not touch.]"
UTF16 = "[Encoded in UTF-16-LE with a byte order mark; edits and writes keep that.]"
CHINESE = "# 如果文件不存在就返回默认值"
WIDE = "[Encoded in UTF-16-LE; edits and writes keep that.]"
GBK = "[Encoded in GB18030; edits and writes keep that.]"
END = "[Lines 2-2 of 2: the end of the file.]"
GO_ON = "[Lines 2-3 of 4. To go on: offset=4.]"


@dataclass(frozen=True)
class Page:
    id: str
    data: bytes
    text: str
    reason: str
    arguments: dict[str, int] = field(default_factory=dict)


PAGES = [
    Page("lines", b"a\nb\n", "     1→a\n     2→b", "numbered from 1; the last line end starts no line"),
    Page("no final newline", b"a\nb", "     1→a\n     2→b", "looks the same"),
    Page("blank last line", b"a\n\n", "     1→a\n     2→", "a blank line is a line"),
    Page("empty", b"", "[The file is empty.]", "no error and no made-up line"),
    Page("CRLF", b"a\r\nb\r\n", "     1→a\n     2→b", "line endings are not shown"),
    Page("mixed and lone CR", b"a\r\nb\rc\n", "     1→a\n     2→b\rc", "a lone CR ends no line"),
    Page("other line ends", "a\u2028b\x0cc\x85d\nE\n".encode(), f"     2→E\n{END}", "as in editors", {"offset": 2}),
    Page("a part", b"a\nb\nc\nd\n", f"     2→b\n     3→c\n{GO_ON}", "how to go on", {"offset": 2, "limit": 2}),
    Page("BOM", b"\xef\xbb\xbfa\n", "     1→a", "a mark is no character"),
    Page("UTF-16", "h\xe9\n".encode("utf-16"), f"     1→h\xe9\n{UTF16}", "known by its mark"),
    Page("Latin-1", b"caf\xe9\n", f"     1→caf\xe9\n{LATIN1}", "any byte is a character"),
    Page("UTF-16 without a mark", "h\xe9llo\n".encode("utf-16-le"), f"     1→h\xe9llo\n{WIDE}", "for certain"),
    Page("GBK", CHINESE.encode("gbk"), f"     1→{CHINESE}\n{GBK}", "for certain"),
    Page("SVG", b"<svg/>\n", "     1→<svg/>", "a picture made of text is text"),
    Page("TypeScript", b"const a = 1\n", "     1→const a = 1", "content counts, not a name that video has too"),
    Page("like a program", b"MZ and ID3\n", "     1→MZ and ID3", "text may start as binary formats do"),
]


@pytest.mark.parametrize("case", PAGES, ids=attrgetter("id"))
async def test_text_is_shown_with_line_numbers_and_notes(case: Page, tmp_path: Path) -> None:
    (tmp_path / "f.ts").write_bytes(case.data)
    result = await Bench(tmp_path).run(ReadFile(), file_path="f.ts", **case.arguments)
    assert result.text == case.text


@pytest.mark.parametrize(
    ("arguments", "first", "last", "note"),
    [
        ({}, 1, 2000, "[Lines 1-2,000 of 5,000. To go on: offset=2001.]"),
        ({"offset": 4900}, 4900, 5000, "[Lines 4,900-5,000 of 5,000: the end of the file.]"),
        ({"limit": 4000}, 1, 4000, "[Lines 1-4,000 of 5,000. To go on: offset=4001.]"),
    ],
)
async def test_a_long_file_comes_in_pages(
    arguments: dict[str, int], first: int, last: int, note: str, tmp_path: Path
) -> None:
    (tmp_path / "f").write_text("".join(f"line {number}\n" for number in range(1, 5001)))
    result = await Bench(tmp_path).run(ReadFile(), file_path="f", **arguments)
    *rows, last_row = result.text.split("\n")
    assert rows == [f"{number:>6}→line {number}" for number in range(first, last + 1)]
    assert last_row == note


async def test_a_long_line_is_cut_with_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x" * 1_700_000)
    result = await Bench(tmp_path).run(ReadFile(), file_path="f")
    assert result.text == f"     1→{'x' * 2000} [… 1,698,000 more characters]"


async def test_many_long_lines_fit_the_result_and_the_note_says_where_to_go_on(tmp_path: Path) -> None:
    (tmp_path / "f").write_text(("y" * 5000 + "\n") * 2000)
    result = await Bench(tmp_path).run(ReadFile(), file_path="f")
    shown = result.text.count("→")
    assert len(result.text) < MOST_CHARACTERS + 200
    assert result.text.endswith(f"[Lines 1-{shown} of 2,000. To go on: offset={shown + 1}.]")


def png(width: int, noise: int = 0) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0" * (width + 1))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"tEXt", b"x" * noise)


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (png(3), "image/png"),
        (b"\xff\xd8\xff\xe0rest", "image/jpeg"),
        (b"GIF89arest", "image/gif"),
        (b"RIFF\x10\0\0\0WEBPVP8 ", "image/webp"),
    ],
)
async def test_an_image_is_shown_as_an_image(data: bytes, media_type: str, tmp_path: Path) -> None:
    (tmp_path / "f.bin").write_bytes(data)
    result = await Bench(tmp_path).run(ReadFile(), file_path="f.bin")
    assert result.parts == (TextPart(f"f.bin: {media_type}, {len(data)} bytes"), ImagePart(data, media_type))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (png(3, noise=LARGEST_IMAGE), "is an image (image/png) of 5,000,"),
        (b"PK\x03\x04\0\0", "f is a ZIP archive, or a document in one, 6 bytes, and can't be read as text. Use a"),
        (b"PK\x03\x04\xe9 and words" * 2, "f is a ZIP archive, or a document in one, 30 bytes"),
        (b"BM\0\0\0", "f is an image (BMP), 5 bytes, and can't be read as text. Make a PNG image of it by the shell."),
        (b"\x7fELF\0\0", "f is a program or library (ELF), 6 bytes"),
        (b"\xa7\r\r\n\0\0\0\0", "f is binary, 8 bytes"),
        ("名前を付けて保存\n".encode("utf-16-le"), "f is binary, 18 bytes"),
        (b"\xff\xfea", "f is binary, 3 bytes"),
    ],
)
async def test_what_is_not_text_is_refused_by_type_and_size(data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(ToolFailed) as caught:
        await Bench(tmp_path).run(ReadFile(), file_path="f")
    assert says in str(caught.value)


async def test_an_offset_past_the_end_is_told_how_long_the_file_is(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    with pytest.raises(ToolFailed, match="offset 3 is past the end: f has 1 line"):
        await Bench(tmp_path).run(ReadFile(), file_path="f", offset=3)


@pytest.mark.parametrize("arguments", [{"offset": 0}, {"limit": 0}, {"start_line": 1}, {"offset": "1"}])
async def test_arguments_that_make_no_sense_are_not_valid(arguments: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(InvalidArguments):
        await Bench(tmp_path).run(ReadFile(), file_path="f", **arguments)


async def test_a_home_folder_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "home/f").write_text("a\n")
    result = await Bench(tmp_path).run(ReadFile(), file_path="~/f")
    assert result.text == "     1→a"


async def read(bench: Bench, **arguments: Any) -> str:
    return (await bench.run(ReadFile(), file_path="f", **arguments)).text


async def test_what_has_not_changed_is_not_shown_again_unless_asked(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    (tmp_path / "f").write_text("a\nb\n")
    first = await read(bench)
    again = "[f has not changed since you read it: Lines 1-2 of 2. force=true shows it again.]"
    assert await read(bench) == await read(bench, limit=2) == again
    assert await read(bench, force=True) == first
    assert await read(bench, offset=2) == f"     2→b\n{END}"
    (tmp_path / "f").write_text("a\nc\n")
    assert await read(bench) == "     1→a\n     2→c"
    os.utime(tmp_path / "f", (1, 1))
    assert await read(bench) == again
    assert bench.ledger.last(tmp_path / "f") == hashlib.sha256(b"a\nc\n").hexdigest()


async def test_by_a_link_it_is_the_same_file(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    (tmp_path / "f").write_text("a\n")
    (tmp_path / "link").symlink_to("f")
    await read(bench)
    assert "link has not changed since you read it" in (await bench.run(ReadFile(), file_path="link")).text


async def test_what_failed_was_not_shown(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    (tmp_path / "f").write_bytes(b"a\0")
    for _ in range(2):
        with pytest.raises(ToolFailed, match="is binary"):
            await read(bench)
    assert bench.ledger.last(tmp_path / "f") is None


async def test_a_folder_is_listed_with_what_to_do_next(tmp_path: Path) -> None:
    for number in range(MOST_ENTRIES):
        (tmp_path / "sub").mkdir(exist_ok=True)
        (tmp_path / "sub" / f"f{number:03}").write_text("a")
    (tmp_path / "sub/z").mkdir()
    result = await Bench(tmp_path).run(ReadFile(), file_path="sub")
    head, first, second, *_, cut, hint = result.text.split("\n")
    assert (head, first, second) == ("sub is a folder. In it:", "z/", "f000  (1 byte)")
    assert cut == "[200 of 201 entries shown.]"
    assert hint == "[Read one of its files, or list or search what is below.]"


class Forms:
    def for_path(self, path: Path) -> Sequence[SkillOffer]:
        return [SkillOffer("forms", "fills forms in")] if path.name == "f" else []


async def test_a_skill_that_names_the_path_is_offered(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("a\n")
    (tmp_path / "g").write_text("a\n")
    bench = Bench(tmp_path, skills=Forms())
    assert await read(bench) == "     1→a\n[A skill for this file, forms: fills forms in]"
    assert (await bench.run(ReadFile(), file_path="g")).text == "     1→a"


@pytest.fixture
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large to be held is then small enough for a test."""
    monkeypatch.setattr(atomic, "MAX_BYTES", 1_000)


@pytest.mark.usefixtures("small_memory")
async def test_of_a_file_too_large_to_be_held_a_page_is_read(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbf" + "".join(f"zeile \u00e4 {n}\r\n" for n in range(1, 501)).encode())
    assert await read(Bench(tmp_path), offset=499) == (
        "   499→zeile \u00e4 499\n   500→zeile \u00e4 500\n[Lines 499-500 of 500: the end of the file.]"
    )
    assert await read(Bench(tmp_path), limit=1) == "     1→zeile \u00e4 1\n[Lines 1-1 of 500. To go on: offset=2.]"


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\0" * 2_000, "f is binary and can't be read as text. Use a program that knows its format"),
        (b"text\n" + b"\0" * 4_000, "f is binary and can't be read as text"),
        (("a\n" * 2_000).encode("utf-16"), "f is encoded in UTF-16-LE with a byte order mark and too large to be"),
        (b"a\n" * 2_000, "offset 9,999 is past the end: f has 2,000 lines."),
    ],
)
async def test_what_can_not_be_read_in_pieces_says_so(data: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(data)
    with pytest.raises(ToolFailed) as caught:
        await read(Bench(tmp_path), offset=9_999)
    assert says in str(caught.value)
