from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from policy_world import TOOLS, make_world

from handrail.contract.decision import Outcome
from handrail.policy import Facts, Mode, Policy, decide, hidden_reason, rules_from

ARGUMENTS = {
    "command": ["ls", "cat a.txt", "touch x", "git push", "rm -rf src", "curl http://example.org", "x $(y)", "("],
    "file_path": ["a.txt", "new", "../outside.txt", ".git/config", ".env", "/etc/passwd", "~/x"],
    "path": [".", "src", "..", "/"],
}


def subset(values: list[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), min_size=1, max_size=3, unique=True)


def rules() -> st.SearchStrategy[dict[str, object]]:
    """A rule with any of the conditions that a tool may be hidden by, or escape by."""
    return st.fixed_dictionaries(
        {"decision": st.sampled_from(["allow", "ask", "deny"]), "tool": subset(["*", *TOOLS, "*_file", "bash"])},
        optional={
            "mode": subset([str(mode) for mode in Mode]),
            "kind": subset(["read", "edit", "execute", "other"]),
            "command": subset(["*", "git *", "ls"]),
            "path": subset(["**", "src/**", "//**"]),
            "effect": subset(["read", "write", "run", "unknown", "outside"]),
            "interactive": st.booleans(),
            "subagent": subset(["*", "explore"]),
        },
    )


def calls() -> Iterator[tuple[str, dict[str, str]]]:
    for name, tool in TOOLS.items():
        properties = tool.parameters.schema.get("properties") or {}
        known = [parameter for parameter in properties if parameter in ARGUMENTS]
        assert known or not properties, f"there are no arguments for {name}"
        for value in ARGUMENTS[known[0]] if known else ("",):
            yield name, {known[0]: value} if known else {}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> list[Facts]:
    world = make_world(tmp_path_factory.mktemp("hidden").resolve())
    return [world.facts(name, **arguments) for name, arguments in calls()]


@given(given_rules=st.lists(rules(), max_size=6), mode=st.sampled_from(list(Mode)))
@settings(max_examples=400)
def test_no_arguments_make_a_hidden_tool_allowed(known, given_rules, mode):
    policy = Policy(mode, rules_from(given_rules))
    hidden = {name: why for name, tool in TOOLS.items() if (why := hidden_reason(tool, policy)) is not None}
    assume(hidden)
    for facts in known:
        if facts.tool in hidden:
            assert decide(facts, policy).outcome is Outcome.DENY, (facts.tool, hidden[facts.tool])
