"""A server that dies, says half a word or falls silent at any step, with all that a server may have: the session and
another server go on, and no process is left."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from mcp_world import Script, World, called, ready, text_of, tool, until
from test_mcp_lives import children_of

from handrail.contract.calls import Completed, Failed
from handrail.contract.provider import Condition
from handrail.errors import ToolFailed
from handrail.providers.mcp import beside, prompts, restarts
from handrail.providers.mcp.resources import ResourceTools
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import FakeTool, MemoryJournal

STEPS = (
    "initialize", "notifications/initialized", "tools/list", "tools/call", "resources/list",
    "resources/templates/list", "resources/read", "prompts/list", "prompts/get",
)  # fmt: skip
HOWS: dict[str, Script] = {
    "is killed": {"die": 1},
    "ends": {"exit": 0},
    "says half a word": {"write": '{"jsonrpc": "2.0", "id": ID, "res'},
    "answers in a form of its own": {"reply": [1]},
    "is silent": {"hang": 1},
}
WHOLE: Script = {
    "tools": [tool("one")],
    "hello": {"capabilities": {"tools": {}, "resources": {}, "prompts": {}}},
    "start": [{"fork": 1}],
    "methods": {
        "resources/list": [{"reply": {"resources": [{"uri": "note://1", "name": "first"}]}}],
        "resources/templates/list": [{"reply": {"resourceTemplates": []}}],
        "resources/read": [{"reply": {"contents": [{"uri": "note://1", "text": "milk"}]}}],
        "prompts/list": [{"reply": {"prompts": [{"name": "hello"}]}}],
        "prompts/get": [{"reply": {"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]}}],
    },
}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "FIRST", 0.01)
    monkeypatch.setattr(beside, "LIST_WITHIN", 0.4)
    monkeypatch.setattr(prompts, "WITHIN", 0.4)


@pytest.mark.parametrize("how", HOWS.values(), ids=HOWS)
@pytest.mark.parametrize("step", STEPS)
async def test_the_session_and_another_server_go_on(tmp_path: Path, step: str, how: Script) -> None:
    world = World(tmp_path)
    bad = world.config("bad", {**WHOLE, "before": {step: [how]}}, start_within=0.4, call_within=0.4)
    servers = [world.server(bad), world.server(world.config("fine", {"tools": [tool("one")]}))]
    parts = Parts(tools=(FakeTool("own"),), providers=[*servers, ResourceTools(servers)], journal=MemoryJournal())
    async with Session.open(tmp_path, mode="bypass", parts=parts) as session:
        await ready(session, "fine")
        await until(session, lambda status: status.condition in (Condition.READY, Condition.FAILED), "bad")
        for name, given in (("mcp_bad_one", {}), ("read_mcp_resource", {"uri": "note://1", "server": "bad"})):
            assert isinstance(await called(session, name, given), Completed | Failed)
        for _, prompt in session.prompts():
            with suppress(ToolFailed):
                assert await prompt.text({})
        assert text_of(await called(session, "own")) == "ok"
        assert text_of(await called(session, "mcp_fine_one", {"a": 1})) == '{"a": 1}'
    assert not children_of(tmp_path / "bad.json")
