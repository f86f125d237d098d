from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.results import ImagePart, JsonPart, TextPart, ToolResult
from handrail.runtime.results import shortened, within_budget


@given(st.text(max_size=400), st.integers(0, 200))
def test_a_shortened_text_keeps_head_and_tail_and_counts_the_rest(text: str, characters: int) -> None:
    short = shortened(text, characters)
    if len(text) <= characters:
        assert short == text
        return
    head, _, rest = short.partition("\n[… ")
    note, _, tail = rest.partition(" …]\n")
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(head) + len(tail) == characters
    assert f"{len(text) - characters:,} of {len(text):,}" in note


@pytest.mark.parametrize(
    ("parts", "budget", "texts"),
    [
        ((TextPart("abc"),), 3, ["abc"]),
        ((TextPart("abcdefghij"),), 0, ["[… 1 more left out; ask for a smaller part …]"]),
        (
            (TextPart("abc"), TextPart("d"), TextPart("e")),
            3,
            ["abc", "[… 2 more left out; ask for a smaller part …]"],
        ),
        ((JsonPart([1, 2]),), 100, None),
        ((ImagePart(b"x" * 1000, "image/png"),), 1, None),
    ],
)
def test_only_what_is_over_the_budget_is_cut(parts, budget: int, texts: list[str] | None) -> None:
    result = within_budget(ToolResult(parts), budget)
    if texts is None:
        assert result.parts == parts
    else:
        assert [part.text for part in result.parts] == texts


def test_parts_share_the_budget_in_order() -> None:
    result = within_budget(ToolResult((TextPart("a" * 6), TextPart("b" * 6))), 10)
    assert result.parts[0] == TextPart("a" * 6)
    assert "left out" in result.parts[1].text
    assert result.parts[1].text.count("b") == 4
