"""Whoever gives up a session or an agent may be in a hurry, and cancel again while it closes: nothing outlives it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from played import PlayedModel

from call_harness import opened, request, settled, started
from handrail.agent.agent import Agent, open_agent
from handrail.agent.events import Ended, Finished
from handrail.agent.model import TextArrived
from handrail.contract.agents import AgentState
from handrail.contract.events import Event
from handrail.contract.provider import Provider, Shelf
from handrail.runtime.session_work import WORK, work_in
from handrail.session import Session
from handrail.testing import FakeTool
from handrail.wire import Wire
from servers.script import Use, says

STEPS = 12
"""More than closing takes of the loop, where nothing has to be waited for."""


async def tidied(by: list[str], name: str) -> None:
    """Goes on until it is cancelled, and has a little to do then."""
    try:
        await asyncio.Event().wait()
    finally:
        for _ in range(3):
            await asyncio.sleep(0)
        by.append(name)


class Slow(Provider):
    name = "slow"

    def __init__(self, ended: list[str]) -> None:
        self._ended = ended

    async def provide(self, shelf: Shelf) -> None:
        await tidied(self._ended, "provider")

    async def refresh(self) -> None:
        pass


async def cancelled_again(open_until_cancelled: Callable[[asyncio.Event], Awaitable[None]], steps: int) -> None:
    ready = asyncio.Event()
    opening = asyncio.ensure_future(open_until_cancelled(ready))
    await ready.wait()
    opening.cancel()
    for _ in range(steps):
        await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening


def others() -> set[asyncio.Task[Any] | None]:
    return {*asyncio.all_tasks()} - {asyncio.current_task()}


@pytest.mark.parametrize("steps", range(STEPS))
async def test_of_a_session_no_call_no_job_and_no_provider(tmp_path: Path, steps: int) -> None:
    ended: list[str] = []

    async def start(params: Any, context: Any) -> str:
        return str(context.jobs.start("serve", tidied(ended, "job")))

    async def hang(params: Any, context: Any) -> str:
        await tidied(ended, "call")
        return "never"

    async def until_cancelled(ready: asyncio.Event) -> None:
        tools = FakeTool("start", start), FakeTool("hang", hang)
        async with opened(tmp_path, *tools, providers=[Slow(ended)]) as session:
            await settled(session, "start")
            await started(session, request("hang", id="c2"))
            ready.set()
            await asyncio.Event().wait()

    await cancelled_again(until_cancelled, steps)
    assert sorted(ended) == ["call", "job", "provider"]
    assert others() == set()


@pytest.mark.parametrize("steps", range(STEPS))
async def test_whoever_hears_its_events_hears_that_it_has_ended(tmp_path: Path, steps: int) -> None:
    hearing: list[asyncio.Task[None]] = []

    async def hang(params: Any, context: Any) -> str:
        await tidied([], "call")
        return "never"

    async def hear(events: AsyncIterator[Event]) -> None:
        async for _ in events:
            pass

    async def until_cancelled(ready: asyncio.Event) -> None:
        async with opened(tmp_path, FakeTool("hang", hang)) as session:
            hearing.append(asyncio.create_task(hear(session.events())))
            await started(session, request("hang"))
            ready.set()
            await asyncio.Event().wait()

    await cancelled_again(until_cancelled, steps)
    async with asyncio.timeout(20):
        await hearing[0]


@pytest.mark.parametrize("steps", range(STEPS))
async def test_an_agent_whose_listener_is_gone_can_be_told_more(tmp_path: Path, steps: int) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [says("One."), says("Two.")])
    model.hangs = asyncio.Event()
    async with Session.open(tmp_path) as session, open_agent(session, model) as agent:

        async def until_cancelled(ready: asyncio.Event) -> None:
            async for event in agent.send("go"):
                if isinstance(event, TextArrived):
                    ready.set()

        await cancelled_again(until_cancelled, steps)
        work = work_in(session.support.values.get(WORK))
        assert work is not None
        assert work.ended == Ended.INTERRUPTED
        model.hangs = None
        events = [event async for event in agent.send("go on")]
    assert isinstance(events[-1], Finished)
    assert events[-1].ended is Ended.DONE
    assert model.wrong == []


@pytest.mark.parametrize("steps", range(STEPS))
async def test_of_an_agent_no_subagent(tmp_path: Path, steps: int) -> None:
    child = PlayedModel(Wire.OPENAI_CHAT, [says("One.")], name="kid")
    child.hangs = asyncio.Event()
    order = {"description": "a task", "prompt": "Do it.", "agent": "general", "model": "kid", "background": True}
    parent = PlayedModel(Wire.ANTHROPIC, [says("", Use("agent", order)), says("I wait.")], name="main")
    agents: list[Agent] = []

    async def until_cancelled(ready: asyncio.Event) -> None:
        async with (
            Session.open(tmp_path) as session,
            open_agent(session, parent, model_named=lambda _: child) as agent,
        ):
            agents.append(agent)
            async for _ in agent.send("go", to_the_end=True):
                if agent.agents():
                    ready.set()

    await cancelled_again(until_cancelled, steps)
    assert [status.state for status in agents[0].agents()] == [AgentState.STOPPED]
    assert others() == set()
