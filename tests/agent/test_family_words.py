"""What a model is told of a call that can't be is in the words of its own family, whoever spoke before it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from played import PlayedModel

from handrail.agent.agent import Agent, open_agent
from handrail.agent.events import TurnEnded
from handrail.catalog.faces import family_of
from handrail.session import Session
from handrail.wire import Wire
from servers.script import Turn, Use, says

GROPES = says("", Use("greb", {"pattern": "x"}))


def claude(*script: Turn) -> PlayedModel:
    return PlayedModel(Wire.ANTHROPIC, script, name="claude-sonnet-5-5")


def gemini(*script: Turn) -> PlayedModel:
    return PlayedModel(Wire.GEMINI, script, name="gemini-4-pro")


async def results(agent: Agent, text: str) -> list[str]:
    turns = [event.turn async for event in agent.send(text) if isinstance(event, TurnEnded)]
    return [call.result.text for turn in turns for call in turn.calls]


async def test_a_model_that_takes_over_is_told_in_its_own_words(tmp_path: Path) -> None:
    async with Session.open(tmp_path) as session, open_agent(session, claude(GROPES)) as agent:
        (first,) = await results(agent, "look")
        agent.model = gemini(GROPES)
        (second,) = await results(agent, "look again")
    assert "Grep" in first
    assert "grep_search" in second


async def test_a_session_that_is_taken_up_with_another_model_tells_in_its_words(tmp_path: Path) -> None:
    async with Session.open(tmp_path, model="claude-sonnet-5-5") as session, open_agent(session, claude()) as agent:
        await results(agent, "hello")
    async with (
        Session.open(tmp_path, session=session.id, model="claude-sonnet-5-5") as session,
        open_agent(session, gemini(GROPES)) as agent,
    ):
        (told,) = await results(agent, "look")
    assert "grep_search" in told


async def test_a_subagent_of_another_family_is_told_in_that_ones_words(tmp_path: Path) -> None:
    kid = gemini(GROPES, says("I can't."))
    parent = claude(
        says("", Use("Agent", {"description": "look", "prompt": "Look.", "subagent_type": "general", "model": "kid"})),
        GROPES,
    )
    async with (
        Session.open(tmp_path) as session,
        open_agent(session, parent, model_named=lambda name: kid) as agent,
    ):
        _, own = await results(agent, "look")
    assert "grep_search" in str(kid.requests[1].messages)
    assert "Grep" in own, "the caller's own are its own as before"
    assert kid.wrong == parent.wrong == []


@pytest.mark.parametrize("play", [claude, gemini])
async def test_what_a_result_says_to_call_next_has_the_name_that_its_model_knows(
    tmp_path: Path, play: Callable[..., PlayedModel]
) -> None:
    """Whoever has no name of its own for a tool is told ours, which is on its menu then."""
    calls = (
        Use("agent", {"description": "a task", "prompt": "Do it."}),
        Use("shell", {"command": "cat", "background": True}),
        Use("shell_input", {"job": "job-1", "text": "x"}),
        Use("enter_plan_mode", {}),
    )
    script = (says("", calls[0]), says("I did."), *(says("", call) for call in calls[1:]))
    model = play(*script)
    async with Session.open(tmp_path, mode="bypass") as session, open_agent(session, model) as agent:
        told = await results(agent, "do it")
        on_menu = {tool.name for tool in session.menu(model.name).tools}
    family = family_of(model.name)
    named = {word for text in told for word in re.findall(r"\w+", text)}
    assert {tool for tool in family.names.values() if "_" in tool and family.name_of(tool) != tool} & named == set()
    wanted = ("send_message", "shell_output", "shell_input", "exit_plan_mode")
    assert {family.name_of(tool) or tool for tool in wanted} <= named
    assert {name for tool in wanted if (name := family.name_of(tool))} <= on_menu
