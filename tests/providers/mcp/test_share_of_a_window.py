"""The share of a context that servers' tools may take is one of the context that the model has."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from mcp_world import PLAIN_SERVER, World, ready, tool

from handrail.agent.agent import open_agent
from handrail.agent.scripted import ScriptedModel
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.load import load_settings
from handrail.testing import MemoryJournal

LARGE = [tool(f"t{number}", description="x" * 5_000) for number in range(10)]
"""About 50,000 characters, which are a tenth of 125,000 tokens."""


@pytest.mark.parametrize(("window", "shown"), [(0, True), (8_000, False), (120_000, False), (140_000, True)])
async def test_what_a_small_model_is_spared_a_large_one_sees(tmp_path: Path, window: int, shown: bool) -> None:
    async with opened(tmp_path, window) as session:
        assert on_the_menu(session) == (len(LARGE) if shown else 0)


def on_the_menu(session: Session) -> int:
    return sum(bool(each.tool.server) for each in session.menu().tools)


@asynccontextmanager
async def opened(tmp_path: Path, window: int) -> AsyncIterator[Session]:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"tools": LARGE}))
    (tmp_path / "config").mkdir()
    server = f'[mcp.servers.s]\ncommand = "{sys.executable}"\nargs = ["-S", "{PLAIN_SERVER}", "{script}"]\n'
    (tmp_path / "config" / "config.toml").write_text(server)
    work = tmp_path / "work"
    work.mkdir()
    settings = load_settings(work, {"HANDRAIL_CONFIG": str(tmp_path / "config"), "HOME": str(tmp_path)})
    parts = Parts(journal=MemoryJournal(), window=window)
    async with Session.open(work, settings=settings, parts=parts) as session:
        await ready(session, "s")
        yield session


def model(window: int) -> ScriptedModel:
    return ScriptedModel([], window=window)


async def test_the_menu_follows_the_model_that_answers(tmp_path: Path) -> None:
    async with opened(tmp_path, 0) as session, open_agent(session, model(8_000)) as agent:
        assert on_the_menu(session) == 0
        for window, shown in ((140_000, 10), (120_000, 0), (0, 10), (8_000, 0)):
            agent.model = model(window)
            assert on_the_menu(session) == shown, window


async def test_where_nobody_knows_its_window_what_the_session_was_given_holds(tmp_path: Path) -> None:
    async with opened(tmp_path, 120_000) as session, open_agent(session, model(140_000)) as agent:
        assert on_the_menu(session) == 10
        agent.model = model(0)
        assert on_the_menu(session) == 0


async def test_whoever_was_ready_first_has_the_room_in_a_larger_window_and_keeps_it_in_a_smaller_one(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    always = tool("always", _meta={"anthropic/alwaysLoad": True})
    async with world.session(*(world.config(name, {"tools": [*LARGE, always]}) for name in "ab")) as session:

        def shown() -> str:
            menu = [each.tool.server for each in session.menu().tools]
            assert "a" in menu
            assert "b" in menu
            return "".join(name for name in "ab" if menu.count(name) > 1)

        await ready(session, "a")
        await ready(session, "b")
        first = shown()
        assert first in ("a", "b")
        for window, there in ((260_000, "ab"), (130_000, first), (100_000, ""), (260_000, "ab"), (0, first)):
            world.offering.fit(window)
            assert shown() == there, window
