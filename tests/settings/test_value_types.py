from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from handrail.policy.modes import STRICTNESS, TABLE, Column, Mode
from handrail.settings.keys import KEYS, MODE
from handrail.settings.origin import Layer
from handrail.settings.value_types import BadValue, Choice, Count, Counts, Name, Paths, Seconds, Switch

BASE = Path("/work")
WORDS = Choice(("none", "some", "all"))


@pytest.mark.parametrize(
    ("kind", "given", "read"),
    [
        (WORDS, "some", "some"),
        (Count(1, 9), 1, 1),
        (Count(1, 9), 9, 9),
        (Seconds(99), 1, 1),
        (Seconds(99), "never", "never"),
        (Switch(), True, True),
        (Name(), " gpt-5 ", "gpt-5"),
        (Paths("folders"), "lib", (BASE / "lib",)),
        (Paths("folders"), ["lib", "/abs"], (BASE / "lib", Path("/abs"))),
        (Paths("folders"), [], ()),
        (Counts(Count(1, 9)), {"shell": 2}, {"shell": 2}),
    ],
)
def test_what_fits_is_read(kind, given, read) -> None:
    assert kind.read(given, BASE) == read


@pytest.mark.parametrize(
    ("kind", "given", "problem"),
    [
        (WORDS, "al", "is none of none, some, all; did you mean all"),
        (WORDS, "xyz", "is none of none, some, all$"),
        (WORDS, True, "is none of none"),
        (WORDS, ["some"], "is none of none"),
        (Count(1, 9), 0, "is not a whole number from 1 to 9"),
        (Count(1, 9), 10, "is not a whole number"),
        (Count(1, 9), True, "is not a whole number"),
        (Count(1, 9), 2.0, "is not a whole number"),
        (Count(1, 9), "2", "is not a whole number"),
        (Seconds(99), 0, r"is not a whole number from 1 to 99 \(seconds\), or never$"),
        (Seconds(99), "soon", "or never$"),
        (Seconds(99), None, "or never$"),
        (Switch(), 1, "is not true or false"),
        (Switch(), "true", "is not true or false"),
        (Name(), "two\nlines", "is not a text on one line"),
        (Name(), 7, "is not a text"),
        (Paths("files"), 7, "is not a list of files"),
        (Paths("files"), [""], "is not a list of files"),
        (Paths("files"), ["a\0b"], "is not a list of files"),
        (Paths("files"), {"a": 1}, "is not a list of files"),
        (Counts(Count(1, 9)), 3, "is not a table; for each name a whole number from 1 to 9"),
        (Counts(Count(1, 9)), {"a": 1, "b": 0}, "has b = 0, which is not a whole number from 1 to 9"),
    ],
)
def test_what_does_not_fit_is_told_with_what_would(kind, given, problem) -> None:
    with pytest.raises(BadValue, match=problem):
        kind.read(given, BASE)


@pytest.mark.parametrize(
    ("kind", "text", "read"),
    [
        (WORDS, "some", "some"),
        (Count(1, 9), "4", 4),
        (Seconds(99), "60", 60),
        (Seconds(99), "never", "never"),
        (Switch(), "TRUE", True),
        (Switch(), "0", False),
        (Paths("folders"), "/a:b::", (Path("/a"), BASE / "b")),
        (Counts(Count(1, 9)), "shell=2, browser = 1,", {"shell": 2, "browser": 1}),
    ],
)
def test_a_variable_holds_the_same_as_text(kind, text, read) -> None:
    assert kind.read_text(text, BASE) == read


@pytest.mark.parametrize("text", ["", "-1", "1.5", "٤", "four", "9" * 5000])
def test_a_variable_that_holds_no_number_is_none(text) -> None:
    with pytest.raises(BadValue):
        Count(1, 9).read_text(text, BASE)


def test_a_home_is_expanded_and_a_relative_path_needs_a_base(monkeypatch) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    assert Paths("folders").read("~/lib", None) == (Path("/home/ada/lib"),)
    assert Paths("folders").read("~nobody-of-this-name/x", BASE) == (BASE / "~nobody-of-this-name/x",)
    with pytest.raises(BadValue, match="relative path lib; write it absolute, or beginning with ~/"):
        Paths("folders").read("lib", None)


@pytest.mark.parametrize(
    ("kind", "new", "old", "tightens"),
    [
        (WORDS, "none", "some", True),
        (WORDS, "some", "some", True),
        (WORDS, "all", "some", False),
        (Count(1, 9), 2, 3, True),
        (Count(1, 9), 4, 3, False),
        (Seconds(99), 5, "never", True),
        (Seconds(99), 5, 6, True),
        (Seconds(99), 6, 5, False),
        (Seconds(99), "never", "never", True),
        (Seconds(99), "never", 99, False),
        (Switch(), True, False, True),
        (Switch(), False, True, False),
        (Switch(), False, False, True),
        (Name(), "a", "b", False),
        (Counts(Count(1, 9)), {"a": 1, "b": 2}, {"a": 2}, True),
        (Counts(Count(1, 9)), {"b": 2}, {"a": 2}, False),
        (Counts(Count(1, 9)), {"a": 3}, {"a": 2}, False),
        (Paths("folders"), (BASE,), (), False),
        (Paths("folders"), (), (), True),
        (Paths("files", may_be_untrusted=True), (BASE,), (), True),
    ],
)
def test_what_nobody_trusts_may_only_tighten(kind, new, old, tightens: bool) -> None:
    assert kind.tightens(new, old) is tightens


def test_the_modes_are_listed_from_the_strictest_on() -> None:
    """What a source that nobody trusts may set goes by this order."""
    assert isinstance(MODE.type, Choice)
    rows = [TABLE[Mode(word)] for word in MODE.type.words]
    columns = [column for column in Column if column is not Column.PLAN_FILE]  # there is one in plan mode alone
    for stricter, freer in pairwise(rows):
        assert all(STRICTNESS[stricter[column]] >= STRICTNESS[freer[column]] for column in columns)


@pytest.mark.parametrize("key", KEYS, ids=lambda key: key.name)
def test_every_default_is_a_value_of_its_kind_and_may_be_given_by_hand(key) -> None:
    assert key.type.read(list(key.default) if isinstance(key.default, tuple) else key.default, BASE) == key.default
    assert {Layer.USER, Layer.ENVIRONMENT, Layer.FLAG} <= set(key.layers)
    assert key.about.endswith(".")
