from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.runtime.cutting import head_end, is_json, json_cuts, tail_start

WHOLE = [
    ("a combining mark", "e\u0301"),
    ("many combining marks", "e" + "\u0301\u0323" * 10),
    ("a family", "👩\u200d👩\u200d👧"),
    ("a skin tone", "👍🏽"),
    ("a variation selector", "❤\ufe0f"),
    ("a flag", "🇫🇷"),
    ("a flag of a region", "🏴\U000e0067\U000e0062\U000e007f"),
    ("the end of a line", "\r\n"),
    ("a colour", "\x1b[38;5;196m"),
    ("a colour, with the one-byte introducer", "\x9b31m"),
    ("a link", "\x1b]8;;https://example.org/a\x1b\\"),
    ("a title", "\x1b]0;building\x07"),
    ("an escaped character of JSON", "\\u00e9"),
    ("an escaped quote", '\\"'),
    ("an escaped backslash", "\\\\"),
    ("a byte as Python shows it", "\\xff"),
]


@pytest.mark.parametrize("whole", [whole for _, whole in WHOLE], ids=[name for name, _ in WHOLE])
def test_what_is_one_thing_to_a_reader_is_kept_or_left_out_whole(whole: str) -> None:
    text = f"before{whole}behind"
    start, end = 6, 6 + len(whole)
    for at in range(start, end + 1):
        assert head_end(text, at) == (end if at == end else start)
        assert tail_start(text, at) == (start if at == start else end)


def test_two_flags_in_a_row_are_two() -> None:
    assert head_end("🇫🇷🇩🇪", 2) == 2
    assert head_end("🇫🇷🇩🇪", 3) == 2


def test_an_escape_behind_an_escaped_backslash_is_none() -> None:
    assert head_end("\\\\n", 2) == 2
    assert head_end("\\\\\\n", 3) == 2


def test_an_escape_sequence_that_never_ends_may_be_cut() -> None:
    text = "\x1b]0;" + "x" * 10_000
    assert head_end(text, 9_000) == 9_000


@given(st.text(max_size=60), st.integers(0, 70))
def test_a_cut_lies_on_its_side_of_the_place_and_in_the_text(text: str, at: int) -> None:
    assert 0 <= head_end(text, at) <= min(at, len(text))
    assert min(at, len(text)) <= tail_start(text, at) <= len(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=6), inner, max_size=5),
    max_leaves=20,
)
_TOKEN = re.compile(r'\s*("(?:[^"\\]|\\.)*"|-?[0-9.eE+-]+|true|false|null|[\[\]{},:]|\s*$)', re.DOTALL)


def tokens(text: str) -> list[str] | None:
    """The JSON tokens of a text that begins and ends between two; None for any other."""
    found, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or token.end() == at:
            return None
        found += [token[1]] if token[1] else []
        at = token.end()
    return found


@given(st.lists(VALUES, min_size=4), st.data())
def test_json_is_cut_between_two_tokens(value: list[object], data: st.DataObject) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    head = data.draw(st.integers(0, len(text)))
    tail = data.draw(st.integers(head, len(text)))
    first, last = json_cuts(text, head, tail)
    assert first <= head
    assert last >= tail
    whole = tokens(text)
    assert whole is not None
    begin, end = tokens(text[:first]), tokens(text[last:])
    longest = max(map(len, whole))
    if longest < min(head, len(text) - tail) // 2:  # else one token is most of what is shown
        assert begin is not None
        assert whole[: len(begin)] == begin
        assert end is not None
        assert whole[len(whole) - len(end) :] == end


def test_a_string_that_is_most_of_the_json_is_cut_between_two_of_its_characters() -> None:
    text = json.dumps({"output": "\\é\n" * 1000})
    first, last = json_cuts(text, 100, len(text) - 400)
    assert 90 <= first <= 100
    assert len(text) - 400 <= last <= len(text) - 390
    assert json.loads(text[:first] + '"}')
    assert json.loads('{"output": "' + text[last:])


@pytest.mark.parametrize(
    ("text", "whether"),
    [('{"a": 1}', True), (" [1, 2]\n", True), ("[INFO] started", False), ("{", False), ("7", False), ("", False)],
)
def test_only_an_object_or_an_array_is_taken_for_json(text: str, whether: bool) -> None:
    assert is_json(text) is whether
