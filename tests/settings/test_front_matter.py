"""Front matter that is read without YAML says what YAML would have it say."""

from __future__ import annotations

import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from handrail.settings.skills import front_matter
from handrail.settings.skills.front_matter import read_fields

LINES = st.from_regex(re.compile(r"[a-z][a-z-]{0,8}: [A-Za-z0-9][ -~]{0,20}"), fullmatch=True)
NAMES = ("name", "description", "tools", "mode", "a", "b")
NAMED = st.builds("{}: {}".format, st.sampled_from(NAMES), st.from_regex(r"[A-Za-z0-9][ -~]{0,20}", fullmatch=True))


@given(st.lists(LINES | NAMED, min_size=1, max_size=5).map("\n".join))
def test_what_is_read_without_yaml_is_what_yaml_reads(matter: str) -> None:
    simple = front_matter._simple(matter, NAMES)
    if simple is None:
        return
    composed = yaml.load(matter, Loader=yaml.BaseLoader)
    assert {name: simple.text(name) for name in simple.said} == {n: t for n, t in composed.items() if n in NAMES}
    assert read_fields(matter, NAMES) == simple


@pytest.mark.parametrize(
    "matter",
    [
        "name: a\n",
        "name: a",
        "name: explore\ndescription: Looks things up, and 'reports' it.\n",
        "name: yes",
        "name: 1.0",
    ],
)
def test_plain_lines_need_no_yaml(matter: str) -> None:
    assert front_matter._simple(matter, NAMES) is not None


@pytest.mark.parametrize(
    "matter",
    [
        "", "name: [a]", "name: 'a'", "name: a: b", "name: a #b", "name: |\n  a", "name:\n- a", "name: a\n b",
        "name: &a b", "name: !!str a", "- a", "name: a\n\n", "name: ü", "name:a", "name: *a", "%YAML 1.1",
        "name: a\r\n", "name: a\n...",
    ],
)  # fmt: skip
def test_what_may_mean_more_is_left_to_yaml(matter: str) -> None:
    assert front_matter._simple(matter, NAMES) is None
