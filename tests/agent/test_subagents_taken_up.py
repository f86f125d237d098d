"""A session that is taken up knows the subagents that it had: each can be told more, with all that bounded it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from played import PlayedModel

from handrail.agent.agent import Agent, open_agent
from handrail.agent.events import Ended, Finished, TurnEnded
from handrail.agent.limits import Limits
from handrail.agent.subagents.roster import KeptAgent, Roster
from handrail.contract.agents import AgentState
from handrail.contract.basics import JsonObject
from handrail.contract.calls import CallState, Rejected, SettledState
from handrail.contract.events import CallChanged
from handrail.runtime.session_values import KeptValues
from handrail.session import Session
from handrail.settings.load import load_settings
from handrail.wire import Wire
from servers.script import Turn, Use, says


def model(*script: Turn) -> PlayedModel:
    return PlayedModel(Wire.ANTHROPIC, script)


def task(kind: str = "general", **more: Any) -> Use:
    return Use("agent", {"description": "a task", "prompt": "Do it.", "agent": kind, **more})


def message(to: str) -> Turn:
    return says("", Use("send_message", {"to": to, "message": "More."}))


WRITES = says("", Use("write_file", {"file_path": "a.txt", "content": "one\n"}))


@asynccontextmanager
async def opened(workspace: Path, played: PlayedModel, id: str = "") -> AsyncIterator[tuple[Session, Agent]]:
    settings = load_settings(workspace)
    async with (
        Session.open(workspace, session=id, settings=settings, mode="accept-edits") as session,
        open_agent(session, played) as agent,
    ):
        yield session, agent


async def said(agent: Agent, text: str) -> tuple[list[str], Finished]:
    """What the calls of the main agent gave, and how it ended."""
    events = [event async for event in agent.send(text, to_the_end=True)]
    assert isinstance(events[-1], Finished)
    turns = [event.turn for event in events if isinstance(event, TurnEnded)]
    return [call.result.text for turn in turns for call in turn.calls], events[-1]


@pytest.mark.parametrize("name", ["general-1", "kit"])
async def test_an_agent_that_had_ended_goes_on_with_what_it_remembers(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path, model(says("", task(name="kit")), says("Six."), says("It says six."))) as (
        session,
        agent,
    ):
        await said(agent, "ask it")
    second = model(message(name), says("Six, as I said."), says("So it is."))
    async with opened(tmp_path, second, session.id) as (_, agent):
        assert [(status.id, status.state) for status in agent.agents()] == [("general-1", AgentState.FINISHED)]
        results, finished = await said(agent, "ask again")
    assert finished.text == "So it is."
    assert "Six, as I said." in results[0]
    assert [str(entry["content"]).count("Six.") for entry in second.requests[1].messages] == [0, 1, 0]
    assert second.wrong == []


async def test_a_new_agent_has_an_id_and_name_that_none_had_before(tmp_path: Path) -> None:
    async with opened(tmp_path, model(says("", task(name="kit")), says("Six."), says("It says six."))) as (
        session,
        agent,
    ):
        await said(agent, "ask it")
    both = says("", task(), task(name="kit"))
    async with opened(tmp_path, model(both, says("Seven."), says("Two are there.")), session.id) as (_, agent):
        results, _ = await said(agent, "ask two")
        assert [status.id for status in agent.agents()] == ["general-1", "general-2"]
    assert "An agent is called 'kit' already" in results[1]


@pytest.fixture
def kinds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the person's own kinds of agents stand; the workspace is beside it."""
    monkeypatch.setenv("HANDRAIL_CONFIG", str(tmp_path / "config"))
    folder = tmp_path / "config" / "agents"
    folder.mkdir(parents=True)
    (tmp_path / "work").mkdir()
    return folder


@pytest.mark.parametrize("id", ["looks-1", "general-1"])
async def test_what_bounded_an_agent_bounds_it_after_a_restart(tmp_path: Path, kinds: Path, id: str) -> None:
    """Its kind's tools, and those of whoever it was made by, bound it."""
    (kinds / "looks.md").write_text("---\nname: looks\ndescription: Looks.\ntools: Read, Agent\n---\nLook.\n")
    script = model(says("", task("looks")), says("", task()), says("I only look."), says("It looked."), says("Fine."))
    async with opened(tmp_path / "work", script) as (session, agent):
        await said(agent, "look")
        assert [status.id for status in agent.agents()] == ["looks-1", "general-1"]
    second = model(message(id), WRITES, says("I can't."), says("So."))
    calls: list[CallState] = []
    async with opened(tmp_path / "work", second, session.id) as (again, agent):
        again.subscribe(lambda event: calls.append(event.state) if isinstance(event, CallChanged) else None)
        await said(agent, "write it")
    (last,) = [call for call in calls if isinstance(call, SettledState) and call.request.name == "write_file"]
    assert isinstance(last, Rejected)
    assert not (tmp_path / "work" / "a.txt").exists()


async def test_an_agent_never_gets_more_than_whoever_its_employer_worked_for_when_it_was_made(
    tmp_path: Path, kinds: Path
) -> None:
    """The employer itself may do more again: it was within another's bounds for that one task."""
    file = kinds / "looks.md"
    file.write_text("---\nname: looks\ndescription: Looks.\ntools: Read, Agent, SendMessage\n---\nLook.\n")
    script = model(
        says("", task()),
        says("I am ready."),
        says("", task("looks")),
        message("general-1"),
        says("", task()),
        says("I am made."),
        says("I made one."),
        says("It made one."),
        says("Fine."),
    )
    async with opened(tmp_path / "work", script) as (session, agent):
        await said(agent, "look")
        assert [status.id for status in agent.agents()] == ["general-1", "looks-1", "general-2"]
    second = model(message("general-2"), WRITES, says("I can't."), says("So."))
    async with opened(tmp_path / "work", second, session.id) as (_, agent):
        await said(agent, "write it")
    assert not (tmp_path / "work" / "a.txt").exists()


