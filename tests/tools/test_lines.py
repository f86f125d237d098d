from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from handrail.tools.text.lines import LONGEST_KEPT, LineScan

TEXTS = st.text(st.sampled_from("a\u00e9\u4e2d\U0001f680\r\n\u2028"), max_size=60)


def lines_of(text: str) -> list[str]:
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def scanned(data: bytes, cuts: list[int], first: int = 1, most: int = 1_000) -> LineScan:
    scan = LineScan(first, most)
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        scan.take(data[start:end])
    scan.finish()
    return scan


@given(TEXTS, st.lists(st.integers(0, 1_000)), st.integers(1, 9), st.integers(0, 9))
def test_a_scan_in_pieces_finds_the_lines_of_the_whole(text: str, cuts: list[int], first: int, most: int) -> None:
    scan = scanned(text.encode(), cuts, first, most)
    lines = lines_of(text)
    assert scan.total == len(lines)
    assert [line.data.decode() for line in scan.lines] == lines[first - 1 : first - 1 + most]
    assert [line.characters for line in scan.lines] == [len(line) for line in lines[first - 1 : first - 1 + most]]


@given(TEXTS.map(lambda text: text.replace("\n", "")), st.lists(st.integers(0, 100_000)))
def test_of_a_line_too_long_to_keep_every_character_is_counted(text: str, cuts: list[int]) -> None:
    whole = "\u4e2d" * LONGEST_KEPT + text
    for end in ("", "\n", "\r\n"):
        (line,) = scanned((whole + end).encode(), cuts).lines
        assert len(line.data) == LONGEST_KEPT
        assert whole.startswith(line.data.decode(errors="ignore"))
        assert line.characters == len((whole + end).removesuffix("\n").removesuffix("\r"))


def test_in_an_encoding_of_single_bytes_every_byte_is_a_character() -> None:
    scan = LineScan(1, 1, single_bytes=True)
    scan.take(b"\xe9\x80\x80\r\n")
    assert [(line.data, line.characters) for line in scan.lines] == [(b"\xe9\x80\x80", 3)]
