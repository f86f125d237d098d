"""The loop keeps a well-paired conversation, whatever breaks off, and ends for a reason that it names."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from played import DIALECTS, PlayedModel

from handrail.agent.agent import Agent, open_agent
from handrail.agent.events import AgentEvent, Ended, Finished, TurnEnded
from handrail.agent.limits import Limits
from handrail.agent.model import ModelEvent, ModelRequest, Stop, Usage
from handrail.agent.models.known_models import Price, Prices
from handrail.contract.calls import Cancelled, Completed
from handrail.errors import ModelFault
from handrail.session import Session
from handrail.wire import Wire
from servers.script import Use, says

each_wire = pytest.mark.parametrize("wire", DIALECTS, ids=[wire.value for wire in DIALECTS])

READS = says(
    "I look.",
    Use("read_file", {"file_path": "a.txt"}),
    Use("read_file", {"file_path": "b.txt"}),
    thinking="Both, together.",
)
SLEEPS = says("I wait.", Use("read_file", {"file_path": "a.txt"}), Use("shell", {"command": "sleep 60"}))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one\n")
    (tmp_path / "b.txt").write_text("two\n")
    return tmp_path


async def told(agent: Agent, text: str) -> tuple[list[AgentEvent], Finished]:
    events = [event async for event in agent.send(text)]
    assert isinstance(events[-1], Finished)
    return events, events[-1]


def turns_in(events: list[AgentEvent]) -> list[Any]:
    return [event.turn for event in events if isinstance(event, TurnEnded)]


@each_wire
async def test_calls_are_carried_out_and_their_results_come_with_the_next_request(wire: Wire, workspace: Path) -> None:
    model = PlayedModel(wire, [READS, says("One and two.")])
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        events, finished = await told(agent, "what is there?")
    assert finished == Finished(Ended.DONE, "One and two.")
    assert model.wrong == []
    assert [len(turn.calls) for turn in turns_in(events)] == [2, 0]
    assert "one" in str(model.requests[1].messages[-1]) or "one" in str(model.requests[1].messages[-2])


@each_wire
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.8, 0.95])
async def test_wherever_a_stream_breaks_off_the_model_is_asked_again_with_what_ran(
    wire: Wire, share: float, workspace: Path
) -> None:
    model = PlayedModel(wire, [READS, says("One and two.")], cuts={1: share})
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        events, finished = await told(agent, "what is there?")
    assert finished.ended is Ended.DONE
    assert model.wrong == []
    ran = turns_in(events)[0].calls
    assert all(isinstance(call, Completed) for call in ran)
    assert (len(model.requests[1].messages) > len(model.requests[0].messages)) is bool(ran)


async def test_a_stream_that_breaks_off_again_and_again_ends_the_work(workspace: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [READS], cuts=dict.fromkeys(range(1, 9), 0.3))
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        _, finished = await told(agent, "what is there?")
        assert finished == Finished(Ended.FAILED, "", "request 4 broke off")
        model._cuts.clear()
        assert (await told(agent, ""))[1].ended is Ended.DONE
    assert model.wrong == []


class Failing(PlayedModel):
    """Its own code fails in the middle of each response."""

    async def respond(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        async for event in super().respond(request):
            yield event
            raise OSError("no network card")


@each_wire
async def test_what_a_models_own_code_raises_breaks_the_answer_off_and_is_told(wire: Wire, workspace: Path) -> None:
    model = Failing(wire, [READS])
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        _, finished = await told(agent, "what is there?")
    assert finished.ended is Ended.FAILED
    assert finished.why == "what asks played failed: OSError: no network card"
    assert len(model.requests) == 4


async def test_what_a_provider_refuses_ends_the_work_with_its_words(workspace: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [READS], faults={1: ModelFault.KEY})
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        assert (await told(agent, "hi"))[1] == Finished(Ended.FAILED, "", "request 1 fails")


@each_wire
async def test_an_interrupt_answers_every_call_and_the_next_send_goes_on(wire: Wire, workspace: Path) -> None:
    model = PlayedModel(wire, [SLEEPS, says("Well.")])
    async with Session.open(workspace, mode="bypass") as session, open_agent(session, model) as agent:
        running = asyncio.Event()
        session.subscribe(
            lambda event: running.set() if "sleep 60" in repr(event) and "Executing" in repr(event) else None
        )

        async def stop() -> None:
            await running.wait()
            await agent.interrupt("the user pressed a key")

        stopping = asyncio.create_task(stop())
        events, finished = await told(agent, "wait")
        await stopping
        assert (finished.ended, finished.why) == (Ended.INTERRUPTED, "the user pressed a key")
        turn = turns_in(events)[0]
        assert not turn.waiting
        stopped = turn.calls[1]
        assert isinstance(stopped, Cancelled)
        assert "by the person: the user pressed a key" in stopped.fault.message
        assert "Ask them before you make it again" in stopped.fault.message
        assert (await told(agent, "go on"))[1].ended is Ended.DONE
    assert model.wrong == []


@each_wire
async def test_an_interrupt_while_the_model_speaks_keeps_what_was_whole(wire: Wire, workspace: Path) -> None:
    model = PlayedModel(wire, [READS, says("Well.")])
    model.hangs = asyncio.Event()
    async with Session.open(workspace) as session, open_agent(session, model) as agent:

        async def stop() -> None:
            await model.reached.wait()
            await agent.interrupt()

        stopping = asyncio.create_task(stop())
        _, finished = await told(agent, "what is there?")
        await stopping
        assert finished.ended is Ended.INTERRUPTED
        model.hangs.set()
        assert (await told(agent, "go on"))[1].ended is Ended.DONE
    assert model.wrong == []


LIMITS = [
    (Limits(turns=2), Ended.TURNS, 2),
    (Limits(tokens=300), Ended.TOKENS, 3),
    (Limits(turns=0, tokens=100), Ended.TOKENS, 1),
]


@pytest.mark.parametrize(("limits", "ended", "requests"), LIMITS)
async def test_a_limit_ends_the_work_between_two_responses(
    limits: Limits, ended: Ended, requests: int, workspace: Path
) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [READS] * 5)
    async with Session.open(workspace) as session, open_agent(session, model, limits=limits) as agent:
        _, finished = await told(agent, "what is there?")
        assert finished.ended is ended
        assert finished.why
        assert len(model.requests) == requests == agent.spent.turns
        assert agent.spent.usage.input == 100 * requests


class Sold(PlayedModel):
    prices = Prices(Price(10_000.0, 10_000.0, 10_000.0, 10_000.0))
    """A dollar for a hundred tokens."""


async def test_a_limit_of_money_ends_the_work(workspace: Path) -> None:
    model = Sold(Wire.ANTHROPIC, [READS] * 5)
    async with Session.open(workspace) as session, open_agent(session, model, limits=Limits(money=2)) as agent:
        _, finished = await told(agent, "what is there?")
    assert (finished.ended, len(model.requests)) == (Ended.MONEY, 2)
    assert finished.why == "it cost $2.2000, and may cost $2"


async def test_a_model_whose_price_nobody_knows_is_not_asked_where_money_is_limited(workspace: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [READS], name="tide-1")
    async with Session.open(workspace) as session, open_agent(session, model, limits=Limits(money=2)) as agent:
        _, finished = await told(agent, "what is there?")
    assert (finished.ended, model.requests) == (Ended.MONEY, [])
    assert finished.why == "nobody knows the price of tide-1, so no limit of money can hold: limit the tokens instead"


async def test_time_is_over_in_the_middle_of_a_call_too(workspace: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [SLEEPS])
    async with (
        Session.open(workspace, mode="bypass") as session,
        open_agent(session, model, limits=Limits(seconds=1.0)) as agent,
    ):
        events, finished = await told(agent, "wait")
        assert finished.ended is Ended.TIME
        assert isinstance(turns_in(events)[0].calls[1], Cancelled)


async def test_an_answer_that_is_too_long_is_gone_on_with_and_half_a_call_is_never_run(workspace: Path) -> None:
    model = PlayedModel(Wire.OPENAI_CHAT, [says("Once upon a time"), says("there was a file.")], stops={1: Stop.LENGTH})
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        assert (await told(agent, "tell me"))[1] == Finished(Ended.DONE, "there was a file.")
    assert "broke off there" in str(model.requests[1].messages[-1])


async def test_a_hook_ends_the_work_after_a_turn(workspace: Path) -> None:
    model = PlayedModel(Wire.GEMINI, [READS, says("Well.")])
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        agent.halts.append(lambda turn: "enough was read" if turn.calls else None)
        assert (await told(agent, "what is there?"))[1] == Finished(Ended.HOOK, "I look.", "enough was read")
        assert (await told(agent, "go on"))[1].ended is Ended.DONE
    assert model.wrong == []


async def test_a_hook_that_fails_ends_the_work(workspace: Path) -> None:
    def fails(turn: Any) -> str | None:
        raise OSError("no disk")

    model = PlayedModel(Wire.GEMINI, [READS, says("Well.")])
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        agent.halts.append(fails)
        finished = (await told(agent, "what is there?"))[1]
    assert finished.ended is Ended.HOOK
    assert "a hook failed: " in finished.why


@pytest.mark.parametrize("after", DIALECTS, ids=[wire.value for wire in DIALECTS])
@each_wire
async def test_a_model_of_another_wire_goes_on_with_the_conversation(wire: Wire, after: Wire, workspace: Path) -> None:
    first, second = PlayedModel(wire, [READS, says("Well.")]), PlayedModel(after, [READS, says("Still well.")])
    async with Session.open(workspace) as session, open_agent(session, first) as agent:
        await told(agent, "what is there?")
        agent.model = second
        assert (await told(agent, "look again"))[1] == Finished(Ended.DONE, "Still well.")
        agent.model = first
        await told(agent, "and again")
    assert first.wrong == second.wrong == []
    dialect = DIALECTS[after]()
    by = [by for by, _ in groupby(step.by for step in dialect.steps(second.requests[-1].messages))]
    assert by == ["user", "model", "tools", "model", "user", "model", "tools"]


async def test_a_model_that_pauses_is_sent_its_own_words_and_goes_on(workspace: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [says("I search."), says("Found.")], stops={1: Stop.PAUSED})
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        _, finished = await told(agent, "look")
    assert (finished.ended, finished.text) == (Ended.DONE, "Found.")
    first, second = model.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert [message["role"] for message in second.messages[len(first.messages) :]] == ["assistant"]


@each_wire
async def test_what_the_user_says_meanwhile_is_heard_with_the_results_of_the_calls_that_run(
    wire: Wire, workspace: Path
) -> None:
    """And once, in their words."""
    model = PlayedModel(wire, [READS, READS, says("Seven, then.")])
    waiting: list[str] = []

    def said() -> list[str]:
        taken, waiting[:] = list(waiting), []
        return taken

    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        agent.said_meanwhile = said
        async for event in agent.send("read it"):
            if isinstance(event, TurnEnded) and len(model.requests) == 1:
                waiting.append("Take seven.")
        assert waiting == []
    heard = [str(request.messages).count("Take seven.") for request in model.requests]
    assert (heard[0], heard[-1], model.wrong) == (0, 1, [])


async def test_what_the_user_says_meanwhile_is_not_lost_to_an_interrupt(workspace: Path) -> None:
    model, waiting = PlayedModel(Wire.ANTHROPIC, [READS, says("Seven, then.")]), ["Take seven."]
    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        agent.said_meanwhile = lambda: [waiting.pop()] if waiting else []
        agent.halts.append(lambda turn: None if waiting else "that is enough")
        await told(agent, "read it")
        await told(agent, "")
    assert [str(request.messages).count("Take seven.") for request in model.requests] == [1, 1]


async def test_words_that_can_not_be_had_end_the_work_and_say_so(workspace: Path) -> None:
    model = PlayedModel(Wire.ANTHROPIC, [READS])

    def fails() -> list[str]:
        raise KeyError("tides")

    async with Session.open(workspace) as session, open_agent(session, model) as agent:
        agent.said_meanwhile = fails
        _, finished = await told(agent, "read it")
    assert finished.ended is Ended.FAILED
    assert finished.why == "what the user said meanwhile could not be had: KeyError: 'tides'"


@pytest.mark.parametrize("cuts", [{}, {1: 0.6, 2: 0.6, 3: 0.6}])
async def test_where_nobody_counts_tokens_a_limit_holds_by_an_estimate(workspace: Path, cuts: dict[int, float]) -> None:
    """A provider that says nothing of tokens, and a stream that breaks off before they are told."""
    model = PlayedModel(Wire.ANTHROPIC, [READS] * 9, usage=Usage(), cuts=cuts)
    async with Session.open(workspace) as session, open_agent(session, model, limits=Limits(tokens=3_000)) as agent:
        _, finished = await told(agent, "read it")
    assert finished.ended is Ended.TOKENS
    assert 1 < len(model.requests) < 9
