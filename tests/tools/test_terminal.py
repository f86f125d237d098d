from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.tools.text.printed import NOT_UTF8, printed
from handrail.tools.text.terminal import as_shown

SHOWN = {
    "plain": ("a\tb\n\u4e2d\n", "a\tb\n\u4e2d\n"),
    "CRLF": ("a\r\nb\r\n", "a\r\nb\r\n"),
    "progress": ("".join(f"\r{i}%" for i in range(1001)) + "\n", "1000%\n"),
    "shorter over longer": ("abc\rX\n", "Xbc\n"),
    "erased line": ("progress 10%\r\x1b[Kdone\n", "done\n"),
    "erased whole line": ("abc\x1b[2K\rx", "x"),
    "erased to the cursor": ("abcdef\x1b[3D\x1b[1Kx", "   xef"),
    "colours": ("\x1b[1;31mred\x1b[0m plain", "red plain"),
    "title": ("\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\n", "ab\n"),
    "title without an end": ("\x1b]0;title\nb\n", "\nb\n"),
    "line above": ("one\ntwo\n\x1b[2A\x1b[2KONE\n", "ONE\ntwo\n"),
    "up too far": ("a\x1b[99Ab", "ab"),
    "to a column": ("abcdef\x1b[2Gx", "axcdef"),
    "far to the right": ("a\x1b[9999Cb", "a b"),
    "backspace": ("ab\b\bZ", "Zb"),
    "bell and NUL": ("a\x07\x00b", "ab"),
    "charset": ("\x1b(Bab\x1b7c", "abc"),
    "escape at the end": ("ab\x1b", "ab"),
    "half a command": ("ab\x1b[31", "ab31"),
    "8-bit command": ("a\x9b31mb", "ab"),
    "form feed": ("a\x0cb", "ab"),
}


@pytest.mark.parametrize(("text", "shown"), SHOWN.values(), ids=SHOWN.keys())
def test_text_is_what_a_terminal_would_show_in_the_end(text: str, shown: str) -> None:
    assert as_shown(text) == shown


@given(st.text(alphabet="ab\r\n\b\x1b[]0123;KAGCHm\x07", max_size=60))
def test_nothing_printed_leaves_a_control_character_or_grows(text: str) -> None:
    shown = as_shown(text)
    assert set(shown) <= set(text) | {" "}
    assert not set(shown.replace("\r\n", "")) & set("\x1b\x07\b\r")
    assert len(shown) <= 2 * len(text)


@given(st.text(alphabet=st.characters(exclude_categories=["Cc", "Cs"]), max_size=60))
def test_text_without_controls_stays(text: str) -> None:
    assert as_shown(text) == text


def test_long_output_keeps_both_ends_in_whole_lines() -> None:
    lines = [f"line {number}\n" for number in range(1000)]
    shown = printed("".join(lines).encode(), b"", 0, 200)
    start, _, rest = shown.partition("[… ")
    number, _, end = rest.partition(" bytes left out …]\n")
    assert start == "".join(lines[: start.count("\n")])
    assert end == "".join(lines[-end.count("\n") :])
    assert int(number.replace(",", "")) == len("".join(lines)) - len(start) - len(end)
    assert len(shown) < 240


def test_what_was_dropped_is_counted_with_what_is_cut() -> None:
    assert printed(b"head\n", b"tail\n", 1_000, 100) == "head\n[… 1,000 bytes left out …]\ntail\n"


@pytest.mark.parametrize("cut", range(1, 3))
def test_a_character_cut_in_half_is_left_out(cut: int) -> None:
    sign = "\u4e2d".encode()
    assert printed(b"a" + sign[:cut], sign[cut:] + b"b", 7, 100) == "a\n[… 10 bytes left out …]\nb"


def test_bytes_that_are_not_text_are_shown_and_told_of() -> None:
    assert printed(b"\xd6\xd0 ok\n", b"", 0, 100) == f"\ufffd\ufffd ok\n{NOT_UTF8}\n"
