"""What a server changes while a call waits is no longer what the call was decided about: nothing is sent then."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from mcp_world import PATIENCE, Script, World, ready, text_of, tool, until

from call_harness import Person, request
from handrail.contract.calls import AwaitingApproval, Completed, Failed
from handrail.contract.confirmation import Once
from handrail.contract.ports import Unanswered
from handrail.contract.provider import Condition
from handrail.policy import Mode
from handrail.providers.mcp import restarts
from handrail.session import Session

ONE = [tool("one"), tool("two")]
OTHERS = {
    "is defined anew": ([tool("one", description="Deletes everything."), tool("two")], "changed its definition"),
    "is gone": ([tool("two")], "no longer available"),
    "is as it was": ([*ONE, tool("three")], ""),
}
each_change = pytest.mark.parametrize(("now", "said"), OTHERS.values(), ids=OTHERS)


@pytest.fixture(autouse=True)
def quick_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "FIRST", 0.01)


def called_in(heard: Path) -> list[str]:
    """Tools that the server was asked to run, in any of its lives."""
    messages = map(json.loads, heard.read_text().splitlines())
    return [message["params"]["name"] for message in messages if message.get("method") == "tools/call"]


async def approved_after(session: Session, change: Callable[[], Awaitable[object]]) -> Completed | Failed:
    """What becomes of a call that waits for a yes while something changes."""
    live = session.submit(request("mcp_s_one"))
    await live.rest()
    assert isinstance(live.state, AwaitingApproval)
    await change()
    assert session.answer(live.state.approval, Once(), "test")
    async with asyncio.timeout(PATIENCE):
        state = await live.settled
    assert isinstance(state, Completed | Failed)
    return state


async def touched(go: Path, done: Callable[[], bool]) -> None:
    """Lets the server go on, until that is done."""
    go.touch()
    async with asyncio.timeout(PATIENCE):
        while not done():  # noqa: ASYNC110 (what a server says by itself is no event of the session)
            await asyncio.sleep(0.01)


def changing(world: World, now: list[Any], *more: Script) -> tuple[Script, Path]:
    """A server that has other tools as soon as a file is there, says so, and does more."""
    go = world.folder / "go"
    change = [{"tools": now}, {"notify": "notifications/tools/list_changed"}, *more]
    return {"tools": ONE, "heard": str(world.folder / "heard"), "start": [{"when": [str(go), change]}]}, go


@each_change
async def test_a_list_that_changes_while_a_call_waits_for_a_yes_is_read_before_it_is_sent(
    tmp_path: Path, now: list[Any], said: str
) -> None:
    world = World(tmp_path)
    script, go = changing(world, now)
    config, person = world.config("s", script), Person(Unanswered.LATER)
    async with world.session(config, mode=Mode.DEFAULT, asker=person) as session:
        await ready(session)
        state = await approved_after(session, lambda: touched(go, lambda: world.servers[0].is_stale))
        assert said in (state.fault.message if isinstance(state, Failed) else "")
        assert isinstance(state, Failed) is bool(said)
    assert called_in(tmp_path / "heard") == ([] if said else ["one"])


@each_change
async def test_so_it_is_where_the_server_was_started_anew_meanwhile(tmp_path: Path, now: list[Any], said: str) -> None:
    world = World(tmp_path)
    heard, go, let = (tmp_path / name for name in ("heard", "go", "let"))
    next_life: Script = {"tools": now, "heard": str(heard), "before": {"initialize": [{"wait": str(let)}]}}
    end = [{"rewrite": next_life}, {"exit": 1}]
    script = {"tools": ONE, "heard": str(heard), "start": [{"when": [str(go), end]}]}
    config, person = world.config("s", script), Person(Unanswered.LATER)
    async with world.session(config, mode=Mode.DEFAULT, asker=person) as session:
        await ready(session)

        async def starts_again() -> None:
            go.touch()
            await until(session, lambda status: status.condition is Condition.FAILED)
            await until(session, lambda status: status.condition is Condition.STARTING)
            asyncio.get_running_loop().call_later(0.05, let.touch)  # once the call waits for the server

        state = await approved_after(session, starts_again)
        assert said in (state.fault.message if isinstance(state, Failed) else "")
        assert isinstance(state, Failed) is bool(said)
    assert called_in(heard) == ([] if said else ["one"])


async def test_where_nobody_can_know_what_is_listed_nothing_is_sent_and_the_next_call_asks_again(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    script, go = changing(world, ONE)
    file = tmp_path / "listed"
    script["before"] = {"tools/list": [{"wait": str(file)}]}
    config = world.config("s", script, start_within=3)
    file.touch()
    async with world.session(config, mode=Mode.DEFAULT, asker=Person(Unanswered.LATER, Unanswered.LATER)) as session:
        await ready(session)
        file.unlink()
        state = await approved_after(session, lambda: touched(go, lambda: world.servers[0].is_stale))
        assert isinstance(state, Failed)
        assert state.fault.message == (
            "s said that its tools changed, and did not list them within 3 s. The call was not sent. Go on without "
            "it, or try again later."
        )
        file.touch()
        again = session.submit(request("mcp_s_one", id="c2"))
        await again.rest()
        assert isinstance(again.state, AwaitingApproval)
        assert session.answer(again.state.approval, Once(), "test")
        assert text_of(await again.settled) == "{}"
    assert called_in(tmp_path / "heard") == ["one"]


async def test_no_call_waits_for_what_a_server_has_beside_its_tools(tmp_path: Path) -> None:
    world = World(tmp_path)
    script, go = changing(world, [*ONE, tool("three")])
    silent = {"hello": {"capabilities": {"tools": {}, "resources": {}}}, "methods": {"resources/list": []}}
    config = world.config("s", {**script, **silent}, start_within=5)
    async with world.session(config, mode=Mode.DEFAULT, asker=Person(Unanswered.LATER)) as session:
        await ready(session)
        state = await approved_after(session, lambda: touched(go, lambda: world.servers[0].is_stale))
        assert text_of(state) == "{}"
    assert called_in(tmp_path / "heard") == ["one"]
