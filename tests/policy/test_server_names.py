"""Rules and grants for the tools of a server: by its own name, whatever underscores there are in it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_facts import unknown

from handrail.policy import Facts, Grant, Policy, decide, offers, rules_from
from handrail.policy.grants import as_record, from_record
from handrail.policy.server_names import names_from


def served(server: str, tool: str, **more: object) -> Facts:
    """A tool's facts, with the names that it has where a server's name fits as it is."""
    names = (f"mcp_{server}_{tool}", f"mcp__{server}__{tool}", f"mcp__{server}")
    return replace(unknown(names[0], names=names, server=server), **more)


def outcomes(rule: str, decision: str, server: str, tool: str) -> str:
    return str(decide(served(server, tool), Policy(rules=rules_from([{"tool": rule, "decision": decision}]))).outcome)


HOLD = [
    ("mcp_git_*", "git", "log"),
    ("mcp_git_l*", "git", "log"),
    ("mcp_git_hub_*", "git_hub", "log"),
    ("mcp_my_srv_*", "my_srv", "list_all"),
    ("mcp__my_srv__*", "my_srv", "list"),
    ("mcp__my_srv", "my_srv", "list"),
    ("mcp__git__log", "git", "log"),
    ("mcp_*", "git", "log"),
    ("mcp__*", "git", "log"),
    ("mcp_*_log", "git_hub", "log"),
    ("mcp_gi*", "git_hub", "log"),
    ("mcp_My Server_*", "My Server", "x"),
    ("mcp__My Server", "My Server", "x"),
]
DO_NOT = [
    ("mcp_git_*", "git_hub", "log"),
    ("mcp_my_*", "my_srv", "list"),
    ("mcp_git_hub_*", "git", "log"),
    ("mcp__git__*", "git__hub", "log"),
    ("mcp__git", "git_hub", "log"),
    ("mcp_git", "git", "log"),
]


@pytest.mark.parametrize(("rule", "server", "tool"), HOLD)
def test_a_rule_for_a_server_holds_for_its_tools(rule: str, server: str, tool: str) -> None:
    assert outcomes(rule, "allow", server, tool) == "allow"
    assert outcomes(rule, "deny", server, tool) == "deny"


@pytest.mark.parametrize(("rule", "server", "tool"), DO_NOT)
def test_and_for_those_of_no_server_whose_name_begins_alike(rule: str, server: str, tool: str) -> None:
    assert outcomes(rule, "allow", server, tool) == "ask"
    assert outcomes(rule, "deny", server, tool) == "ask"


KNOWN = [
    ("mcp_my_srv_list", "my_srv", {"mcp_my_srv_list", "mcp__my_srv__list", "mcp__my_srv"}),
    ("mcp__my_srv__list", "my_srv", {"mcp_my_srv_list", "mcp__my_srv__list", "mcp__my_srv"}),
    ("list", "my_srv", {"mcp_my_srv_list", "mcp__my_srv__list", "mcp__my_srv"}),
    ("mcp_other_list", "my_srv", {"mcp__my_srv"}),
]


@pytest.mark.parametrize(("name", "server", "names"), KNOWN)
def test_of_one_name_and_the_server_the_others_follow(name: str, server: str, names: set[str]) -> None:
    assert set(names_from(name, server)) == names


DEFINED = served("gh", "list", definitions=("tool-1", "all-1"))


def after_granting(label: str) -> Policy:
    options = offers(DEFINED, Policy(), decide(DEFINED, Policy()))
    chosen = next(option for option in options if option.label.startswith(label))
    return Policy(grants=(from_record(as_record(Grant("g-1", chosen))),))


def test_a_person_may_grant_this_call_this_tool_and_this_server() -> None:
    assert [option.label for option in offers(DEFINED, Policy(), decide(DEFINED, Policy()))] == [
        "mcp_gh_list with these very arguments, in this session",
        "every call of mcp_gh_list in this session",
        "every call of mcp_gh_list in this project",
        "every tool of the server gh in this session",
        "every tool of the server gh in this project",
    ]


OTHER = served("gh", "drop", definitions=("tool-2", "all-1"))
ELSEWHERE = served("gh_x", "list", definitions=("tool-1", "all-1"))
CHANGED = replace(DEFINED, definitions=("tool-1b", "all-2"))
JOINED = replace(DEFINED, definitions=("tool-1", "all-2"))
GRANTS = [
    ("mcp_gh_list with", DEFINED, "allow"),
    ("mcp_gh_list with", OTHER, "ask"),
    ("mcp_gh_list with", CHANGED, "ask"),
    ("every call", DEFINED, "allow"),
    ("every call", JOINED, "allow"),
    ("every call", OTHER, "ask"),
    ("every call", CHANGED, "ask"),
    ("every tool", DEFINED, "allow"),
    ("every tool", OTHER, "allow"),
    ("every tool", ELSEWHERE, "ask"),
    ("every tool", CHANGED, "ask"),
    ("every tool", JOINED, "ask"),
]


@pytest.mark.parametrize(("label", "facts", "outcome"), GRANTS)
def test_a_grant_holds_for_what_was_defined_when_it_was_given(label: str, facts: Facts, outcome: str) -> None:
    assert decide(facts, after_granting(label)).outcome == outcome
