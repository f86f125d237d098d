from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from call_harness import opened
from corpus_files import corpus
from handrail.authoring.json_schema import schema_parameters
from handrail.contract.context import Environment
from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.tool import Tool
from handrail.policy import Mode, rules_from
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import FakeTool
from handrail.tools.parameters import Parameters
from handrail.tools.tool_search import ToolSearch
from handrail.wire import Wire
from neutral_calls import calls
from skill_world import outcomes, said

SCHEMA = {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]}


class Deferred(FakeTool):
    def __init__(self, name: str, description: str = "", schema: dict[str, Any] | None = None) -> None:
        super().__init__(name, claims=Claims.nothing())
        self.description = description
        self.defers_loading = True
        self.parameters = schema_parameters(schema or SCHEMA, name)


class Absent(Deferred):
    def enabled(self, environment: Environment) -> bool:
        return False


class Anything(Tool[Parameters]):
    """Says nothing of its effects."""

    name = "any_tides"
    defers_loading = True

    async def run(self, params: Parameters) -> ToolResult:
        return ToolResult.of_text("ran")


TOOLS = (
    FakeTool("plain"),
    Deferred("get_tides", "Heights of the tide in a port."),
    Deferred("slack_send", "Sends a message to a channel."),
    Deferred("mail_send", "Sends a message by mail."),
)


def menu_of(session: Session) -> list[str]:
    return [tool.name for tool in session.menu().tools]


async def test_what_is_deferred_comes_last_on_the_menu_once_it_is_found(tmp_path: Path) -> None:
    async with opened(tmp_path, ToolSearch(), *TOOLS) as session:
        assert menu_of(session) == ["tool_search", "plain"]
        assert await said(session, "tool_search", query="send message by mail", max_results=1) == (
            "Found; on your menu from your next response on:\n- mail_send(port): Sends a message by mail."
        )
        assert menu_of(session) == ["tool_search", "plain", "mail_send"]
        await said(session, "tool_search", query="tides")
        assert menu_of(session) == ["tool_search", "plain", "mail_send", "get_tides"]
        assert await outcomes(session, ("get_tides", {"port": "Brest"})) == ["completed"]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("select:get_tides,mail_send", ["get_tides", "mail_send"]),
        ("select: slack_send ", ["slack_send"]),
        ("+slack send", ["slack_send"]),
        ("+slack", ["slack_send"]),
        ("+SEND message", ["slack_send", "mail_send"]),
        ("+slack +mail", []),
        ("+tide message", ["get_tides"]),
        ("+tide +message", []),
        ("heights", ["get_tides"]),
        ("port", ["get_tides", "slack_send", "mail_send"]),
        ("height of tide", ["get_tides"]),
        ("nothing like it", []),
        ("the of", []),
        ("select:", []),
    ],
)
async def test_tools_are_found_by_words_by_names_and_by_what_their_names_hold(
    tmp_path: Path, query: str, found: list[str]
) -> None:
    async with opened(tmp_path, ToolSearch(), *TOOLS) as session:
        text = await said(session, "tool_search", query=query)
        assert [line.split("(")[0][2:] for line in text.splitlines() if line.startswith("- ")] == found
        assert menu_of(session)[2:] == found


async def test_names_that_are_there_already_or_not_at_all_are_told_apart(tmp_path: Path) -> None:
    async with opened(tmp_path, ToolSearch(), *TOOLS) as session:
        text = await said(session, "tool_search", query="select:plain,get_tides,nobody")
    assert text.splitlines()[1:] == [
        "- get_tides(port): Heights of the tide in a port.",
        "On your menu already: plain",
        "There is no tool named: nobody. Search by words.",
    ]


async def test_where_nothing_is_found_names_that_are_like_it_are_told(tmp_path: Path) -> None:
    async with opened(tmp_path, ToolSearch(), *TOOLS) as session:
        assert "Names that are like it: get_tides" in await said(session, "tool_search", query="+get_tidal")


class OfAServer(Deferred):
    server = "tides"
    known_as = MappingProxyType({"claude": "mcp__tides__heights"})
    aliases = ("mcp__tides__heights",)


@pytest.mark.parametrize(
    ("model", "name"),
    [("", "mcp_tides_heights"), ("claude-sonnet-5-5", "mcp__tides__heights"), ("gemini-3", "mcp_tides_heights")],
)
async def test_what_is_found_has_the_name_that_the_menu_of_its_model_has(tmp_path: Path, model: str, name: str) -> None:
    tools = (ToolSearch(), OfAServer("mcp_tides_heights", "Heights of the tide."))
    async with Session.open(tmp_path, mode="bypass", model=model, parts=Parts(tools=tools)) as session:
        (search,) = session.menu(model).tools
        assert search.description.endswith(f"Names of what there is: {name}")
        assert f"Names that are like it: {name}" in await said(session, "tool_search", query="+tidal heights")
        assert f"\n- {name}(port): Heights" in await said(session, "tool_search", query="tide")
        assert [tool.name for tool in session.menu(model).tools][1:] == [name]


