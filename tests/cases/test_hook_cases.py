"""Faults that people reported of hooks, and how another product runs them: a test for each.

A case that has no test here, waits for nothing and is not decided otherwise fails, and so does one that is in
two of these lists.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accounts import accounted, case
from call_harness import Person, opened, settled
from corpus_files import cases
from handrail.contract.calls import AwaitingApproval, Completed, Rejected
from handrail.contract.confirmation import Once, Reject
from handrail.contract.hooks import AddContext, Allow, ApprovalAsked, Ask, Block, Rewrite, ToolUse, replies_from_json
from handrail.contract.results import ToolResult
from handrail.policy import rules_from
from handrail.testing import FakeTool
from handrail.tools import builtin_tools
from handrail.wire import Wire
from neutral_calls import calls, kinds

FROM_ELSEWHERE = ("SC32", "SC34", "SC35")
"""Reported among the faults of schedulers."""
CASES = (
    cases("permission_faults", "hooks")
    | cases("gemini_behaviour", "hooks-*")
    | {id: case for id, case in cases("reported_faults", "scheduler_approval").items() if id in FROM_ELSEWHERE}
)

WAITING = {
    "cc-053": "hooks as commands",
    "cc-063": "hooks as commands",
    "gm-hooks-aggregate-236": "hooks of the agent's loop",
    "gm-hooks-aggregate-239": "hooks of the agent's loop",
    "gm-hooks-aggregate-240": "hooks of the agent's loop",
    "gm-hooks-run-338": "hooks as commands",
    "gm-hooks-run-339": "hooks as commands",
    "gm-hooks-run-340": "hooks as commands",
    "gm-hooks-run-342": "hooks as commands",
}
TESTED_ELSEWHERE = {"cc-058": "tests/cases/test_subagent_cases.py"}
DECIDED_OTHERWISE = {
    "gm-hooks-run-345": "a hook names its tools by a glob, as rules do; a wrong one is refused when it is registered",
}


def test_every_case_is_accounted_for_once() -> None:
    assert accounted(globals(), WAITING, TESTED_ELSEWHERE, DECIDED_OTHERWISE) == sorted(CASES)


def _says(*replies: Any) -> Any:
    async def hook(use: Any) -> Any:
        return list(replies)

    return hook


@case("cc-055")
async def test_a_hooks_allow_spares_the_question_unless_a_rule_asks(tmp_path: Path) -> None:
    person = Person(Reject())
    rules = rules_from([{"command": "date *", "decision": "ask"}])
    async with opened(tmp_path, *builtin_tools(), mode="default", rules=rules, asker=person) as session:
        session.before_tool(trusted=True)(_says(Allow()))
        assert isinstance(await settled(session, "shell", {"command": "touch x"}), Completed)
        assert isinstance(await settled(session, "shell", {"command": "date -u"}, id="c2"), Rejected)
    assert len(person.asked) == 1


@case("cc-057")
async def test_a_subagent_in_bypass_mode_does_not_get_past_a_hook(tmp_path: Path) -> None:
    async def delegate(params: Any, context: Any) -> ToolResult:
        return await context.calls.call("shell", {"command": "touch x"})

    agent = FakeTool("delegate", delegate, makes_calls=True)
    async with opened(tmp_path, *builtin_tools(), agent, mode="bypass") as session:
        session.before_tool("shell")(_says(Block("no")))
        await settled(session, "delegate")
    assert list(tmp_path.iterdir()) == []


@case("cc-059")
async def test_a_hook_can_deny_the_agent_tool_itself(tmp_path: Path) -> None:
    agent = FakeTool("agent", makes_calls=True)
    async with opened(tmp_path, agent) as session:

        @session.before_tool("agent")
        async def guard(use: ToolUse) -> Block | None:
            return Block("no exploring") if use.arguments["kind"] == "Explore" else None

        assert isinstance(await settled(session, "agent", {"kind": "Explore"}), Rejected)
    assert agent.calls == []


@case("cc-060")
async def test_a_subagents_question_goes_through_the_hook_before_anybody_sees_it(tmp_path: Path) -> None:
    async def delegate(params: Any, context: Any) -> ToolResult:
        return await context.calls.call("write_file", {"file_path": "a", "content": "x"})

    heard, person = [], Person(Once())
    agent = FakeTool("delegate", delegate, makes_calls=True)
    async with opened(tmp_path, *builtin_tools(), agent, mode="default", asker=person) as session:

        @session.on_approval_asked
        async def hear(asked: ApprovalAsked) -> None:
            heard.append((asked.parent, len(person.asked)))

        await settled(session, "delegate")
    assert heard == [("c1", 0)]


@case("cc-061")
async def test_a_hook_without_an_opinion_leaves_the_question_to_a_person(tmp_path: Path) -> None:
    person = Person(Once())
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person) as session:
        session.before_tool(_says())
        assert isinstance(await settled(session, "write_file", {"file_path": "a", "content": "x"}), Completed)
    assert len(person.asked) == 1


@case("SC32", "SC34")
@pytest.mark.parametrize(
    "printed",
    [
        '{"permissionDecision": "deny"}',
        'npm notice\n{"decision": "allow"}',
        '{"decision": "allow"}' + "\0" * 1_000_000,
        '{"decision": "allow"}\udcff',
    ],
    ids=["another shape", "words before", "NUL bytes behind", "a byte that is not UTF-8"],
)
async def test_what_a_guard_says_in_the_wrong_shape_blocks(tmp_path: Path, printed: str) -> None:
    async def guard(use: ToolUse) -> Any:
        return replies_from_json(printed)

    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        session.before_tool(trusted=True)(guard)
        state = await settled(session, "write_file", {"file_path": "a", "content": "x"})
    assert isinstance(state, Rejected)
    assert str(state.decision.source) == "hook:guard"


@case("SC35")
async def test_a_hooks_input_is_decided_again_and_is_what_a_person_sees(tmp_path: Path) -> None:
    rules = rules_from([{"command": "rm *", "decision": "deny"}, {"command": "ls *", "decision": "ask"}])
    person = Person(Once())
    async with opened(tmp_path, *builtin_tools(), mode="default", rules=rules, asker=person) as session:

        @session.before_tool("shell")
        async def change(use: ToolUse) -> Rewrite:
            return Rewrite({"command": {"ls": "rm x", "ls a": "ls b"}.get(use.arguments["command"], "ls")})

        assert isinstance(await settled(session, "shell", {"command": "ls"}), Rejected)
        await settled(session, "shell", {"command": "ls a"}, id="c2")
    assert [call.confirmation.command for call in person.asked] == ["ls b"]


@case("gm-hooks-aggregate-234")
async def test_an_ask_outranks_an_allow(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool("t"), mode="default") as session:
        session.before_tool(_says(Ask("sure?")))
        session.before_tool(trusted=True)(_says(Allow()))
        parked = await session.run(calls(("t", {})), Wire.NEUTRAL, on_ask="park")
        assert kinds(parked) == [AwaitingApproval]


@case("gm-hooks-aggregate-237")
async def test_the_contexts_of_all_hooks_reach_the_model(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool("t")) as session:
        for text in ("x", "y"):
            session.after_tool(name=text)(_says(AddContext(f"context {text}")))
        state = await settled(session, "t")
    assert state.result.text.index("context x") < state.result.text.index("context y")
