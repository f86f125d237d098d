"""On whose behalf calls are made, and the one file that a plan is written to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from call_harness import opened, settled
from handrail.contract.basics import JsonObject
from handrail.contract.calls import Completed, Rejected
from handrail.contract.results import ToolResult
from handrail.policy import rules_from
from handrail.testing import FakeTool
from handrail.tools import builtin_tools


class Speaking(FakeTool):
    """Calls another tool, as the subagent that its arguments name."""

    def __init__(self, name: str, then: str) -> None:
        async def call(params: Any, context: Any) -> ToolResult:
            result: ToolResult = await context.calls.call(then, {})
            return result

        super().__init__(name, call, makes_calls=True)

    def subagent(self, params: JsonObject) -> str:
        if params.get("as") == "":
            raise RuntimeError("it can not say")
        return str(params.get("as", ""))


WHO = [
    ({"as": "explorer"}, True),
    ({"as": "writer"}, False),
    ({}, False),
    ({"as": ""}, True),
]


@pytest.mark.parametrize(("arguments", "is_denied"), WHO, ids=str)
async def test_a_rule_on_a_subagent_holds_for_the_calls_that_are_made_in_its_name(
    tmp_path: Path, arguments: dict[str, Any], is_denied: bool
) -> None:
    rules = rules_from([{"subagent": ["explorer", "agent"], "tool": "inner", "decision": "deny"}])
    inner = FakeTool("inner")
    async with opened(tmp_path, Speaking("agent", "inner"), inner, rules=rules) as session:
        await settled(session, "agent", arguments)
        assert isinstance(await settled(session, "inner", id="c2"), Completed)
    assert len(inner.calls) == (1 if is_denied else 2)


async def test_a_call_within_a_subagents_call_is_made_in_its_name_too(tmp_path: Path) -> None:
    rules = rules_from([{"subagent": "explorer", "tool": "inner", "decision": "deny"}])
    inner = FakeTool("inner")
    tools = (Speaking("agent", "between"), Speaking("between", "inner"), inner)
    async with opened(tmp_path, *tools, rules=rules) as session:
        await settled(session, "agent", {"as": "explorer"})
        assert inner.calls == []
        await settled(session, "agent", {"as": "writer"}, id="c2")
    assert len(inner.calls) == 1


async def test_plan_mode_writes_no_file_but_the_plan(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="plan") as session:
        state = await settled(session, "write_file", {"file_path": "plan.md", "content": "first"})
    assert isinstance(state, Rejected)
    assert list(tmp_path.iterdir()) == []
