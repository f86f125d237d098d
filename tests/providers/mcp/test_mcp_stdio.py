"""Servers over standard input and output."""

from __future__ import annotations

from pathlib import Path

from mcp_world import World, called, ready, text_of, tool


async def test_a_servers_tools_are_listed_and_called(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.session(world.config("tides", {"tools": [tool("high")]})) as session:
        status = await ready(session)
        assert status.detail == "1 tool"
        assert [shown.name for shown in session.menu().tools] == ["own", "mcp_tides_high"]
        state = await called(session, "mcp_tides_high", {"port": "Dover"})
        assert text_of(state) == '{"port": "Dover"}'
