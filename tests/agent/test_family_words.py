"""What a model is told of a call that can't be is in the words of its own family, whoever spoke before it."""

from __future__ import annotations

from pathlib import Path

from played import PlayedModel

from handrail.agent.agent import Agent, open_agent
from handrail.agent.events import TurnEnded
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
