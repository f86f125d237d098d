"""Facts that are remembered: text in a list, whatever was in them, and everything else in the file left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_harness import Bench, CheckFailed

from call_harness import Person, opened, settled
from handrail.contract.calls import Completed, Rejected
from handrail.contract.confirmation import EditConfirmation, Once
from handrail.errors import ToolFailed
from handrail.runtime.askers import Nobody
from handrail.settings.places import CONFIG_VARIABLE
from handrail.surfaces.cli.asking import YesToAll
from handrail.tools.memory import MOST, Memory
from handrail.tools.memory_file.facts import escaped, facts_in, unescaped, with_fact, without_fact
from handrail.tools.planning.lines import one_line

PROJECT = ".handrail/memory.md"


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(CONFIG_VARIABLE, str(tmp_path / "config"))
    return tmp_path / "config" / "memory.md"


@pytest.fixture
def bench(tmp_path: Path, user: Path) -> Bench:
    (tmp_path / "ws").mkdir()
    return Bench(tmp_path / "ws")


async def memory(bench: Bench, action: str, fact: str = "", **more: Any) -> str:
    return (await bench.run(Memory(), action=action, fact=fact, **more)).text


async def test_a_fact_is_saved_listed_and_forgotten(bench: Bench, user: Path) -> None:
    assert await memory(bench, "list") == "Nothing is remembered for the project."
    assert await memory(bench, "save", "Tests: make\ncheck") == "Remembered for the project: Tests: make check"
    assert (bench.root / PROJECT).read_text() == "# Memory\n\n- Tests: make check\n"
    assert await memory(bench, "list") == f"In {PROJECT}:\n- Tests: make check"
    assert await memory(bench, "save", "Likes rope", scope="user") == "Remembered for the user: Likes rope"
    assert user.read_text() == "# Memory\n\n- Likes rope\n"
    assert await memory(bench, "forget", "make") == "Forgotten: Tests: make check"
    assert (bench.root / PROJECT).read_text() == "# Memory\n\n"


@pytest.mark.parametrize(
    ("fact", "line"),
    [
        ("# Rules", r"- \# Rules"),
        ("- - x", r"- \- - x"),
        ("1. obey", r"- 1\. obey"),
        ("12) obey", r"- 12\) obey"),
        ("```sh", r"- \```sh"),
        ("~~~", r"- \~~~"),
        ("> said", r"- \> said"),
        ("---", r"- \---"),
        ("* * *", r"- \* * *"),
        ("[a]: http://x", r"- \[a]: http://x"),
        ("a <!-- hidden --> <b>", r"- a \<!-- hidden --> \<b>"),
        ("a\n\n# Rules\n- b", "- a # Rules - b"),
        ("a\u2028# b\x1b[8m\u202e", "- a # b[8m"),
        (r"C:\dir\*", r"- C:\\dir\\*"),
        ("in 2 days", "- in 2 days"),
    ],
)
def test_a_fact_can_be_nothing_but_text(fact: str, line: str) -> None:
    saved = with_fact("", fact)
    assert saved == f"# Memory\n\n{line}\n"
    assert [found.text for found in facts_in(saved)] == [one_line(fact)]


@given(st.text())
def test_what_is_escaped_reads_as_it_was_said(fact: str) -> None:
    assert unescaped(escaped(fact)) == one_line(fact)
    assert "\n" not in escaped(fact)


FILES = [
    "",
    "Mine.\n",
    "Mine, without an end",
    "# Ours\n\nWords.\n\n- one\n- two\n\n## More\n\nLast.\n",
    "- one",
    "# Ours\r\n\r\n- one\r\n- two\r\n\r\nLast.\r\n",
    "- one\r\n- two",
    "- one\n  goes on\n\ttwice\n\n- two\n",
    "```\n- no fact\n```\n- one\n",
    "~~~\n- never closed\n",
]


@pytest.mark.parametrize("content", FILES)
def test_saving_and_forgetting_leave_every_other_line_as_it_was(content: str) -> None:
    before, saved = facts_in(content), with_fact(content, "new")
    found = facts_in(saved)
    if not content.startswith("~~~"):  # what stands behind an open fence is code
        assert [fact.text for fact in found] == [*(fact.text for fact in before), "new"]
        back = without_fact(saved, found[-1])
        assert back.split() == content.split() or not content
    assert set(content.splitlines()) <= set(saved.splitlines())
    assert ("\r\n" in saved) == ("\r\n" in content)


def test_an_item_goes_with_the_lines_that_belong_to_it() -> None:
    content = FILES[7]
    assert [fact.text for fact in facts_in(content)] == ["one goes on twice", "two"]
    assert without_fact(content, facts_in(content)[0]) == "\n- two\n"


@pytest.mark.parametrize(
    ("action", "fact", "said"),
    [
        ("forget", "three", "No such fact"),
        ("forget", "t", "2 facts have these words; give one of them whole:\n- two\n- ten"),
        ("save", "TWO", "remembered already"),
    ],
)
async def test_what_can_t_be_done_is_said_and_asked_of_nobody(bench: Bench, action: str, fact: str, said: str) -> None:
    (bench.root / ".handrail").mkdir()
    (bench.root / PROJECT).write_text("- two\n- ten\n")
    with pytest.raises(ToolFailed, match=said):
        await memory(bench, action, fact)
    with pytest.raises(ToolFailed, match=said):
        await bench.confirm(Memory(), action=action, fact=fact)


async def test_a_whole_fact_goes_before_words_of_others(bench: Bench) -> None:
    for fact in ("rope", "rope and tar"):
        await memory(bench, "save", fact)
    assert await memory(bench, "forget", "Rope") == "Forgotten: rope"


async def test_a_file_holds_so_many_facts_and_no_more(bench: Bench) -> None:
    (bench.root / ".handrail").mkdir()
    (bench.root / PROJECT).write_text("".join(f"- fact {number}\n" for number in range(MOST)))
    with pytest.raises(ToolFailed, match="Forget some first"):
        await memory(bench, "save", "one more")


async def test_a_file_that_is_no_text_is_left_alone(bench: Bench) -> None:
    (bench.root / ".handrail").mkdir()
    (bench.root / PROJECT).write_bytes(b"- \xff\n")
    with pytest.raises(ToolFailed, match="is not UTF-8 at byte 2"):
        await memory(bench, "save", "x")


@pytest.mark.parametrize(
    ("action", "fact", "said"),
    [
        ("save", "\u200b\n", "To save, give the fact"),
        ("forget", "", "To forget"),
        ("save", f"Use ghp_{'a1B2' * 9}", "secret"),
    ],
)
async def test_a_call_without_a_fact_or_with_a_secret_is_refused(
    bench: Bench, action: str, fact: str, said: str
) -> None:
    with pytest.raises(CheckFailed, match=said):
        await memory(bench, action, fact)


@pytest.mark.parametrize("scope", ["project", "user"])
@pytest.mark.parametrize("mode", ["default", "accept-edits", "bypass"])
async def test_a_person_sees_each_change_before_it_is_made(bench: Bench, user: Path, mode: str, scope: str) -> None:
    path = user if scope == "user" else bench.root / PROJECT
    person = Person(Once())
    async with opened(bench.root, Memory(), mode=mode, asker=person) as session:
        state = await settled(session, "memory", {"action": "save", "fact": "x", "scope": scope})
    assert isinstance(state, Completed)
    new = "# Memory\n\n- x\n"
    assert person.asked[0].confirmation == EditConfirmation(f"Remember for the {scope}: x", path, None, new)
    assert person.asked[0].offers == ()
    assert path.read_text() == new


@pytest.mark.parametrize("asker", [Nobody(), YesToAll()], ids=["nobody", "yes to all"])
@pytest.mark.parametrize("scope", ["project", "user"])
async def test_nothing_is_remembered_without_a_person(bench: Bench, user: Path, asker: Any, scope: str) -> None:
    async with opened(bench.root, Memory(), mode="bypass", asker=asker) as session:
        state = await settled(session, "memory", {"action": "save", "fact": "x", "scope": scope})
        assert isinstance(state, Rejected)
        assert isinstance(await settled(session, "memory", {"action": "list"}, "c2"), Completed)
    assert not user.exists()
    assert not (bench.root / PROJECT).exists()


async def test_a_link_in_place_of_the_file_leads_nowhere(bench: Bench, tmp_path: Path) -> None:
    (bench.root / ".handrail").mkdir()
    elsewhere = tmp_path / "elsewhere.md"
    (bench.root / PROJECT).symlink_to(elsewhere)
    async with opened(bench.root, Memory(), mode="bypass", asker=Nobody()) as session:
        assert isinstance(await settled(session, "memory", {"action": "save", "fact": "x"}), Rejected)
    assert not elsewhere.exists()
