"""Hooks that change the arguments: validated and decided again, and seen by the hooks that were asked before."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from call_harness import Person, opened, settled, states_of
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    Completed,
    Executing,
    Pending,
    Rejected,
)
from handrail.contract.confirmation import EditArguments, Once
from handrail.contract.hooks import (
    Allow,
    Block,
    Rewrite,
    ToolUse,
)
from handrail.policy import rules_from
from handrail.testing import FakeTool, MemoryJournal
from handrail.tools import builtin_tools

WRITE = {"file_path": "a.txt", "content": "x"}


def _says(reply: Any) -> Any:
    async def say(use: ToolUse) -> Any:
        return reply

    return say


async def test_a_rewritten_call_is_validated_and_decided_again_and_shown_as_it_would_run(tmp_path: Path) -> None:
    person, journal = Person(Once()), MemoryJournal()
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person, journal=journal) as session:

        @session.before_tool("write_file")
        async def elsewhere(use: ToolUse) -> Rewrite:
            return Rewrite({**use.arguments, "file_path": "b.txt"})

        state = await settled(session, "write_file", WRITE)
    assert isinstance(state, Completed)
    assert person.asked[0].invocation.arguments["file_path"] == "b.txt"
    assert [path.name for path in tmp_path.iterdir()] == ["b.txt"]
    assert "The hook elsewhere changed the arguments before this ran" in state.result.text
    history = states_of(journal, "c1")
    assert [type(s) for s in history] == [Pending, Pending, AwaitingApproval, Approved, Executing, Completed]
    assert history[1].arguments.value["file_path"] == "b.txt"


async def test_a_rewrite_into_what_is_denied_is_denied(tmp_path: Path) -> None:
    person = Person(Once())
    rules = rules_from([{"tool": "shell", "command": "rm *", "decision": "deny"}])
    async with opened(tmp_path, *builtin_tools(), mode="default", rules=rules, asker=person) as session:
        session.before_tool(_says(Rewrite({"command": "rm x"})))
        state = await settled(session, "shell", {"command": "ls"})
    assert isinstance(state, Rejected)
    assert str(state.decision.source).startswith("rule:")
    assert person.asked == []


async def test_a_rewrite_into_what_does_not_fit_blocks(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools()) as session:
        session.before_tool(name="clumsy")(_says(Rewrite({"file_path": 7})))
        state = await settled(session, "write_file", WRITE)
    assert isinstance(state, Rejected)
    assert "file_path: got an integer, expected a string" in state.decision.reason
    assert list(tmp_path.iterdir()) == []


def _adds(letter: str) -> Any:
    async def add(use: ToolUse) -> Rewrite:
        return Rewrite({"text": use.arguments["text"] + letter})

    return add


async def test_rewrites_follow_each_other_in_order_and_each_is_made_once(tmp_path: Path) -> None:
    tool = FakeTool()
    async with opened(tmp_path, tool) as session:
        for letter in "abc":
            session.before_tool(_adds(letter))
        await settled(session, "fake", {"text": "-"})
    assert tool.calls == [{"text": "-abc"}]


async def test_a_hook_may_have_a_call_wait_for_the_ones_before_it(tmp_path: Path) -> None:
    tool = FakeTool()
    async with opened(tmp_path, tool) as session:
        session.before_tool(_says(Rewrite({"text": "-", "wait_for_previous": True})))
        assert isinstance(await settled(session, "fake", {"text": "-"}), Completed)
    assert tool.calls == [{"text": "-"}]


async def test_a_guard_that_came_first_sees_what_a_later_hook_made_of_the_call(tmp_path: Path) -> None:
    tool = FakeTool()
    async with opened(tmp_path, tool) as session:

        @session.before_tool
        async def guard(use: ToolUse) -> Block | None:
            return Block("no x") if "x" in use.arguments["text"] else None

        session.before_tool(_adds("x"))
        state = await settled(session, "fake", {"text": "-"})
    assert isinstance(state, Rejected)
    assert tool.calls == []


async def test_an_allow_of_what_no_longer_runs_counts_for_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:

        @session.before_tool(trusted=True)
        async def known(use: ToolUse) -> Allow | None:
            return Allow() if use.arguments["file_path"] == "a.txt" else None

        session.before_tool(_says(Rewrite({**WRITE, "file_path": "b.txt"})))
        state = await settled(session, "write_file", WRITE)
    assert isinstance(state, Rejected)


async def test_a_call_that_a_person_edits_goes_through_the_hooks_again(tmp_path: Path) -> None:
    person = Person(EditArguments({**WRITE, "file_path": "secret.txt"}))
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person) as session:

        @session.before_tool
        async def guard(use: ToolUse) -> Block | None:
            return Block("secret") if "secret" in use.arguments["file_path"] else None

        state = await settled(session, "write_file", WRITE)
    assert isinstance(state, Rejected)
    assert str(state.decision.source) == "hook:guard"


async def test_hooks_are_asked_once_about_the_same_arguments(tmp_path: Path) -> None:
    asked: list[ToolUse] = []

    async def remember(use: ToolUse) -> None:
        asked.append(use)

    file = tmp_path / "a.txt"
    file.write_text("one\n")

    def change_it_first(call: AwaitingApproval) -> Once:
        file.write_text("two\none\n")
        return Once()

    person = Person(change_it_first, Once())
    arguments = {"file_path": "a.txt", "old_string": "one", "new_string": "1"}
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person) as session:
        session.before_tool(remember)
        assert isinstance(await settled(session, "edit_file", arguments), Completed)
    assert len(person.asked) == 2
    assert len(asked) == 1
