"""What servers have beside tools: resources to read, prompts to send."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from handrail.contract.calls import CallState, Completed, Failed, Rejected
from handrail.contract.effects import Claims
from handrail.contract.results import ErrorKind, ImagePart
from handrail.errors import ToolFailed
from handrail.policy import Mode, rules_from
from handrail.providers.mcp.beside import Resource
from handrail.providers.mcp.resources import ResourceTools
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import FakeTool, MemoryJournal
from providers.mcp.mcp_world import World, called, ready, text_of, tool, until

HAS_RESOURCES = {"capabilities": {"resources": {"listChanged": True}}}
RESOURCES = [
    {"uri": "note://1", "name": "first", "description": "The first note.", "mimeType": "text/plain", "size": 12},
    {"uri": "note://2", "name": "second"},
]
TEMPLATES = [{"uriTemplate": "note://{id}", "name": "any note"}]


def reading(*contents: dict[str, Any], resources: Any = RESOURCES, **more: Any) -> dict[str, Any]:
    return {
        "hello": HAS_RESOURCES,
        "methods": {
            "resources/list": [{"reply": {"resources": resources}}],
            "resources/templates/list": [{"reply": {"resourceTemplates": TEMPLATES}}],
            "resources/read": [{"reply": {"contents": list(contents)}}],
        },
        **more,
    }


TEXT = {"uri": "note://1", "mimeType": "text/plain", "text": "Remember the milk."}


@asynccontextmanager
async def opened(folder: Path, *, mode: Mode = Mode.BYPASS, rules: Any = (), **scripts: Any) -> AsyncIterator[Session]:
    """A session with these servers, and with the tools for their resources."""
    world = World(folder)
    servers = [world.server(world.config(name, script)) for name, script in scripts.items()]
    parts = Parts(tools=(FakeTool("own"),), providers=[*servers, ResourceTools(servers)], journal=MemoryJournal())
    async with Session.open(folder, mode=mode, rules=rules, parts=parts) as session:
        yield session


def is_marked(state: CallState) -> bool:
    """Whether the model is told that these are a stranger's words."""
    return isinstance(state, Completed) and "<server_result_" in state.result.text


async def has(session: Session, what: str, name: str = "") -> None:
    """Waits until a server is said to have something beside its tools."""
    await until(session, lambda status: what in status.detail, name)


async def test_resources_and_templates_are_listed_in_words_that_are_marked_as_the_servers(tmp_path: Path) -> None:
    async with opened(tmp_path, notes=reading(TEXT)) as session:
        state = await called(session, "list_mcp_resources")
    text = text_of(state)
    assert "notes:\n- note://1 (text/plain, 12 bytes) first: The first note.\n- note://2 second" in text
    assert "- note://{id} (a template) any note" in text
    assert is_marked(state)


async def test_a_resource_is_read_by_its_address_and_marked_as_the_servers(tmp_path: Path) -> None:
    async with opened(tmp_path, notes=reading(TEXT)) as session:
        for arguments in ({"uri": "note://1"}, {"uri": "note://9", "server": "notes"}):
            state = await called(session, "read_mcp_resource", arguments)
            assert "Remember the milk." in text_of(state)
            assert is_marked(state)


async def test_what_a_server_says_where_it_does_not_read_is_marked_as_its_words(tmp_path: Path) -> None:
    notes = reading(TEXT)
    notes["methods"]["resources/read"] = [{"error": {"code": -32002, "message": f"{'ask ' * 200}the harbour master"}}]
    async with opened(tmp_path, notes=notes) as session:
        state = await called(session, "read_mcp_resource", {"uri": "note://1"})
    assert isinstance(state, Failed)
    assert state.fault.message.startswith("read_mcp_resource failed: notes refused resources/read: ask ask")
    assert len(state.fault.message) < 500
    before, _, words = state.result.text.partition("<server_result_")
    assert "ask" not in before.replace("unless the user asked", "").replace("it asks for", "")
    assert "the harbour master" in words


