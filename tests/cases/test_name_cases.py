"""Which names a rule may name a tool by: what another product takes for one, and what our own rules say of it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from accounts import accounted, case
from corpus_files import cases
from handrail.catalog import Registry
from handrail.policy import rules_from
from handrail.surfaces.cli.policies import notes_on
from handrail.tools import builtin_tools

GEMINI = cases("gemini_behaviour", "tool-name-validity")
WAITING: Mapping[str, str] = {}
OTHERWISE = {
    "gm-tool-name-validity-205": "`mcp__tool` is every tool of the server `tool`, as in Claude Code's rules",
}


def test_every_case_is_accounted_for_once() -> None:
    assert accounted(globals(), WAITING) == sorted(GEMINI)


def may_name_a_tool(name: str, *, wildcards: bool) -> bool:
    (rule,) = rules_from([{"tool": name, "decision": "deny"}])
    (pattern,) = rule.tools
    if not pattern.is_exact:
        return wildcards
    return not list(notes_on([rule], Registry(builtin_tools()).knows))


@case(*GEMINI)
@pytest.mark.parametrize("id", sorted(GEMINI.keys() - OTHERWISE))
def test_a_name_that_no_tool_can_have_is_told_of(id: str) -> None:
    given = GEMINI[id]["given"]
    assert may_name_a_tool(given["name"], wildcards=given.get("allowWildcards", False)) is GEMINI[id]["expect"]


@pytest.mark.parametrize(
    "name",
    ["mcp__gh__list", "mcp__gh", "mcp__tool", "mcp_gh_list_all", "MCP_gh_x", "mcp_a.b_c:d", "Bash", "replace", "shell"],
)
def test_a_name_that_a_tool_has_or_may_have_later_is_not(name: str) -> None:
    assert may_name_a_tool(name, wildcards=False)


@pytest.mark.parametrize("name", ["mcp_", "mcp_gh", "mcp____", "mcp_gh_ü", "bash2", "Replace", "discovered_tool_"])
def test_its_siblings_are_told_of(name: str) -> None:
    assert not may_name_a_tool(name, wildcards=False)
