from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.runtime.names import shown_name, similar


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain name.txt", "plain name.txt"),
        ("-n", "-n"),
        ("\u4e2d\u00e9.txt", "\u4e2d\u00e9.txt"),
        ("two\nlines", r'"two\nlines"'),
        ("tab\t", r'"tab\t"'),
        (" blank", '" blank"'),
        ('"quoted"', r'"\"quoted\""'),
        ("9.41\u202fAM", r'"9.41\u202fAM"'),
        (os.fsdecode(b"bad\xff\xfe"), r'"bad\xff\xfe"'),
        ("\x1b[31mred", r'"\u001b[31mred"'),
    ],
)
def test_odd_names_are_quoted_and_plain_ones_are_not(name: str, shown: str) -> None:
    assert shown_name(name) == shown


@given(st.binary(min_size=1, max_size=12), st.binary(min_size=1, max_size=12))
def test_no_two_names_look_the_same(one: bytes, other: bytes) -> None:
    first, second = shown_name(os.fsdecode(one)), shown_name(os.fsdecode(other))
    assert (first == second) == (one == other)
    first.encode()


@pytest.mark.parametrize(
    ("wanted", "names", "near"),
    [
        ("app.pi", ["zebra", "app.py", "api.py"], ["app.py", "api.py"]),
        ("README", ["readme"], ["readme"]),
        ("zzz", ["app.py"], []),
        ("a", [], []),
        ("page1", ["page2", "page3", "page4", "page5"], ["page5", "page4", "page3"]),
    ],
)
def test_the_nearest_names_come_first(wanted: str, names: list[str], near: list[str]) -> None:
    assert similar(wanted, names) == near
