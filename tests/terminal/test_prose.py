"""Markdown that arrives in pieces is cut into blocks that never change any more."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.surfaces.terminal.prose import LONGEST_OPEN, Prose

BLOCKS = [
    ("one line", ["one line"]),
    ("a\nb\n\nc", ["a\nb", "c"]),
    ("\n\na\n\n\n\nb\n\n", ["a", "b"]),
    ("1. one\n\n   more\n\ntext", ["1. one\n\n   more", "text"]),
    ("```\na\n\nb\n```\n\nc", ["```\na\n\nb\n```", "c"]),
    ("````\n```\n\na\n````\nb", ["````\n```\n\na\n````\nb"]),
    ("~~~ py\na\n\n```\n~~~", ["~~~ py\na\n\n```\n~~~"]),
    ("```\nnever closed\n\nyet", ["```\nnever closed\n\nyet"]),
    ("```x``` is code\n\nb", ["```x``` is code", "b"]),
    ("``` a`b\n\nc", ["``` a`b", "c"]),
    ("~~~ a`b\n\nc\n~~~", ["~~~ a`b\n\nc\n~~~"]),
    ("", []),
    ("\n \n", []),
]


def blocks(pieces: list[str]) -> list[str]:
    prose = Prose()
    return [block for piece in pieces for block in prose.add(piece)] + prose.end()


@pytest.mark.parametrize(("text", "expected"), BLOCKS)
def test_a_text_is_cut_where_commonmark_parts_blocks(text: str, expected: list[str]) -> None:
    assert blocks([text]) == expected


texts = st.lists(
    st.sampled_from(["a", "b c", "", "  x", "```", "~~~~", "- i", "1. n", "```py", "```x```"]), max_size=60
).map("\n".join)


@given(text=texts, data=st.data())
def test_where_the_pieces_are_cut_makes_no_difference(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    edges = [0, *cuts, len(text)]
    assert blocks([text[a:b] for a, b in pairwise(edges)]) == blocks([text])


@given(text=texts)
def test_every_line_that_says_something_is_in_a_block_in_its_order(text: str) -> None:
    said = [
        line for line in "\n".join(blocks([text])).split("\n") if line.strip() and "`" not in line and "~" not in line
    ]
    assert said == [line for line in text.split("\n") if line.strip() and "`" not in line and "~" not in line]


def test_a_long_fenced_block_is_finished_in_parts_that_are_fenced_themselves() -> None:
    lines = [f"line {number}" for number in range(3 * LONGEST_OPEN)]
    parts = blocks(["\n".join(["```python", *lines, "```"])])
    assert len(parts) > 2
    assert all(part.startswith("```python\n") and part.endswith("\n```") for part in parts)
    assert [line for part in parts for line in part.split("\n")[1:-1]] == lines


def test_what_is_open_is_all_that_came_since_the_last_finished_block() -> None:
    prose = Prose()
    assert prose.add("done\n\n") == []
    assert prose.open == "done"
    assert prose.add("h") == ["done"]
    assert prose.open == "h"
    prose.add("alf\na sen")
    assert prose.open == "half\na sen"
    prose.add("tence\n\n  and")
    assert prose.open == "half\na sentence\n\n  and"
    assert prose.end() == ["half\na sentence\n\n  and"]
    assert prose.open == ""
