from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.confirmation import CancelCall, EditArguments, Once, Reject
from handrail.surfaces.cli.asking import parsed
from handrail.surfaces.cli.confirming import titled
from handrail.surfaces.cli.text import MAX_DIFF_LINES, diff_lines, printable

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "  x"]), max_size=30)


@pytest.mark.parametrize(
    ("described", "title"),
    [
        ("Edit tide.py", "tide: Edit tide.py"),
        ('tide: port="Brest"', 'tide: port="Brest"'),
        ("tide", "tide"),
        ("tides: port", "tide: tides: port"),
        ("", "tide"),
    ],
)
def test_a_title_has_the_tools_name_once(described: str, title: str) -> None:
    assert titled("tide", described) == title


@given(LINES, LINES)
def test_a_diff_turns_the_old_text_into_the_new(tmp_path_factory, old: list[str], new: list[str]) -> None:
    folder: Path = tmp_path_factory.mktemp("diff")
    (folder / "f").write_text("".join(f"{line}\n" for line in old))
    diff = diff_lines("f", "".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new), colour=False)
    if old == new:
        assert diff == ["(no change)"]
        return
    patch = "\n".join(diff) + "\n"
    subprocess.run(["git", "apply", "-"], input=patch, text=True, cwd=folder, check=True)
    assert (folder / "f").read_text().splitlines() == new


def test_a_change_in_a_large_file_is_found_without_comparing_it_all() -> None:
    lines = [f"line {i}" for i in range(100_000)]
    changed = [*lines[:70_000], "other", *lines[70_001:]]
    diff = diff_lines("f", "\n".join(lines), "\n".join(changed), colour=False)
    assert diff[3:] == [
        "@@ -69998,7 +69998,7 @@",
        " line 69997",
        " line 69998",
        " line 69999",
        "-line 70000",
        "+other",
        " line 70001",
        " line 70002",
        " line 70003",
    ]


def test_what_is_too_much_to_show_is_said() -> None:
    assert "17804 more lines" in diff_lines("f", "a\n" * 9_000, "b\n" * 9_000, colour=False)[MAX_DIFF_LINES]
    assert "more lines" in diff_lines("f", None, "b\n" * 900, colour=False)[MAX_DIFF_LINES]


def test_carriage_returns_are_shown_where_lines_differ_in_them() -> None:
    assert diff_lines("f", "a\r\nb\r\n", "a\r\nc\r\n", colour=False)[-3:] == [" a", "-b", "+c"]
    assert diff_lines("f", "a\r\nb\r\n", "a\r\nb\n", colour=False)[-3:] == [" a\\x0d", "-b\\x0d", "+b"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain ä →", "plain ä →"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("a\rb", "a\\x0db"),
        ("left\u202eright", "left\\x202eright"),
        ("left\u061cright", "left\\x61cright"),
        ("two\nlines", "two\\nlines"),
    ],
)
def test_nothing_that_a_terminal_obeys_gets_through(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("y\n", Once()),
        (" YES ", Once()),
        ("n", Reject()),
        ("n use tabs instead", Reject("use tabs instead")),
        ("c", CancelCall()),
        ('e {"path": "b"}', EditArguments({"path": "b"})),
    ],
)
def test_answers_are_read_as_they_are_typed(typed: str, answer: object) -> None:
    assert parsed(typed) == answer


@pytest.mark.parametrize(
    "typed", ["", "maybe", "e {oops", "e [1]", "yn", "y but not b", 'e {"n": NaN}', "e " + "[" * 100_000]
)
def test_what_is_no_answer_is_told_so(typed: str) -> None:
    assert isinstance(parsed(typed), str)
