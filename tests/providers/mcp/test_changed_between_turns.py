"""What a server says to have changed is on the menu after a turn, or after a later one: it is never forgotten."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp_world import PATIENCE, World, called, ready, text_of, tool, until

from handrail.runtime import shelves
from handrail.session import Session

CHANGE = [{"tools": [tool("one"), tool("two")]}, {"notify": "notifications/tools/list_changed"}]
OLD, NEW = ["own", "mcp_s_one"], ["own", "mcp_s_one", "mcp_s_two"]


def names_of(session: Session) -> list[str]:
    return [shown.name for shown in session.menu().tools]


async def test_a_list_that_the_server_refuses_is_asked_for_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    answer = [{"refuse": "tools/list"}, *CHANGE, {"text": "changed"}]
    config = world.config("s", {"tools": [tool("one")], "answers": {"one": answer}})
    async with world.session(config) as session:
        await ready(session)
        assert text_of(await called(session, "mcp_s_one")) == "changed"
        assert names_of(session) == OLD
        (problem,) = session.sources()[0].problems
        assert problem.startswith("Its tools may be others by now, but s refused tools/list: not now")
        assert world.servers[0].is_stale
        await called(session, "own")
        assert names_of(session) == NEW
        assert not world.servers[0].is_stale
        assert session.sources()[0].problems == ()


async def test_a_list_that_takes_long_holds_up_one_turn_for_a_while_and_comes_when_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelves, "REFRESH_WITHIN", 0.05)
    world, gate = World(tmp_path), tmp_path / "gate"
    gate.touch()
    script = {
        "tools": [tool("one")],
        "answers": {"one": [*CHANGE, {"text": "changed"}]},
        "before": {"tools/list": [{"wait": str(gate)}]},
    }
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        gate.unlink()
        assert text_of(await called(session, "mcp_s_one")) == "changed"
        monkeypatch.setattr(shelves, "REFRESH_WITHIN", PATIENCE)
        await called(session, "own")  # this turn would wait so long, if it waited
        assert names_of(session) == OLD
        gate.touch()
        await until(session, lambda status: status.detail == "2 tools")
        assert names_of(session) == NEW


async def test_a_look_that_goes_on_ends_with_its_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shelves, "REFRESH_WITHIN", 0.05)
    world, gate = World(tmp_path), tmp_path / "gate"
    gate.touch()
    script = {
        "tools": [tool("one")],
        "answers": {"one": [*CHANGE, {"text": "changed"}]},
        "before": {"tools/list": [{"wait": str(gate)}]},
    }
    before = asyncio.all_tasks()
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        gate.unlink()
        await called(session, "mcp_s_one")
    assert asyncio.all_tasks() == before
