"""A session that is taken up goes on with its conversation, with turns that were not finished, too."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from played import PlayedModel

from handrail.agent.agent import open_agent
from handrail.agent.events import Ended, Finished, TurnEnded
from handrail.contract.confirmation import Once
from handrail.runtime.askers import LeftOpen
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.wire import Wire
from servers.script import Use, says

WRITES = says("I write.", Use("write_file", {"file_path": "a.txt", "content": "one\n"}))


async def test_a_conversation_goes_on_in_another_process(tmp_path: Path) -> None:
    first, second = PlayedModel(Wire.ANTHROPIC, [says("Hello.")]), PlayedModel(Wire.GEMINI, [says("You said hi.")])
    async with Session.open(tmp_path) as session, open_agent(session, first) as agent:
        id = session.id
        async for _ in agent.send("hi"):
            pass
    async with Session.open(tmp_path, session=id) as session, open_agent(session, second) as agent:
        events = [event async for event in agent.send("what did I say?")]
    assert events[-1] == Finished(Ended.DONE, "You said hi.")
    assert "hi" in str(second.requests[0].messages[0])
    assert "Hello." in str(second.requests[0].messages[1])
    assert second.wrong == []


async def test_a_call_that_waited_is_answered_after_a_restart_and_the_model_hears_of_it(tmp_path: Path) -> None:
    first, second = PlayedModel(Wire.ANTHROPIC, [WRITES]), PlayedModel(Wire.ANTHROPIC, [says("It is there.")])
    parts = Parts(asker=LeftOpen())
    async with Session.open(tmp_path, parts=parts) as session, open_agent(session, first) as agent:
        id = session.id
        events = [event async for event in agent.send("write it")]
        assert isinstance(events[-1], Finished)
        assert events[-1].ended is Ended.PARKED
    async with Session.open(tmp_path, session=id, parts=parts) as session, open_agent(session, second) as agent:
        parked = [event async for event in agent.send("")]
        assert isinstance(parked[-1], Finished)
        assert parked[-1].ended is Ended.PARKED
        (question,) = session.pending()
        session.answer(question.approval, Once(), "test")
        events = [event async for event in agent.send("")]
    assert events[-1] == Finished(Ended.DONE, "It is there.")
    assert (tmp_path / "a.txt").read_text() == "one\n"
    assert second.wrong == []
    assert [message["role"] for message in second.requests[0].messages] == ["user", "assistant", "user"]


async def test_what_waits_is_cancelled_where_the_user_says_something_else(tmp_path: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [WRITES, says("I leave it.")])
    async with Session.open(tmp_path, parts=Parts(asker=LeftOpen())) as session, open_agent(session, model) as agent:
        async for _ in agent.send("write it"):
            pass
        events = [event async for event in agent.send("leave it")]
        assert session.pending() == ()
    assert events[-1] == Finished(Ended.DONE, "I leave it.")
    assert not (tmp_path / "a.txt").exists()
    assert model.wrong == []


@pytest.mark.parametrize("said", ["", "Is it there?"])
async def test_a_turn_that_the_session_resumed_beside_the_agent_is_heard_of_once(tmp_path: Path, said: str) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [WRITES, says("It is there.")])
    async with Session.open(tmp_path, parts=Parts(asker=LeftOpen())) as session, open_agent(session, model) as agent:
        events = [event async for event in agent.send("write it")]
        (parked,) = [event.turn for event in events if isinstance(event, TurnEnded)]
        assert (await session.resume(parked)).waiting
        resumed = await session.resume(parked, {parked.pending[0].approval: Once()})
        assert not resumed.waiting
        events = [event async for event in agent.send(said)]
    assert events[-1] == Finished(Ended.DONE, "It is there.")
    assert (tmp_path / "a.txt").read_text() == "one\n"
    assert model.wrong == []
    assert str(model.requests[-1].messages).count("'tool_result'") == 1


async def test_it_is_heard_of_once_where_the_agent_resumes_it_at_the_same_time(tmp_path: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [WRITES, says("It is there.")])
    async with Session.open(tmp_path, parts=Parts(asker=LeftOpen())) as session, open_agent(session, model) as agent:
        events = [event async for event in agent.send("write it")]
        (parked,) = [event.turn for event in events if isinstance(event, TurnEnded)]
        session.answer(parked.pending[0].approval, Once(), "test")

        async def gone_on() -> object:
            return [event async for event in agent.send("")][-1]

        finished, resumed = await asyncio.gather(gone_on(), session.resume(parked))
        assert not resumed.waiting
    assert finished == Finished(Ended.DONE, "It is there.")
    assert model.wrong == []
    assert str(model.requests[-1].messages).count("'tool_result'") == 1
