from __future__ import annotations

import random
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handrail.contract.line_diff import Change, changes, split_lines
from handrail.contract.unified_diff import unified

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "d\r", "", " ", "\u2028x", "lone\rcr"]), max_size=40).flatmap(
    lambda lines: st.sampled_from(["\n".join(lines), "".join(f"{line}\n" for line in lines)])
)
BIG = [f"line {number}\n" for number in range(3_000)]
FEW = [random.Random(7).choice("abcd") + "\n" for _ in range(3_000)]


def applied(old: list[str], new: list[str], found: list[Change]) -> list[str]:
    """`new`, made of `old` and the changes; what lies between two changes must be the same on both sides."""
    made: list[str] = []
    a = b = 0
    for change in found:
        assert change.old_end > change.old_start or change.new_end > change.new_start
        assert change.old_start - a == change.new_start - b >= (1 if made else 0)
        made += old[a : change.old_start] + new[change.new_start : change.new_end]
        a, b = change.old_end, change.new_end
    return made + old[a:]


@given(old=TEXTS, new=TEXTS)
def test_the_changes_turn_the_old_text_into_the_new(old: str, new: str) -> None:
    before, after = split_lines(old), split_lines(new)
    assert applied(before, after, changes(before, after)) == after


@given(text=st.text(max_size=50))
def test_lines_put_together_are_the_text(text: str) -> None:
    lines = split_lines(text)
    assert "".join(lines) == text
    assert all(line.endswith("\n") and line.count("\n") == 1 for line in lines[:-1])


def scattered(lines: list[str]) -> list[str]:
    new = list(lines)
    for place in random.Random(3).sample(range(len(lines)), 50):
        new[place] = f"changed at {place}\n"
    return new


@pytest.mark.parametrize("lines", [BIG, FEW, ["same\n"] * 3_000], ids=["unique", "few", "same"])
def test_scattered_changes_are_found_one_by_one(lines: list[str]) -> None:
    new = scattered(lines)
    found = changes(lines, new)
    assert applied(lines, new, found) == new
    assert sum(change.new_end - change.new_start for change in found) == 50


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (BIG, BIG[::-1]),
        (BIG, BIG[1_500:] + BIG[:1_500]),
        (FEW, FEW[::-1]),
        (FEW, [f"other {line}" for line in FEW]),
        (FEW, []),
        ([], FEW),
    ],
    ids=["turned round", "moved", "shuffled few", "all other", "emptied", "filled"],
)
def test_large_changes_are_right_too(old: list[str], new: list[str]) -> None:
    assert applied(old, new, changes(old, new)) == new


def git_apply(folder: Path, diff: str) -> None:
    command = ["git", "-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, cwd=folder, input=diff.encode(), check=True, capture_output=True)


@settings(max_examples=60, deadline=None)
@given(old=st.none() | TEXTS, new=st.none() | TEXTS, name=st.sampled_from(["f", "a b.txt", 'q"u\\o.txt', "é\tt"]))
def test_git_applies_the_diff(
    tmp_path_factory: pytest.TempPathFactory, old: str | None, new: str | None, name: str
) -> None:
    folder = tmp_path_factory.mktemp("apply")
    path = folder / name
    if old is not None:
        path.write_bytes(old.encode())
    diff = "".join(unified(name, old, new))
    assert (diff == "") == (old == new)
    if diff:
        git_apply(folder, diff)
    assert (path.read_bytes().decode() if path.exists() else None) == new


def test_git_applies_scattered_changes(tmp_path: Path) -> None:
    new = scattered(FEW)
    (tmp_path / "f").write_text("".join(FEW))
    git_apply(tmp_path, "".join(unified("f", "".join(FEW), "".join(new))))
    assert (tmp_path / "f").read_text() == "".join(new)


def test_a_diff_reads_as_git_writes_it() -> None:
    assert list(unified("f", "a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\nX\nf")) == [
        "diff --git a/f b/f\n",
        "--- a/f\n",
        "+++ b/f\n",
        "@@ -2,5 +2,5 @@\n",
        *(" b\n", " c\n", " d\n"),
        *("-e\n", "-f\n"),
        *("+X\n", "+f\n"),
        "\\ No newline at end of file\n",
    ]
