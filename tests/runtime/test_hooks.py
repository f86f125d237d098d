"""Hooks: what they may say at each moment, that the strictest wins, and that one that fails blocks."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from call_harness import Person, opened, request, settled, states_of
from handrail.contract.basics import CallId
from handrail.contract.calls import (
    AwaitingApproval,
    Completed,
    Pending,
    Rejected,
)
from handrail.contract.confirmation import Once, Reject
from handrail.contract.effects import Claims
from handrail.contract.events import NoticeGiven
from handrail.contract.hooks import (
    AddContext,
    Allow,
    Ask,
    Block,
    ReplaceResult,
    Rewrite,
    ToolUse,
)
from handrail.contract.results import ErrorKind, ToolResult
from handrail.errors import UsageError
from handrail.policy import rules_from
from handrail.testing import FakeTool, MemoryJournal
from handrail.tools import builtin_tools

WRITE = {"file_path": "a.txt", "content": "x"}


# Before


async def test_a_block_denies_the_call_and_says_why(tmp_path: Path) -> None:
    tool, journal = FakeTool(), MemoryJournal()
    async with opened(tmp_path, tool, journal=journal) as session:

        @session.before_tool
        async def guard(use: ToolUse) -> Block:
            return Block("not on a Sunday")

        state = await settled(session, "fake")
    assert isinstance(state, Rejected)
    assert state.fault.kind is ErrorKind.DENIED
    assert "not on a Sunday" in state.result.text
    assert str(state.decision.source) == "hook:guard"
    assert tool.calls == []
    assert [type(state) for state in states_of(journal, "c1")] == [Pending, Rejected]


@pytest.mark.parametrize("is_async", [True, False], ids=["async", "function"])
async def test_a_hook_is_told_what_would_run(tmp_path: Path, is_async: bool) -> None:
    told: list[ToolUse] = []

    async def watch(use: ToolUse) -> None:
        told.append(use)

    async with opened(tmp_path, FakeTool()) as session:
        session.before_tool(watch if is_async else told.append)
        assert isinstance(await settled(session, "fake", {"a": 1}), Completed)
    assert told == [ToolUse(CallId("c1"), None, "fake", {"a": 1})]


async def test_a_function_that_blocks_does_not_stop_the_loop(tmp_path: Path) -> None:
    go_on = threading.Event()

    async with opened(tmp_path, FakeTool()) as session:

        @session.before_tool
        def slow(use: ToolUse) -> None:
            go_on.wait()

        call = session.submit(request("fake"))
        await asyncio.sleep(0)
        go_on.set()
        assert isinstance(await call.settled, Completed)


async def _raises(use: ToolUse) -> None:
    raise LookupError("no such list")


async def _exits(use: ToolUse) -> None:
    raise SystemExit(3)


async def _hangs(use: ToolUse) -> None:
    await asyncio.Event().wait()


def _says(reply: Any) -> Any:
    async def say(use: ToolUse) -> Any:
        return reply

    return say


FAILING = [
    ("raises", _raises, "LookupError: no such list"),
    ("exits", _exits, "SystemExit: 3"),
    ("takes too long", _hangs, "it took longer than 0.01 seconds"),
    ("says yes in its own way", _says(True), "it gave True, which is no reply"),
    ("says no in its own way", _says("deny"), "it gave 'deny', which is no reply"),
    ("says no in another's way", _says({"permissionDecision": "deny"}), "which is no reply"),
    ("says one thing of two wrong", _says([AddContext("x"), "deny"]), "it gave 'deny'"),
    (
        "says what belongs after the call",
        _says(ReplaceResult(ToolResult.of_text("x"))),
        "which is no reply for before_tool",
    ),
    ("changes the arguments into what is no object", _says(Rewrite("ls")), "its arguments are no object"),
    ("is no function of one argument", lambda: None, "TypeError"),
]


@pytest.mark.parametrize(("hook", "said"), [case[1:] for case in FAILING], ids=[case[0] for case in FAILING])
async def test_a_hook_that_fails_blocks(tmp_path: Path, hook: Any, said: str) -> None:
    tool = FakeTool()
    async with opened(tmp_path, tool) as session:
        session.before_tool(name="guard", seconds=0.01 if hook is _hangs else 60)(hook)
        state = await settled(session, "fake")
    assert isinstance(state, Rejected)
    assert str(state.decision.source) == "hook:guard"
    assert said in state.decision.reason
    assert tool.calls == []


async def test_a_hook_that_may_fail_is_told_of_and_had_no_say(tmp_path: Path) -> None:
    heard: list[Any] = []
    async with opened(tmp_path, FakeTool()) as session:
        session.subscribe(heard.append)
        session.before_tool(on_error="pass", name="log")(_raises)
        state = await settled(session, "fake")
    assert isinstance(state, Completed)
    assert "(From the hook log: It failed, and had no say: LookupError: no such list)" in state.result.text
    assert NoticeGiven(CallId("c1"), "The hook log failed: LookupError: no such list") in heard


async def test_an_ask_is_asked_though_a_rule_allows(tmp_path: Path) -> None:
    person = Person(Once(), Reject("no"))
    rules = rules_from([{"tool": "fake", "decision": "allow"}])
    async with opened(tmp_path, FakeTool(), rules=rules, asker=person) as session:
        session.before_tool(name="doubt")(_says(Ask("is this meant?")))
        first = await settled(session, "fake")
        second = await settled(session, "fake", id="c2")
    assert isinstance(first, Completed)
    assert isinstance(second, Rejected)
    assert [str(call.decision.source) for call in person.asked] == ["hook:doubt"] * 2
    assert "is this meant?" in person.asked[0].decision.reason


async def test_a_trusted_allow_answers_what_only_the_mode_asks(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        session.before_tool(name="yes", trusted=True)(_says(Allow("known good")))
        state = await settled(session, "write_file", WRITE)
    assert isinstance(state, Completed)
    assert str(state.decision.source) == "hook:yes"
    assert "known good" in state.decision.reason


NOT_ANSWERED = [
    ("a rule's ask", "write_file", WRITE, [{"tool": "write_file", "decision": "ask"}], True),
    ("a rule's deny", "write_file", WRITE, [{"tool": "write_file", "decision": "deny"}], True),
    ("a protected path", "write_file", {"file_path": ".git/config", "content": "x"}, [], True),
    ("a command that can't be wholly known", "shell", {"command": "$X"}, [], True),
    ("a command that removes the workspace", "shell", {"command": "rm -rf ."}, [], True),
    ("a tool that is approved every time", "always", {}, [], True),
    ("the mode's ask, by a hook that is not trusted", "write_file", WRITE, [], False),
]


@pytest.mark.parametrize(
    ("tool", "arguments", "rules", "trusted"), [case[1:] for case in NOT_ANSWERED], ids=[c[0] for c in NOT_ANSWERED]
)
async def test_an_allow_answers_nothing_else(
    tmp_path: Path, tool: str, arguments: dict[str, Any], rules: Any, trusted: bool
) -> None:
    tools = (*builtin_tools(), FakeTool("always", needs_approval="always"))
    async with opened(tmp_path, *tools, mode="default", rules=rules_from(rules)) as session:
        session.before_tool(trusted=trusted)(_says(Allow()))
        state = await settled(session, tool, arguments)
    assert isinstance(state, Rejected)
    assert not str(state.decision.source).startswith("hook:")


async def test_no_opinion_leaves_everything_as_it_is(tmp_path: Path) -> None:
    person = Person(Once())
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person) as session:
        session.before_tool(_says(None))
        session.before_tool(_says(()))
        assert isinstance(await settled(session, "write_file", WRITE), Completed)
    assert [str(call.decision.source) for call in person.asked] == ["mode:default"]


@pytest.mark.parametrize(
    ("replies", "outcome"),
    [
        ([Allow(), Block("no")], Rejected),
        ([Block("no"), Allow()], Rejected),
        ([Allow(), Ask("sure?")], AwaitingApproval),
        ([Ask("sure?"), Block("no")], Rejected),
        ([Allow(), None], Completed),
    ],
    ids=str,
)
async def test_the_strictest_of_several_hooks_wins(tmp_path: Path, replies: list[Any], outcome: type) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        for reply in replies:
            session.before_tool(trusted=True)(_says(reply))
        live = session.submit(request("write_file", WRITE), on_ask="park")
        await live.rest()
        assert isinstance(live.state, outcome)


async def test_context_reaches_the_model_with_the_result(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool()) as session:
        session.before_tool(name="one")(_says(AddContext("the build is red")))
        session.before_tool(name="two")(_says([AddContext("so is the sky")]))
        state = await settled(session, "fake")
    assert state.result.text == "ok\n(From the hook one: the build is red)\n(From the hook two: so is the sky)"


@pytest.mark.parametrize(
    ("tools", "asked"),
    [("*", True), ("write_file", True), ("write_*", True), ("Write", True), ("read_file", False), ("write", False)],
)
async def test_a_hook_is_for_the_tools_it_names(tmp_path: Path, tools: str, asked: bool) -> None:
    async with opened(tmp_path, *builtin_tools()) as session:
        session.before_tool(tools)(_says(Block("no")))
        state = await settled(session, "write_file", WRITE)
    assert isinstance(state, Rejected) is asked


@pytest.mark.parametrize(("mode", "why"), [("plan", "reads"), ("default", "asked"), ("bypass", "allowed")])
async def test_hooks_run_in_every_mode(tmp_path: Path, mode: str, why: str) -> None:
    async with opened(tmp_path, FakeTool(), mode=mode) as session:
        session.before_tool(_says(Block("no")))
        assert isinstance(await settled(session, "fake"), Rejected)


async def test_hooks_run_for_child_calls_and_know_the_parent(tmp_path: Path) -> None:
    async def call(params: Any, context: Any) -> ToolResult:
        return await context.calls.call("child", {})

    child = FakeTool("child")
    parent = FakeTool("parent", call, makes_calls=True)
    async with opened(tmp_path, parent, child) as session:

        @session.before_tool("child")
        async def guard(use: ToolUse) -> Block:
            return Block(f"made by {use.parent}")

        state = await settled(session, "parent")
    assert "made by c1" in state.result.text
    assert child.calls == []


async def test_hooks_run_for_calls_that_the_client_carries_out(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool("picker", client_side=True)) as session:
        session.before_tool(_says(Block("no picking")))
        assert isinstance(await settled(session, "picker"), Rejected)


async def test_what_can_not_be_a_hook_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as session:
        for wrong in (lambda: session.before_tool(7), lambda: session.before_tool(" ")(_raises)):
            with pytest.raises(UsageError):
                wrong()
        with pytest.raises(UsageError, match="on_error"):
            session.before_tool(on_error="ignore")(_raises)


async def test_a_cancelled_call_does_not_wait_for_its_hook(tmp_path: Path) -> None:
    asked = asyncio.Event()
    tool = FakeTool(claims=Claims.unknown())

    async with opened(tmp_path, tool) as session:

        @session.before_tool
        async def never(use: ToolUse) -> None:
            asked.set()
            await asyncio.Event().wait()

        live = session.submit(request("fake"))
        await asked.wait()
        assert await session.cancel(CallId("c1"))
        assert "had not started" in live.settled.result().result.text
    assert tool.calls == []
