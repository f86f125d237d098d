"""An agent works on what it is told until its model makes no more calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from played import PlayedModel

from handrail.agent.agent import open_agent
from handrail.agent.events import AgentEvent, Ended, Finished, TurnEnded
from handrail.agent.scripted import Say, ScriptedModel, Use
from handrail.errors import UsageError
from handrail.session import Session
from handrail.wire import Wire
from servers.script import says


async def test_a_models_calls_are_carried_out_until_it_makes_no_more(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    model = ScriptedModel([Say("I look.", (Use("read_file", {"file_path": "a.txt"}),)), Say("It says one.")])
    async with Session.open(tmp_path) as session, open_agent(session, model) as agent:
        events: list[AgentEvent] = [event async for event in agent.send("what is in a.txt?")]
    assert events[-1] == Finished(Ended.DONE, "It says one.")
    assert [event.turn.done for event in events if isinstance(event, TurnEnded)] == [False, True]
    assert "one" in str(model.seen[1][-1])


async def test_what_is_too_long_to_be_kept_is_refused_and_the_conversation_goes_on_without_it(tmp_path: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [says("Yes?"), says("Well.")])
    async with Session.open(tmp_path) as session, open_agent(session, model) as agent:
        with pytest.raises(UsageError, match="put it into a file, and say which one to read"):
            async for _ in agent.send("x" * 10_000_000):
                pass
        assert model.requests == []
        last = [event async for event in agent.send("hello")][-1]
    assert last == Finished(Ended.DONE, "Yes?")
    assert "xxx" not in str(model.requests[0].messages)