async def test_claudes_models_know_the_tools_by_their_own_names(tmp_path: Path) -> None:
    async with opened(tmp_path, notes=reading(TEXT)) as session:
        state = await called(session, "ReadMcpResourceTool", {"server": "notes", "uri": "note://1"})
        assert "Remember the milk." in text_of(state)
        names = {shown.name for shown in session.menu("claude-x").tools}
        assert {"ListMcpResourcesTool", "ReadMcpResourceTool"} <= names


async def test_an_image_arrives_as_one_and_other_bytes_are_told_of(tmp_path: Path) -> None:
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    blobs = [
        {"uri": "a://1", "mimeType": "image/png", "blob": png},
        {"uri": "a://2", "mimeType": "application/zip", "blob": "UEsDBA=="},
        {"uri": "a://3", "blob": "?"},
    ]
    async with opened(tmp_path, notes=reading(*blobs)) as session:
        state = await called(session, "read_mcp_resource", {"uri": "note://1"})
    assert isinstance(state, Completed)
    assert [part.media_type for part in state.result.parts if isinstance(part, ImagePart)] == ["image/png"]
    assert "application/zip" in text_of(state)


async def test_the_tools_are_there_only_while_a_server_has_something(tmp_path: Path) -> None:
    async with opened(tmp_path, tools={"tools": [tool("a")]}, empty=reading(resources=[], hello={})) as session:
        await ready(session, "tools")
        await ready(session, "empty")
        state = await called(session, "read_mcp_resource", {"uri": "note://1"})
        assert isinstance(state, Failed)
        assert state.fault.kind is ErrorKind.UNKNOWN_TOOL


async def test_one_server_that_can_not_list_costs_no_other(tmp_path: Path) -> None:
    broken = reading(TEXT, tools=[tool("a")])
    broken["methods"]["resources/list"] = [{"error": {"code": -32603, "message": "broken"}}]
    async with opened(tmp_path, broken=broken, notes=reading(TEXT)) as session:
        await has(session, "resource", "notes")
        assert "Remember" in text_of(await called(session, "read_mcp_resource", {"uri": "note://1"}))
        assert isinstance(await called(session, "mcp_broken_a"), Completed)
        status = await until(session, lambda status: bool(status.problems), "broken")
        assert "broken refused resources/list: broken" in status.problems[0]


async def test_an_entry_that_can_not_be_read_hides_no_other(tmp_path: Path) -> None:
    odd = [{"name": "no address"}, 3, {"uri": "x" * 5_000, "name": "long"}, *RESOURCES]
    async with opened(tmp_path, notes=reading(TEXT, resources=odd)) as session:
        text = text_of(await called(session, "list_mcp_resources", {"server": "notes"}))
    assert text.count("- note://") == 3


async def test_an_address_that_several_list_needs_the_server(tmp_path: Path) -> None:
    async with opened(tmp_path, a=reading(TEXT), b=reading(TEXT)) as session:
        await has(session, "3 resources", "a")
        await has(session, "3 resources", "b")
        state = await called(session, "read_mcp_resource", {"uri": "note://1"})
        assert "Several servers list note://1. Name the server: a, b." in text_of(state)
        assert "no server" in text_of(await called(session, "read_mcp_resource", {"uri": "x", "server": "c"})).lower()


@pytest.mark.parametrize("rule", ["mcp__notes", "mcp__notes__*", "mcp_notes_*"])
async def test_a_rule_on_a_server_holds_for_its_resources(tmp_path: Path, rule: str) -> None:
    rules = rules_from([{"tool": rule, "decision": "deny"}])
    async with opened(tmp_path, rules=rules, notes=reading(TEXT), other=reading(TEXT, resources=[])) as session:
        await has(session, "resource", "notes")
        for arguments in ({"uri": "note://1"}, {"uri": "note://1", "server": "notes"}):
            state = await called(session, "read_mcp_resource", arguments)
            assert isinstance(state, Rejected), state
        state = await called(session, "read_mcp_resource", {"uri": "note://1", "server": "other"})
        assert isinstance(state, Completed), state


