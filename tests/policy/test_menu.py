from __future__ import annotations

from typing import Annotated

import pytest
from policy_world import TOOLS
from pydantic import BaseModel

from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool, Writes
from handrail.policy import Mode, Policy, hidden_reason, load_policy, rules_from


class Optional(BaseModel):
    text: str
    output: Annotated[str | None, Writes()] = None


class OptionalWriter(Tool[Optional]):
    name, kind = "convert", Kind.OTHER

    async def run(self, params: Optional) -> ToolResult:
        return ToolResult.of_text("")


def hidden(tool: str, mode: str = "default", *rules: dict[str, object]) -> str | None:
    return hidden_reason(TOOLS[tool], Policy(Mode(mode), rules_from(rules)))


@pytest.mark.parametrize("mode", [str(mode) for mode in Mode])
def test_nothing_is_hidden_by_a_mode_that_only_asks(mode: str) -> None:
    hidden_ones = {name for name in TOOLS if hidden(name, mode)}
    assert hidden_ones == ({"write_file", "delete_file", "mystery"} if mode == "plan" else set())


def test_plan_mode_shows_what_may_write_or_not() -> None:
    assert hidden_reason(OptionalWriter(), Policy(Mode.PLAN)) is None
    assert hidden("shell", "plan") is None
    assert hidden("fetch", "plan") is None


def test_a_deny_rule_for_a_whole_tool_hides_it_and_says_where_it_stands() -> None:
    reason = hidden("shell", "default", {"tool": "sh*", "decision": "deny", "reason": "no commands here"})
    assert reason == "the rule at session:1 denies it: no commands here"


def test_an_alias_or_a_face_in_a_deny_rule_hides_the_tool() -> None:
    assert hidden("shell", "default", {"tool": "bash", "decision": "deny"})
    policy = Policy(rules=rules_from([{"tool": "Edit", "decision": "deny"}]))
    assert hidden_reason(TOOLS["write_file"], policy, ("Edit",))
    assert hidden_reason(TOOLS["write_file"], policy) is None


SOME = [
    {"command": "rm *"},
    {"path": "src/**"},
    {"host": "*"},
    {"args": {"command": "*"}},
    {"effect": ["run", "unknown", "read"]},
    {"subagent": "*"},
    {"interactive": True},
    {"interactive": False},
    {"server": "*"},
    {"kind": "read"},
    {"annotations": {"readOnlyHint": False}},
]


@pytest.mark.parametrize("condition", SOME, ids=str)
def test_a_deny_rule_for_some_calls_hides_nothing(condition: dict[str, object]) -> None:
    assert hidden("shell", "default", {"tool": "shell", "decision": "deny", **condition}) is None


def test_a_deny_rule_of_another_mode_hides_nothing() -> None:
    assert hidden("shell", "default", {"tool": "shell", "decision": "deny", "mode": "plan"}) is None


def test_an_allow_rule_that_names_the_mode_brings_a_tool_back() -> None:
    assert hidden("write_file", "plan", {"tool": "write_file", "decision": "allow"})
    assert hidden("write_file", "plan", {"path": "docs/**", "decision": "allow", "mode": "plan"}) is None


@pytest.mark.parametrize(
    "condition",
    [{"kind": "other"}, {"server": "gh"}, {"server": "g*"}, {"annotations": {"destructiveHint": True}}],
    ids=str,
)
def test_a_deny_rule_for_all_calls_of_a_tool_hides_it_whatever_it_names_it_by(condition: dict[str, object]) -> None:
    served = type("Served", (OptionalWriter,), {"server": "gh", "annotations": {"destructiveHint": True}})()
    assert hidden_reason(served, Policy(rules=rules_from([{"decision": "deny", **condition}])))


def test_plan_mode_shows_tools_that_could_write_the_plan_file_or_whose_effects_are_declared() -> None:
    assert hidden_reason(TOOLS["write_file"], Policy(Mode.PLAN, plan_file="/w/plan.md")) is None
    assert hidden_reason(TOOLS["mystery"], Policy(Mode.PLAN, plan_file="/w/plan.md"))
    declared = load_policy('[effects.mystery]\nreads = ["."]\n', "p").declared
    assert hidden_reason(TOOLS["mystery"], Policy(Mode.PLAN, declared=declared)) is None


def test_where_bypass_is_forbidden_the_menu_is_that_of_default_mode() -> None:
    rules = rules_from([{"decision": "deny", "tool": "shell", "mode": "default"}])
    assert hidden_reason(TOOLS["shell"], Policy(Mode.BYPASS, rules)) is None
    assert hidden_reason(TOOLS["shell"], Policy(Mode.BYPASS, rules, bypass_forbidden_by="/etc/policy.toml"))