async def test_an_agent_gets_no_more_when_its_kind_may_do_more_later(tmp_path: Path, kinds: Path) -> None:
    """A file that is no longer trusted leaves the kind of ours that it had taken the place of."""
    file = kinds / "general.md"
    file.write_text("---\nname: general\ndescription: Looks.\ntools: Read\n---\nLook.\n")
    async with opened(tmp_path / "work", model(says("", task()), says("I only look."), says("So."))) as (
        session,
        agent,
    ):
        await said(agent, "look")
    file.unlink()
    second = model(message("general-1"), WRITES, says("I can't."), says("So."))
    async with opened(tmp_path / "work", second, session.id) as (_, agent):
        await said(agent, "write it")
    assert not (tmp_path / "work" / "a.txt").exists()


@pytest.mark.parametrize(
    ("changed", "left"),
    [
        ({"employer": "general-1"}, []),
        ({"employer": "general-9"}, []),
        ({"state": "at large"}, []),
        ({}, ["general-1"]),
    ],
)
def test_an_agent_that_cannot_be_read_or_was_made_by_none_before_it_was_never_kept(
    changed: dict[str, str], left: list[str]
) -> None:
    values = KeptValues()
    Roster(values).put(KeptAgent("general-1", "general", "a task", AgentState.FINISHED, False, "", ""))
    (kept,) = cast(list[JsonObject], values.get("agents"))
    values.put("agents", [{**kept, **changed}])
    assert [agent.id for agent in Roster(values)] == left


async def test_a_new_agent_does_not_begin_with_what_one_that_cannot_be_read_had_said(tmp_path: Path) -> None:
    async with opened(tmp_path, model(says("", task()), says("Six."), says("It says six."))) as (session, agent):
        await said(agent, "ask it")
        session.support.values.put("agents", [])
    second = model(says("", task()), says("Seven."), says("It says seven."))
    async with opened(tmp_path, second, session.id) as (_, agent):
        await said(agent, "ask another")
    assert "Six." not in str(second.requests[1].messages)
    assert second.wrong == []


async def test_an_agent_whose_kind_is_gone_says_so(tmp_path: Path, kinds: Path) -> None:
    (kinds / "tides.md").write_text("---\nname: tides\ndescription: Knows tides.\n---\nKnow tides.\n")
    first = model(says("", task("tides")), says("Six."), says("It says six."))
    async with opened(tmp_path / "work", first) as (session, agent):
        results, _ = await said(agent, "ask it")
        assert "Six." in results[0]
    (kinds / "tides.md").unlink()
    async with opened(tmp_path / "work", model(message("tides-1"), says("Then not.")), session.id) as (_, agent):
        results, _ = await said(agent, "ask again")
    assert "can't go on: there is no kind of agent named 'tides' any more. Give its task to another." in results[0]


async def test_a_report_that_the_model_had_not_heard_is_told_after_a_restart_and_once(tmp_path: Path) -> None:
    script = model(says("", task(background=True)), says("I wait."), says("Six."))
    async with opened(tmp_path, script) as (session, agent):
        async for _ in agent.send("ask it"):
            pass
        await agent.quiet()
    second = model(says("Six, I hear."), says("Nothing new."))
    async with opened(tmp_path, second, session.id) as (_, agent):
        await said(agent, "what is new?")
    async with opened(tmp_path, second, session.id) as (_, agent):
        await said(agent, "and now?")
    reports = [
        str(request.messages).count("The agent general-1 (a task) has ended. It says:") for request in second.requests
    ]
    assert reports == [1, 1]


async def test_a_limit_ends_the_agents_in_the_background_and_the_model_hears_of_it_when_it_goes_on(
    tmp_path: Path,
) -> None:
    script, kid = model(says("", task(background=True, model="kid"))), model()
    kid.hangs = asyncio.Event()
    async with (
        Session.open(tmp_path) as session,
        open_agent(session, script, limits=Limits(turns=1), model_named={"kid": kid}.__getitem__) as agent,
    ):
        _, finished = await said(agent, "ask it")
        assert (finished.ended, agent.agents()[0].state) == (Ended.TURNS, AgentState.RUNNING)
    assert agent.agents()[0].state is AgentState.STOPPED
    second = model(says("Then I do it."))
    async with opened(tmp_path, second, session.id) as (_, agent):
        await said(agent, "")
    assert "general-1 (a task) has ended before it was done: the agent was closed" in str(second.requests[0].messages)


async def test_a_list_of_agents_that_cannot_be_read_costs_nothing_else(tmp_path: Path) -> None:
    async with opened(tmp_path, model(says("", task()), says("Six."), says("It says six."))) as (session, agent):
        await said(agent, "ask it")
        session.support.values.put("agents", [{"id": 7}, "x"])
    async with opened(tmp_path, model(message("general-1"), says("Then not.")), session.id) as (_, agent):
        results, finished = await said(agent, "ask again")
    assert finished.text == "Then not."
    assert "There is no agent 'general-1'. The agents of this session: none yet." in results[0]
