"""Servers' tools in a session: asked about, believed, deferred and named as their configuration says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mcp_world import World, called, ready, text_of, tool, until

from accounts import case
from call_harness import Person, request
from handrail.contract.calls import AwaitingApproval, Completed, Failed, Rejected
from handrail.contract.confirmation import McpConfirmation
from handrail.contract.effects import OPEN_WORLD, Claims
from handrail.contract.ports import Unanswered
from handrail.contract.provider import Condition
from handrail.policy import Mode, rules_from
from handrail.providers.mcp.offering import Offering
from handrail.session import Session
from handrail.tools.tool_search import ToolSearch
from neutral_calls import calls

ODD_NAMES = ["x" * 80, "1.get/all", "查询", "a b", "x" * 65_536]


@case("MC01")
async def test_a_tool_of_any_name_is_called_by_one_that_providers_take(tmp_path: Path) -> None:
    world = World(tmp_path)
    tools = [tool(name) for name in ODD_NAMES]
    answers = {name: [{"text": f"{len(name)} {name[:10]}"}] for name in ODD_NAMES}
    async with world.session(world.config("My Server: prod", {"tools": tools, "answers": answers})) as session:
        await ready(session)
        for model in ("", "claude", "gemini"):
            names = [shown.name for shown in session.menu(model).tools[1:]]
            said = [text_of(await called(session, name)) for name in names]
            assert said == [f"{len(name)} {name[:10]}" for name in ODD_NAMES]


async def test_a_models_family_knows_it_in_its_own_form_and_either_is_understood(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.session(world.config("my_srv", {"tools": [tool("list")]})) as session:
        await ready(session)
        shown = {model: session.menu(model).tools[-1].name for model in ("", "claude-x", "gemini-3", "gpt-5")}
        ours, claudes = "mcp_my_srv_list", "mcp__my_srv__list"
        assert shown == {"": ours, "claude-x": claudes, "gemini-3": ours, "gpt-5": ours}
        for name in (ours, claudes):
            assert isinstance(await called(session, name), Completed)


async def asked(session: Session, name: str, arguments: dict[str, Any] | None = None) -> Any:
    """What a call comes to with nobody there."""
    turn = await session.run(calls((name, arguments or {})))
    return turn.calls[0]


RULES: list[tuple[str, str, type]] = [
    ("mcp_git_*", "git", Completed),
    ("mcp_git_*", "git_hub", Rejected),
    ("mcp__git_hub", "git_hub", Completed),
    ("mcp__git_hub__*", "git_hub", Completed),
    ("mcp__git", "git_hub", Rejected),
    ("mcp__git_hub__log", "git_hub", Completed),
    ("mcp_git_hub_log", "git_hub", Completed),
]


@pytest.mark.parametrize(("rule", "server", "state"), RULES)
async def test_a_rule_names_a_server_by_its_own_name(tmp_path: Path, rule: str, server: str, state: type) -> None:
    world = World(tmp_path)
    world.offering = Offering(["git", "git_hub"])
    rules = rules_from([{"tool": rule, "decision": "allow"}])
    async with world.session(world.config(server, {"tools": [tool("log")]}), mode=Mode.DEFAULT, rules=rules) as session:
        await ready(session)
        assert isinstance(await asked(session, f"mcp_{server}_log"), state)


HINTED = [
    tool("plain"),
    tool("reads", annotations={"readOnlyHint": True}),
    tool("inside", annotations={"readOnlyHint": True, "openWorldHint": False}),
    tool("adds", annotations={"destructiveHint": False, "idempotentHint": True}),
]
UNKNOWN = Claims.unknown()
BELIEVED = {
    "plain": Claims(destructive=True, certainty="unknown"),
    "reads": Claims(connects=frozenset((OPEN_WORLD,)), idempotent=True, certainty="bounded"),
    "inside": Claims(idempotent=True, certainty="bounded"),
    "adds": Claims(idempotent=True, certainty="unknown"),
}


@pytest.mark.parametrize("trusted", [False, True])
async def test_hints_are_believed_of_a_trusted_server_alone_and_its_calls_run_unasked(
    tmp_path: Path, trusted: bool
) -> None:
    world = World(tmp_path)
    config = world.config("s", {"tools": HINTED}, trusted=trusted)
    async with world.session(config, mode=Mode.DEFAULT) as session:
        await ready(session)
        tools = {each.tool.name.removeprefix("mcp_s_"): each.tool for each in session.menu().tools[1:]}
        claims = {name: each.effects({}) for name, each in tools.items()}
        assert claims == (BELIEVED if trusted else dict.fromkeys(BELIEVED, UNKNOWN))
        assert {each.needs_approval for each in tools.values()} == ({"never"} if trusted else {None})
        assert isinstance(await asked(session, "mcp_s_plain"), Completed if trusted else Rejected)


async def test_plan_mode_denies_also_what_a_trusted_server_does(tmp_path: Path) -> None:
    world = World(tmp_path)
    config = world.config("s", {"tools": HINTED}, trusted=True)
    async with world.session(config, mode=Mode.PLAN) as session:
        await ready(session)
        assert isinstance(await asked(session, "mcp_s_plain"), Rejected)
        assert isinstance(await asked(session, "mcp_s_inside"), Completed)


async def test_a_person_is_shown_the_server_the_tool_and_the_arguments(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": [tool("high", title="High water")]}
    person = Person(Unanswered.LATER)
    async with world.session(world.config("tides", script), mode=Mode.DEFAULT, asker=person) as session:
        await ready(session)
        live = session.submit(request("mcp_tides_high", {"port": "Dover"}))
        await live.rest()
        state = live.state
        assert isinstance(state, AwaitingApproval)
        title = "High water (server tides)"
        assert state.confirmation == McpConfirmation(title, "tides", "high", {"port": "Dover"})
        assert [offer.label for offer in state.offers] == [
            "mcp_tides_high with these very arguments, in this session",
            "every call of mcp_tides_high in this session",
            "every call of mcp_tides_high in this project",
            "every tool of the server tides in this session",
            "every tool of the server tides in this project",
        ]


async def test_a_tool_that_is_defined_anew_is_not_called_by_an_old_decision(tmp_path: Path) -> None:
    """What was decided before its list changed fails, and says that it did."""
    world = World(tmp_path)
    async with world.session(world.config("s", {"tools": [tool("a"), tool("b")]})) as session:
        await ready(session)
        old = {each.tool.name: each.tool for each in session.menu().tools}
        (server,) = world.servers
        listed = [_listed("a", "Does something else."), _listed("c", "New.")]
        new, _ = world.offering(server, listed)
        before, after = old["mcp_s_a"], new[0]
        assert before.definitions[0] != after.definitions[0]
        for name, said in (("mcp_s_a", "changed its definition"), ("mcp_s_b", "no longer available")):
            state = await called(session, name)
            assert isinstance(state, Failed)
            assert said in state.fault.message


def _listed(name: str, description: str) -> Any:
    from mcp import types

    return types.Tool(name=name, description=description, input_schema={"type": "object"})


@pytest.mark.parametrize(
    "changed",
    [
        {"description": "Else."},
        {"inputSchema": {"type": "object", "properties": {"x": {}}}},
        {"annotations": {"readOnlyHint": True}},
        {"title": "T"},
        {"outputSchema": {"type": "object"}},
    ],
    ids=str,
)
async def test_any_change_of_a_definition_changes_its_digest(tmp_path: Path, changed: dict[str, Any]) -> None:
    found = []
    for place, listed in enumerate((tool("a"), tool("a"), tool("a") | changed)):
        folder = tmp_path / str(place)
        folder.mkdir()
        world = World(folder)
        async with world.session(replace(world.config("s", {"tools": [listed]}), shown="x")) as session:
            await ready(session)
            found.append(session.menu().tools[-1].tool.definitions)
    assert found[0] == found[1]
    assert found[0][0] != found[2][0]
    assert found[0][1] != found[2][1]


FILTERS: list[tuple[dict[str, Any], list[str], str]] = [
    ({}, ["a", "b"], ""),
    ({"include": ("a",)}, ["a"], ""),
    ({"exclude": ("a",)}, ["b"], ""),
    ({"include": ("a", "b"), "exclude": ("b",)}, ["a"], ""),
    ({"exclude": ("A",)}, ["a", "b"], "The configuration names the tool A, which it does not have."),
]


@pytest.mark.parametrize(("options", "names", "problem"), FILTERS, ids=str)
async def test_only_the_tools_that_are_wanted_are_offered(
    tmp_path: Path, options: dict[str, Any], names: list[str], problem: str
) -> None:
    world = World(tmp_path)
    async with world.session(world.config("s", {"tools": [tool("a"), tool("b")]}, **options)) as session:
        status = await ready(session)
        assert [each.name for each in session.menu().tools[1:]] == [f"mcp_s_{name}" for name in names]
        assert list(status.problems) == ([problem] if problem else [])


LARGE = [tool(f"t{number}", description="x" * 5_000) for number in range(10)]


@pytest.mark.parametrize(
    ("share", "options", "shown"),
    [
        (10, {}, True),
        (5, {}, False),
        (0, {}, False),
        (5, {"always_loaded": True}, True),
    ],
)
async def test_tools_that_take_too_much_of_the_context_are_searched_for(
    tmp_path: Path, share: int, options: dict[str, Any], shown: bool
) -> None:
    """They are 50,000 characters of a window of 800,000."""
    world = World(tmp_path)
    world.offering = Offering(share=share)
    async with world.session(world.config("s", {"tools": LARGE}, **options)) as session:
        await ready(session)
        assert len(session.menu().tools) == (11 if shown else 1)
        assert isinstance(await called(session, "mcp_s_t3"), Completed)
        assert len(session.menu().tools) == (11 if shown else 2)


async def test_a_tool_may_say_of_itself_that_it_is_always_there(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.offering = Offering(share=0)
    tools = [*LARGE, tool("first", _meta={"anthropic/alwaysLoad": True})]
    async with world.session(world.config("s", {"tools": tools})) as session:
        await ready(session)
        assert [each.name for each in session.menu().tools] == ["own", "mcp_s_first"]


async def test_whoever_is_ready_first_has_the_room(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.offering = Offering(share=10)
    configs = [world.config(name, {"tools": LARGE}) for name in ("a", "b")]
    async with world.session(*configs) as session:
        for name in ("a", "b"):
            await ready(session, name)
        assert len(session.menu().tools) == 11


async def test_a_configuration_that_can_not_be_used_fails_its_server_and_is_told(tmp_path: Path) -> None:
    world = World(tmp_path)
    bad = replace(world.config("bad", {}), problem="~/.claude.json: headers.A needs the variable TOK, which is not set")
    async with world.session(bad, world.config("good", {"tools": [tool("x")]})) as session:
        await ready(session, "good")
        status = await until(session, lambda status: status.condition is Condition.FAILED, "bad")
        assert "TOK" in status.detail


async def test_the_menu_says_which_servers_start_and_which_failed(tmp_path: Path) -> None:
    world = World(tmp_path)
    slow = world.config("slow", {"before": {"initialize": [{"hang": 1}]}})
    bad = replace(world.config("bad", {}), problem="no such variable")
    async with world.session(slow, bad, tools=(ToolSearch(),)) as session:
        await until(session, lambda status: status.condition is Condition.FAILED, "bad")
        await until(session, lambda status: status.condition is Condition.STARTING, "slow")
        menu = session.menu()
        assert [(source.name, source.condition) for source in menu.sources] == [
            ("slow", Condition.STARTING),
            ("bad", Condition.FAILED),
        ]
        (search,) = menu.tools
        assert search.description.endswith(
            "Starting, so that their tools are not there yet, but come in a later turn: slow\n\n"
            "Without tools now, for they failed: bad"
        )