async def test_reading_is_asked_about_unless_the_person_trusts_the_server(tmp_path: Path) -> None:
    async with opened(tmp_path, mode=Mode.DEFAULT, notes=reading(TEXT)) as session:
        state = await called(session, "read_mcp_resource", {"uri": "note://1"})
        assert isinstance(state, Rejected)
        assert isinstance(await called(session, "list_mcp_resources"), Completed)


async def test_a_call_that_goes_to_no_server_is_asked_about_nowhere(tmp_path: Path) -> None:
    async with opened(tmp_path, mode=Mode.DEFAULT, notes=reading(TEXT)) as session:
        await has(session, "3 resources", "notes")
        for arguments in ({"uri": "note://9"}, {"uri": "note://1", "server": "c"}):
            state = await called(session, "read_mcp_resource", arguments)
            assert isinstance(state, Failed), state
            assert state.fault.kind is ErrorKind.INVALID_ARGUMENTS


async def test_what_is_decided_about_one_server_is_never_read_at_another(tmp_path: Path) -> None:
    """However their lists change until then, and also where none listed the address when the call was decided."""
    world = World(tmp_path)
    trusted, other = (world.server(world.config(name, {}, trusted=name == "trusted")) for name in ("trusted", "other"))
    _, read = ResourceTools([trusted, other]).tools
    note = Resource("note://1", "first")
    before = read.bind({"uri": note.uri})
    assert (before.server(), before.claims()) == ("", Claims.unknown())
    trusted.beside.resources = (note,)
    decided = read.bind({"uri": note.uri})
    assert (decided.server(), decided.claims().certainty) == ("trusted", "bounded")
    trusted.beside.resources, other.beside.resources = (), (note,)
    assert (decided.server(), decided.describe()) == ("trusted", "note://1 (server trusted)")
    assert before.claims() == Claims.unknown()
    with pytest.raises(ToolFailed, match=r"other lists note://1 only since you called\. Call again"):
        await read.run(before.params)


PROMPTS = [
    {"name": "review", "description": "Reviews code.", "arguments": [{"name": "file", "required": True}]},
    {"name": "hello"},
    {"description": "no name"},
]


def prompting(*messages: dict[str, Any]) -> dict[str, Any]:
    return {
        "hello": {"capabilities": {"prompts": {}}},
        "methods": {
            "prompts/list": [{"reply": {"prompts": PROMPTS}}],
            "prompts/get": [{"reply": {"messages": list(messages)}}],
        },
    }


async def test_prompts_are_there_for_people_and_are_filled_in_by_the_server(tmp_path: Path) -> None:
    messages = [
        {"role": "user", "content": {"type": "text", "text": "Look at a.py"}},
        {"role": "assistant", "content": {"type": "text", "text": "I will."}},
        {"role": "user", "content": {"type": "resource", "resource": {"uri": "f://a", "text": "x = 1"}}},
        {"role": "user", "content": {"type": "image", "data": "AA==", "mimeType": "image/png"}},
    ]
    async with opened(tmp_path, ask=prompting(*messages)) as session:
        await has(session, "2 prompts")
        by_name = {prompt.name: prompt for _, prompt in session.prompts()}
        assert by_name["review"].description == "Reviews code."
        text = await by_name["review"].text({"file": "a.py"})
        assert text == "Look at a.py\n\n[assistant] I will.\n\nx = 1\n\n[image, which is no text]"
        for wrong in ({}, {"file": "a", "other": "b"}):
            with pytest.raises(ToolFailed, match="Its arguments: file"):
                await by_name["review"].text(wrong)


async def test_a_prompt_without_text_says_so(tmp_path: Path) -> None:
    async with opened(tmp_path, ask=prompting()) as session:
        await has(session, "2 prompts")
        with pytest.raises(ToolFailed, match="has no text"):
            await session.prompts()[1][1].text({})
