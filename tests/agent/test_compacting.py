"""A conversation is made shorter before it fills the window, and stays well paired."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from played import DIALECTS, PlayedModel

from handrail.agent.agent import Agent, open_agent
from handrail.agent.compacting import LEFT_OUT
from handrail.agent.events import AgentEvent, Compacted, Ended, Finished, TurnEnded
from handrail.agent.model import ModelEvent, ModelRequest, Usage
from handrail.contract.confirmation import Once
from handrail.errors import ModelError, ModelFault, UsageError
from handrail.runtime.askers import LeftOpen
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.wire import Wire
from servers.script import Use, says

each_wire = pytest.mark.parametrize("wire", DIALECTS, ids=[wire.value for wire in DIALECTS])

READS = says("I look.", Use("read_file", {"file_path": "long.txt"}))
UNCOUNTED = Usage()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "long.txt").write_text("tide\n" * 800)
    return tmp_path


async def told(agent: Agent, text: str) -> list[AgentEvent]:
    return [event async for event in agent.send(text)]


@each_wire
async def test_old_results_go_before_the_window_is_full_and_a_file_is_shown_again(wire: Wire, workspace: Path) -> None:
    others = [says("", Use("glob", {"pattern": "*"}), Use("shell", {"command": "seq 1500"})) for _ in range(3)]
    model = PlayedModel(wire, [READS, *others, READS, says("Done.")], window=8_000, usage=UNCOUNTED)
    async with Session.open(workspace, mode="bypass") as session, open_agent(session, model) as agent:
        events = await told(agent, "read on")
        assert agent.used < 8_000
    compacted = [event for event in events if isinstance(event, Compacted)]
    assert compacted
    assert all(event.after < event.before for event in compacted)
    assert LEFT_OUT in str(model.requests[-1].messages)
    assert str(model.requests[-1].messages[-1]).count("tide") > 700
    assert model.wrong == []


@each_wire
async def test_where_that_is_not_enough_the_model_sums_up_and_goes_on(wire: Wire, workspace: Path) -> None:
    talk = says("word " * 3_000, Use("glob", {"pattern": "*"}))
    script = [talk, talk, says("SUMMARY: tides were read."), says("Done.")]
    model = PlayedModel(wire, script, window=8_000, usage=UNCOUNTED)
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        events = await told(agent, "Keep this sentence of mine.")
    assert isinstance(events[-1], Finished)
    assert events[-1].ended is Ended.DONE
    last = str(model.requests[-1].messages)
    assert "SUMMARY: tides were read." in last
    assert "Keep this sentence of mine." in last
    assert "word word" in last
    assert model.wrong == []


@each_wire
async def test_a_conversation_that_is_too_long_all_the_same_is_made_shorter_once(wire: Wire, workspace: Path) -> None:
    script = [READS, READS, says("SUMMARY"), says("Done.")]
    model = PlayedModel(wire, script, faults={3: ModelFault.TOO_LONG})
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        events = await told(agent, "read")
    assert isinstance(events[-1], Finished)
    assert events[-1].ended is Ended.DONE
    assert "SUMMARY" in str(model.requests[-1].messages)
    assert model.wrong == []


async def test_one_that_grows_too_long_again_later_is_made_shorter_again(workspace: Path) -> None:
    """Of most local models nobody knows the window: only the provider says that it is full."""
    again = [READS, READS, says("SUMMARY")]
    too_long = {3: ModelFault.TOO_LONG, 7: ModelFault.TOO_LONG}
    model = PlayedModel(Wire.OPENAI_CHAT, [*again, *again, says("Done.")], faults=too_long)
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        events = await told(agent, "read")
    assert isinstance(events[-1], Finished)
    assert events[-1].ended is Ended.DONE
    assert model.wrong == []


@each_wire
async def test_a_summary_that_is_too_long_is_asked_of_the_newer_half_and_the_users_words_stay(
    wire: Wire, workspace: Path
) -> None:
    talk = says("word " * 3_000, Use("glob", {"pattern": "*"}))
    script = [talk, talk, talk, says("SUMMARY"), says("Done.")]
    model = PlayedModel(wire, script, faults=dict.fromkeys((4, 5), ModelFault.TOO_LONG))
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        events = await told(agent, "Keep this sentence of mine.")
    assert isinstance(events[-1], Finished)
    assert events[-1].ended is Ended.DONE
    assert "left out" in str(model.requests[5].messages[0])
    assert "Keep this sentence of mine." in str(model.requests[-1].messages)
    assert model.wrong == []


async def test_one_that_is_too_long_again_ends_the_work(workspace: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [READS, READS], faults=dict.fromkeys(range(3, 20), ModelFault.TOO_LONG))
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        events = await told(agent, "read")
    assert isinstance(events[-1], Finished)
    assert events[-1].ended is Ended.FAILED


async def test_it_can_be_asked_for_and_a_new_conversation_needs_none(workspace: Path) -> None:
    model = PlayedModel(Wire.GEMINI, [READS, READS, says("Well."), says("SUMMARY"), says("On.")], usage=UNCOUNTED)
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        assert await agent.compact() is None
        await told(agent, "read")
        compacted = await agent.compact()
        assert compacted is not None
        assert compacted.after < compacted.before
        await told(agent, "go on")
        agent.clear()
        assert agent.used == 0
        await told(agent, "anew")
    assert "SUMMARY" not in str(model.requests[-1].messages)
    assert model.wrong == []


async def test_an_interrupt_ends_a_summary_too(workspace: Path) -> None:
    talk = says("word " * 3_000, Use("glob", {"pattern": "*"}))
    model = PlayedModel(Wire.ANTHROPIC, [talk, talk, says("SUMMARY"), says("Done.")], window=8_000, usage=UNCOUNTED)
    async with Session.open(workspace) as session, open_agent(session, model) as agent:

        async def stop() -> None:
            await model.reached.wait()
            await agent.interrupt("a key")

        def hang(turn: object) -> None:
            model.hangs = asyncio.Event() if len(model.requests) == 2 else None

        agent.halts.append(hang)
        stopping = asyncio.create_task(stop())
        events = await told(agent, "talk")
        await stopping
        assert isinstance(events[-1], Finished)
        assert events[-1].ended is Ended.INTERRUPTED
    assert model.wrong == []


async def test_nothing_is_told_to_an_agent_that_sums_up_for_it_would_be_lost(workspace: Path) -> None:
    talk = says("word " * 3_000, Use("glob", {"pattern": "*"}))
    model = PlayedModel(Wire.ANTHROPIC, [talk, talk, says("Well."), says("SUMMARY"), says("On.")])
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        await told(agent, "talk")
        model.hangs = asyncio.Event()
        compacting = asyncio.create_task(agent.compact())
        await model.reached.wait()
        with pytest.raises(UsageError, match="at work"):
            await told(agent, "more")
        with pytest.raises(UsageError, match="at work"):
            agent.clear()
        model.hangs.set()
        assert await compacting is not None
        await told(agent, "more")
    assert [str(model.requests[-1].messages).count(text) for text in ("SUMMARY", "more")] == [1, 1]


async def test_a_parked_turn_that_is_resumed_while_it_sums_up_is_not_lost(workspace: Path) -> None:
    talk = says("word " * 3_000, Use("glob", {"pattern": "*"}))
    writes = says("I write.", Use("write_file", {"file_path": "a.txt", "content": "one\n"}))
    model = PlayedModel(Wire.ANTHROPIC, [talk, talk, writes, says("SUMMARY"), says("It is there.")])
    parts = Parts(asker=LeftOpen())
    async with Session.open(workspace, parts=parts) as session, open_agent(session, model) as agent:
        parked = [event.turn for event in await told(agent, "write it") if isinstance(event, TurnEnded)][-1]
        model.hangs = asyncio.Event()
        compacting = asyncio.create_task(agent.compact())
        await model.reached.wait()
        resumed = await session.resume(parked, {parked.pending[0].approval: Once()})
        assert not resumed.waiting
        model.hangs.set()
        assert await compacting is not None
        await told(agent, "")
    assert [str(model.requests[-1].messages).count(text) for text in ("SUMMARY", "I write.")] == [1, 1]
    assert model.wrong == []


async def test_an_interrupt_ends_a_summary_that_was_asked_for(workspace: Path) -> None:
    talk = says("word " * 3_000, Use("glob", {"pattern": "*"}))
    model = PlayedModel(Wire.ANTHROPIC, [talk, talk, says("Well."), says("On.")])
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        await told(agent, "talk")
        model.hangs = asyncio.Event()
        compacting = asyncio.create_task(agent.compact())
        await model.reached.wait()
        await agent.interrupt("a key")
        assert await compacting is None
        model.hangs = None
        await told(agent, "more")
    assert "word word" in str(model.requests[-1].messages)
    assert model.wrong == []


async def test_a_summary_that_is_none_counts_towards_the_limits(workspace: Path) -> None:
    """The model makes a call instead, and says nothing."""
    talk = says("word " * 3_000, Use("glob", {"pattern": "*"}))
    model = PlayedModel(
        Wire.ANTHROPIC, [talk, talk, says("", Use("glob", {"pattern": "*"}))], usage=Usage(9_000, 0, 0, 1)
    )
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        agent.halts.append(lambda turn: "enough" if len(model.requests) == 2 else None)
        await told(agent, "talk")
        with pytest.raises(ModelError, match="asked for a summary"):
            await agent.compact()
        assert agent.spent.usage.input == 27_000
        assert agent.spent.turns == 2


class Failing(PlayedModel):
    """Its own code fails at one request."""

    failing = 0

    async def respond(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        async for event in super().respond(request):
            yield event
            if len(self.requests) == self.failing:
                raise KeyError("tides")


async def test_a_models_own_fault_is_told_and_a_summary_is_done_without(workspace: Path) -> None:
    talk = says("word " * 3_000, Use("glob", {"pattern": "*"}))
    model = Failing(Wire.ANTHROPIC, [talk, talk, says("Done.")], window=8_000, usage=UNCOUNTED)
    model.failing = 3
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        events = await told(agent, "talk")
        assert isinstance(events[-1], Finished)
        assert events[-1].ended is Ended.DONE
        model.failing = len(model.requests) + 1
        with pytest.raises(ModelError, match="what asks played failed: KeyError: 'tides'"):
            await agent.compact()
    assert model.wrong == []