DENIES: list[Callable[[], dict[str, Any]]] = [
    lambda: {"mode": "bypass", "rules": rules_from([{"tool": "get_tides", "decision": "deny"}])},
    lambda: {"mode": "bypass", "rules": rules_from([{"tool": "get_*", "decision": "deny"}])},
]


@pytest.mark.parametrize("given", DENIES)
@pytest.mark.parametrize("query", ["tides", "select:get_tides", "+get_tides", "+get_tidal"])
async def test_what_policy_hides_is_never_found(
    tmp_path: Path, given: Callable[[], dict[str, Any]], query: str
) -> None:
    async with opened(tmp_path, ToolSearch(), *TOOLS, **given()) as session:
        text = await said(session, "tool_search", query=query)
        assert "Heights" not in text
        assert "like it" not in text
        assert "get_tides" not in menu_of(session)
        assert "get_tides" not in session.menu().tools[0].description
        assert await outcomes(session, ("get_tides", {"port": "Brest"})) == ["denied"]


async def test_what_a_mode_or_the_machine_rules_out_is_never_found(tmp_path: Path) -> None:
    tools = (ToolSearch(), Anything(), Absent("other_tides"), Deferred("get_tides"))
    async with opened(tmp_path, *tools, mode=Mode.PLAN) as session:
        assert menu_of(session) == ["tool_search"]
        await said(session, "tool_search", query="tides")
        assert menu_of(session) == ["tool_search", "get_tides"]


async def test_the_search_is_on_the_menu_only_where_there_is_something_to_find(tmp_path: Path) -> None:
    async with opened(tmp_path, ToolSearch(), FakeTool("plain"), Absent("tides")) as session:
        assert menu_of(session) == ["plain"]
        session.add(Deferred("get_tides"))
        assert menu_of(session) == ["tool_search", "plain"]
        assert session.menu().tools[0].description.endswith("Names of what there is: get_tides")
        assert "get_tides" in await said(session, "tool_search", query="tides")
        session.add(Deferred("set_tides"))
        assert "set_tides" in await said(session, "tool_search", query="tides")


async def test_the_names_on_the_menu_keep_their_budget(tmp_path: Path) -> None:
    tools = [Deferred(f"tool_number_{number}") for number in range(2_000)]
    async with opened(tmp_path, ToolSearch(), *tools) as session:
        description = session.menu().tools[0].description
    assert description.endswith(", …")
    assert len(description) < len(ToolSearch.description) + 2_100


async def test_a_deferred_tool_that_was_not_looked_for_can_be_called_and_is_on_the_menu_then(tmp_path: Path) -> None:
    async with opened(tmp_path, ToolSearch(), *TOOLS) as session:
        assert await outcomes(session, ("get_tides", {"port": "Brest"})) == ["completed"]
        assert menu_of(session)[2:] == ["get_tides"]


async def test_a_call_that_guessed_a_deferred_tools_parameters_is_told_them(tmp_path: Path) -> None:
    async with opened(tmp_path, ToolSearch(), *TOOLS) as session:
        text = await said(session, "get_tides", harbour="Brest")
        assert "Its parameters, as a JSON Schema: {" in text
        assert '"required": ["port"]' in text
        assert "JSON Schema" not in await said(session, "tool_search", words="x")


async def test_searches_at_once_find_the_same(tmp_path: Path) -> None:
    async with opened(tmp_path, ToolSearch(), *TOOLS) as session:
        turn = await session.run(calls(*[("tool_search", {"query": "tides"})] * 5), Wire.NEUTRAL)
        assert len({call.result.text for call in turn.calls}) == 1


async def test_real_tools_are_found_by_what_they_are_for(tmp_path: Path) -> None:
    """Each of the recorded tools by its own description, among the first five."""
    named: dict[str, Deferred] = {}
    for record in corpus("tool_schemas"):
        name = record["name"].replace(".", "_")
        named.setdefault(name, Deferred(name, record["description"], record["inputSchema"]))
    missed = []
    async with opened(tmp_path, ToolSearch(), *named.values()) as session:
        for name, tool in named.items():
            text = await said(session, "tool_search", query=tool.description[:200])
            if f"- {name}(" not in text:
                missed.append(name)
    assert len(named) > 300
    assert len(missed) <= len(named) // 50
