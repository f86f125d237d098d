"""What another product names servers' tools, and what we do: for each case a test, or the reason."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from accounts import accounted, case
from corpus_files import cases
from handrail.contract.tool import NAME
from handrail.policy.patterns import ToolPattern
from handrail.policy.server_names import names_from
from handrail.providers.mcp.names import LONGEST, tool_names

CASES = cases("gemini_behaviour", "mcp-naming")
WAITING: Mapping[str, str] = {}
OTHERWISE = {
    "gm-mcp-naming-187": "no provider but Gemini takes `:` and `.`: such a name gets a mark at its end",
    "gm-mcp-naming-189": "what is replaced makes names alike, so the mark tells them apart",
    "gm-mcp-naming-193": "the same",
    "gm-mcp-naming-191": "every provider takes 64 characters, so 64 are left as they are",
}


def test_every_case_is_accounted_for_once() -> None:
    assert accounted(globals(), WAITING, OTHERWISE) == sorted(CASES)


@case("gm-mcp-naming-185", "gm-mcp-naming-188", "gm-mcp-naming-190", "gm-mcp-naming-194")
@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [
        ("mcp_gh", "list", "mcp_gh_list"),
        ("gh", "list", "mcp_gh_list"),
        ("9lives", "x", "mcp_9lives_x"),
        ("a" * 29, "b" * 29, f"mcp_{'a' * 29}_{'b' * 29}"),
        ("a" * 29, "b" * 30, f"mcp_{'a' * 29}_{'b' * 30}"),
    ],
)
def test_a_name_is_the_servers_and_the_tools(server: str, tool: str, name: str) -> None:
    assert tool_names(server, tool).ours == name


@case("gm-mcp-naming-192")
@pytest.mark.parametrize(
    ("server", "tool"), [("srv", "t" * 104), ("ns", "tool:v1.x"), ("é", "ü"), ("!", "!!"), ("a" * 30, "b" * 30)]
)
def test_a_name_that_would_not_do_is_shortened_and_marked(server: str, tool: str) -> None:
    made = tool_names(server, tool).ours
    assert NAME.fullmatch(made)
    assert len(made) <= LONGEST
    assert made != tool_names(server, f"{tool}x").ours


def fits(rule: str, server: str, tool: str) -> bool:
    made = tool_names(server, tool)
    return ToolPattern.parse(rule).matches((made.ours, made.claudes, *made.for_rules), server)


@case("gm-mcp-naming-195", "gm-mcp-naming-196", "gm-mcp-naming-197", "gm-mcp-naming-199")
@pytest.mark.parametrize(
    ("rule", "list_of_gh", "list_of_other", "drop_of_gh"),
    [
        ("mcp_gh_*", True, False, True),
        ("mcp_*", True, True, True),
        ("mcp_*_list", True, True, False),
        ("mcp_gh", False, False, False),
        ("mcp__gh", True, False, True),
    ],
)
def test_a_rule_for_several_tools_of_servers(
    rule: str, list_of_gh: bool, list_of_other: bool, drop_of_gh: bool
) -> None:
    found = [fits(rule, *each) for each in (("gh", "list"), ("gh_other", "list"), ("gh", "drop"))]
    assert found == [list_of_gh, list_of_other, drop_of_gh]


@case("gm-mcp-naming-198")
@pytest.mark.parametrize(("name", "server", "tool"), [("mcp_gh_list_all", "gh", "list_all"), ("mcp_a_b_c", "a_b", "c")])
def test_a_name_is_parted_by_the_servers_own(name: str, server: str, tool: str) -> None:
    assert f"mcp__{server}__{tool}" in names_from(name, server)
