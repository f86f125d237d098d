"""What servers' tools are called: names that every provider takes, that no two tools share, and that stay."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.tool import NAME
from handrail.providers.mcp.names import LONGEST, ToolNames, tool_names

PLAIN = [
    ("gh", "list", "mcp_gh_list", "mcp__gh__list"),
    ("my_srv", "list_all", "mcp_my_srv_list_all", "mcp__my_srv__list_all"),
    ("9lives", "x", "mcp_9lives_x", "mcp__9lives__x"),
    ("mcp_gh", "list", "mcp_gh_list", "mcp__mcp_gh__list"),
    ("git", "_x", "mcp_git__x", "mcp__git___x"),
    ("a-b", "c", "mcp_a-b_c", "mcp__a-b__c"),
]


@pytest.mark.parametrize(("server", "tool", "ours", "claudes"), PLAIN)
def test_a_name_that_every_provider_takes_is_left_as_it_is(server: str, tool: str, ours: str, claudes: str) -> None:
    names = tool_names(server, tool)
    assert (names.ours, names.claudes) == (ours, claudes)


@pytest.mark.parametrize(
    ("server", "tool"),
    [
        ("My Server: prod", "x" * 80),
        ("s", "1.get/all"),
        ("s", "查询"),
        ("s" * 70, "t"),
        ("é", "ü"),
        ("!", "!!"),
        ("s", ""),
    ],
)
def test_any_other_name_is_made_to_fit_and_says_by_its_end_which_one_it_is(server: str, tool: str) -> None:
    names, others = tool_names(server, tool), tool_names(server, f"{tool}!")
    for each in (names.ours, names.claudes):
        assert NAME.fullmatch(each)
        assert len(each) <= LONGEST
    assert names.ours != others.ours
    assert names.claudes != others.claudes


def test_rules_know_a_tool_by_what_it_calls_itself_and_by_its_whole_server() -> None:
    assert tool_names("My Server", "get/all").for_rules == (
        "mcp_My Server_get/all",
        "mcp__My Server__get/all",
        "mcp__My Server",
    )
    assert tool_names("gh", "list").for_rules == ("mcp__gh",)


def test_two_tools_whose_servers_names_run_into_theirs_stay_apart() -> None:
    short = tool_names("git", "hub_list", ["git_hub"])
    long = tool_names("git_hub", "list", ["git"])
    assert long.ours == "mcp_git_hub_list"
    assert short.ours.startswith("mcp_git_")
    assert not short.ours.startswith("mcp_git_hub_")
    assert "mcp_git_hub_list" not in short.for_rules


def test_a_server_that_would_look_like_another_one_is_the_one_whose_name_is_changed() -> None:
    servers = ["My_Server", "My Server"]
    assert tool_names("My_Server", "x", servers).ours == "mcp_My_Server_x"
    assert not tool_names("My Server", "x", servers).ours.startswith("mcp_My_Server_")
    assert tool_names("gh", "x", ["mcp_gh"]).ours == "mcp_gh_x"
    assert not tool_names("mcp_gh", "x", ["gh"]).ours.startswith("mcp_gh_")


PARTS = st.one_of(
    st.text(alphabet="ab_-. ", min_size=1, max_size=5),
    st.text(min_size=1, max_size=4),
    st.text(alphabet="a_", min_size=50, max_size=90),
    st.sampled_from(["mcp_a", "mcp__a", "a__b", "a", "b", "a_b"]),
)


@given(servers=st.sets(PARTS, min_size=1, max_size=4), tools=st.sets(PARTS, min_size=1, max_size=4))
def test_no_two_tools_of_the_servers_of_a_session_share_a_name(servers: set[str], tools: set[str]) -> None:
    named = [tool_names(server, tool, servers) for server, tool in product(sorted(servers), sorted(tools))]
    assert_each_has_its_own(named)


@given(hosts=st.sets(PARTS, max_size=3), guests=st.sets(PARTS, max_size=3), tools=st.sets(PARTS, max_size=4))
def test_what_came_with_a_workspace_shares_no_name_either_and_changes_none_of_the_persons(
    hosts: set[str], guests: set[str], tools: set[str]
) -> None:
    own = [tool_names(host, tool, hosts) for host, tool in product(sorted(hosts), sorted(tools))]
    came = product(sorted(guests - hosts), sorted(tools))
    assert_each_has_its_own([*own, *(tool_names(guest, tool, hosts | guests, hosts) for guest, tool in came)])


def test_a_rule_for_a_tool_of_a_person_holds_for_no_tool_of_a_workspaces_server_that_looks_like_it() -> None:
    guest = tool_names("git_hub", "delete", ["git", "git_hub"], ["git"])
    assert "mcp_git_hub_delete" not in (guest.ours, guest.claudes, *guest.for_rules)
    assert guest.ours.startswith("mcp_git_hub_")


def assert_each_has_its_own(named: list[ToolNames]) -> None:
    names = [name for each in named for name in (each.ours, each.claudes)]
    assert len(set(names)) == len(names)
    assert all(NAME.fullmatch(name) for name in names)


@given(server=PARTS, tool=PARTS, others=st.lists(PARTS, max_size=4))
def test_names_depend_on_which_servers_there_are_and_not_on_their_order(
    server: str, tool: str, others: list[str]
) -> None:
    names: ToolNames = tool_names(server, tool, others)
    assert names == tool_names(server, tool, [*reversed(others), server])
