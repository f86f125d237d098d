from __future__ import annotations

import errno
import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.basics import CallId, SessionId
from handrail.contract.results import ImagePart, JsonPart, TextPart, ToolResult
from handrail.runtime.results import Budget, fair_shares, shortened, within_budget
from handrail.runtime.spilling import SpillFolder, spill_folder

PLAIN = st.text(st.characters(codec="ascii", exclude_characters="\\\x1b\r"), max_size=400)


@given(PLAIN, st.integers(0, 200))
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


def test_the_head_gets_a_fifth_and_the_tail_the_rest() -> None:
    head, _, tail = shortened("A" * 60 + "B" * 60, 50).partition("[…")
    assert head.strip() == "A" * 10
    assert tail.endswith("\n" + "B" * 40)


def test_the_lines_that_are_left_out_are_counted_too() -> None:
    assert "(80 lines)" in shortened("x\n" * 100, 40)


@pytest.mark.parametrize(
    ("parts", "budget", "texts"),
    [
        ((TextPart("abc"),), 3, ["abc"]),
        ((TextPart("abcdefghij"),), 0, ["\n[… 10 of 10 characters left out; ask for a smaller part …]\n"]),
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


def test_short_parts_stay_whole_and_long_ones_share_the_rest() -> None:
    short, long, longer = (TextPart(letter * size) for letter, size in (("A", 6), ("B", 60), ("C", 600)))
    result = within_budget(ToolResult((long, short, longer)), 46)
    assert result.parts[1] == short
    assert [part.text.count(letter) for part, letter in zip(result.parts, "BAC", strict=True)] == [20, 6, 20]


def test_very_many_parts_are_cut_as_one_text() -> None:
    picture = ImagePart(b"x", "image/png")
    result = within_budget(ToolResult((*[TextPart("x" * 100)] * 50, picture)), 1000)
    assert len(result.parts) == 2
    assert result.parts[1] == picture
    assert result.parts[0].text.count("left out") == 1


def test_json_that_is_cut_shows_whole_tokens() -> None:
    result = within_budget(ToolResult((JsonPart(list(range(1_000_000, 1_000_400))),)), 1000)
    head, _, tail = result.text.partition("\n[…")
    tail = tail.partition("…]\n")[2]
    assert json.loads(head.rstrip(", ") + "]")[-1] == 1_000_000 + len(json.loads(head.rstrip(", ") + "]")) - 1
    assert json.loads("[" + tail.lstrip(", "))[-1] == 1_000_399


@given(st.lists(st.integers(0, 1000), min_size=1), st.integers(0, 5000))
def test_shares_are_fair(sizes: list[int], total: int) -> None:
    shares = fair_shares(sizes, total)
    assert sum(shares) <= max(total, 0) or sum(sizes) <= total
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))
    cut = [share for share, size in zip(shares, sizes, strict=True) if share < size]
    assert not cut or max(cut) - min(cut) <= 1
    assert not cut or all(share <= min(cut) + 1 or share == size for share, size in zip(shares, sizes, strict=True))


# What is cut is kept


def budget(folder: Path | None, of_result: int = 100_000, of_turn: int = 100_000) -> Budget:
    return Budget(None if folder is None else SpillFolder(folder), of_result, of_turn, lambda call: None)


async def test_what_is_over_the_budget_is_kept_whole_in_a_file_that_its_owner_alone_may_read(tmp_path: Path) -> None:
    text = "é\n" * 1000
    result = await budget(tmp_path / "r").fit(CallId("c1"), ToolResult.of_text(text), 100)
    file = tmp_path / "r" / "c1.txt"
    assert file.read_text("utf-8") == text
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert f"the whole is in {file}, for the tools that read and search files" in result.text
    assert len(result.text) < 400


async def test_json_is_kept_in_lines_so_that_it_can_be_searched(tmp_path: Path) -> None:
    value = {"rows": list(range(1000))}
    await budget(tmp_path).fit(CallId("c1"), ToolResult.of_json(value), 100)
    lines = (tmp_path / "c1.txt").read_text().splitlines()
    assert json.loads("\n".join(lines)) == value
    assert max(map(len, lines)) < 20


