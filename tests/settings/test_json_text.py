"""JSON with comments, as other agents' settings have it: what it says, and that no file takes long to read."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.settings.json_text import NotJson, parsed

VALUES = st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=5)


@given(st.dictionaries(st.text(), VALUES), st.sampled_from(["", "// a, ]\n", "/* b\n, } */", "///\n/**/", "\n"]))
def test_comments_and_last_commas_change_nothing_of_what_is_said(said: dict[str, object], comment: str) -> None:
    items = [f"{json.dumps(name)}: {json.dumps(value)},{comment}" for name, value in said.items()]
    assert parsed(f"{{{comment}{comment.join(items)}}}{comment}") == said


@pytest.mark.parametrize(
    "text", ['{"a": 1} /* no end', '{"a": 1} /*/', '{"a": "no end}', '{"a": 1,,}', "[1]", '{"a": 1 / 2}']
)
def test_what_is_no_json_beside_that_is_told(text: str) -> None:
    with pytest.raises(NotJson):
        parsed(text)


@pytest.mark.parametrize(
    ("comments", "is_json"),
    [
        ("/" * 200 + "\n", True),
        ("// " * 10_000 + "\n", True),
        ("// see https://a.example/ or " * 1_000 + "\n", True),
        ("/**/" * 10_000, True),
        ("/*" * 20_000, False),
        (",/*" * 20_000, False),
        ('"' + '\\"' * 20_000, False),
        (", " * 20_000, False),
    ],
    ids=["a banner", "one in the other", "addresses", "blocks", "no end", "commas", "a text", "blanks"],
)
def test_however_many_signs_stand_behind_a_comma_the_file_is_read(comments: str, is_json: bool) -> None:
    text = f'{{"a": 1, {comments} "b": 2}}'
    if is_json:
        assert parsed(text) == {"a": 1, "b": 2}
    else:
        with pytest.raises(NotJson):
            parsed(text)
