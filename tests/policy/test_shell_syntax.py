"""What the parser is given: nothing with which it can end the process."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.policy.shell.syntax import parse, unreadable

WIDE = st.characters(min_codepoint=0x100, codec="utf-8")
AFTER_A_BRACE = re.compile(r"\{[0-9]*(?:\.\.[0-9]*)?[\u0100-\U0010ffff]")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ls {\u65e5", "U+65E5 behind a brace"),
        ("ls {1\U0010fffd", "U+10FFFD behind a brace"),
        ("ls {1..2\u0100}", "U+0100 behind a brace"),
        ("ls {..\u0100}", "U+0100 behind a brace"),
        ("echo {\u00ff", ""),
        ("echo {1.\u65e5", ""),
        ('echo \'{"a": "\u65e5"}\'', ""),
        ("echo \u65e5{", ""),
    ],
)
def test_a_text_that_the_parser_can_not_be_given_says_why(text: str, why: str) -> None:
    assert (why in unreadable(text)) if why else unreadable(text) == ""


@given(before=st.text("{}.0 a\"'", max_size=12), wide=WIDE, after=st.text("{}.0 \u65e5\U0001f600", max_size=12))
def test_the_parser_never_sees_a_wide_character_behind_a_brace(before: str, wide: str, after: str) -> None:
    text = before + wide + after
    seen = parse(text.encode()).text or b""
    assert not AFTER_A_BRACE.search(seen.decode())
    assert len(seen) <= len(text.encode())
    if not AFTER_A_BRACE.search(text):
        assert seen.decode() in text