async def test_half_a_character_does_not_keep_a_result_from_being_kept(tmp_path: Path) -> None:
    await budget(tmp_path).fit(CallId("c1"), ToolResult.of_text("\ud83d" * 1000), 100)
    assert (tmp_path / "c1.txt").read_text().startswith("\\ud83d")


@pytest.mark.parametrize(
    "id", ["../../etc/passwd", "a/b", "..", ".env", "x" * 500, "\ud83d", "a\0b", "call 1", "a-1f2e"], ids=ascii
)
async def test_a_call_of_any_name_has_its_file_in_the_folder(tmp_path: Path, id: str) -> None:
    await budget(tmp_path / "r").fit(CallId(id), ToolResult.of_text("x" * 1000), 100)
    (file,) = (tmp_path / "r").iterdir()
    assert not file.name.startswith(".")
    assert file.name == f"{id}.txt" or len(file.name) < 90


async def test_two_names_that_look_alike_have_two_files(tmp_path: Path) -> None:
    for id in ("a/b", "a:b"):
        await budget(tmp_path).fit(CallId(id), ToolResult.of_text(id * 1000), 100)
    assert len(list(tmp_path.iterdir())) == 2


def test_sessions_have_their_own_folders(tmp_path: Path) -> None:
    one, other = (spill_folder(tmp_path, SessionId(id)) for id in ("20260101-1", "../x"))
    assert one.parent == other.parent == tmp_path / "results"


async def test_a_file_that_can_not_be_written_is_said_and_head_and_tail_go_back(tmp_path: Path) -> None:
    (tmp_path / "r").write_text("in the way")
    result = await budget(tmp_path / "r").fit(CallId("c1"), ToolResult.of_text("a" * 20 + "b" * 1000), 100)
    assert "it could not be kept in a file" in result.text
    assert result.text.startswith("a" * 20)
    assert result.text.endswith("b" * 80)


async def test_a_full_disk_leaves_no_half_of_a_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    full = os.open("/dev/full", os.O_WRONLY)
    opened = os.open
    monkeypatch.setattr(
        os, "open", lambda path, *rest: os.dup(full) if str(path).endswith(".txt") else opened(path, *rest)
    )
    result = await budget(folder).fit(CallId("c1"), ToolResult.of_text("x" * 1000), 100)
    monkeypatch.undo()
    os.close(full)
    assert os.strerror(errno.ENOSPC) in result.text
    assert list(folder.iterdir()) == []


async def test_the_results_of_a_turn_share_its_budget(tmp_path: Path) -> None:
    sizes = (10, 5_000, 50_000)
    results = [(CallId(f"c{i}"), ToolResult.of_text("x" * size)) for i, size in enumerate(sizes)]
    fitting = await budget(tmp_path, of_turn=2_010).fit_turn(results)
    assert fitting[0] is results[0][1]
    assert [result.text.count("x") for result in fitting[1:]] == [1_001, 1_001]  # one each is of "txt"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["c1.txt", "c2.txt"]


async def test_a_result_that_is_cut_again_for_its_turn_still_names_the_whole(tmp_path: Path) -> None:
    bounds = budget(tmp_path, of_turn=500)
    once = await bounds.fit(CallId("c1"), ToolResult.of_text("0123456789" * 1000), 1_000)
    (twice,) = await bounds.fit_turn([(CallId("c1"), once)])
    assert "9,500 of 10,000 characters left out" in twice.text
    assert twice.text.count("left out") == 1
    assert (tmp_path / "c1.txt").read_text() == "0123456789" * 1000


async def test_without_a_folder_the_model_is_told_to_ask_for_less() -> None:
    result = await budget(None).fit(CallId("c1"), ToolResult.of_text("x" * 1000), 100)
    assert "ask for a smaller part" in result.text
