"""Recorded responses are answered with again: those of the corpus, of whole runs, and of a session's journal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from asked import QUICK, WIRES, asked_in_vain, model_at, request, response_in

from corpus_files import corpus
from handrail.agent.agent import open_agent
from handrail.agent.events import Ended, Finished, TurnEnded
from handrail.agent.limits import Limits
from handrail.agent.model import CallBegun, Model, ModelEvent, ModelRequest, Received, ResponseEnded, Stop, TextArrived
from handrail.agent.replay import ReplayModel, recorded_responses
from handrail.agent.scripted import Say, ScriptedModel, Use
from handrail.contract.calls import Completed
from handrail.errors import ModelError, ModelFault, UsageError
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.places import journal_file, state_folder
from handrail.wire import Wire, read
from handrail.wire.text import paragraphs
from paired import unpaired
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import numbered, says
from trajectories import Run, recorded_runs

RUNS = recorded_runs()
RESPONSES = corpus("provider_responses")
each_run = pytest.mark.parametrize("run", RUNS, ids=[run.id for run in RUNS])
each_wire = pytest.mark.parametrize("wire", WIRES)


class Listened:
    """A model, and the last request it got."""

    def __init__(self, model: Model) -> None:
        self.name, self.wire, self.window = model.name, model.wire, model.window
        self.last: ModelRequest | None = None
        self._model = model

    async def respond(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.last = request
        async for event in self._model.respond(request):
            yield event


@asynccontextmanager
async def session_of(run: Run, folder: Path) -> AsyncIterator[Session]:
    async with Session.open(folder, mode="bypass", parts=Parts(tools=(run.bash(),))) as session:
        yield session


async def replayed(run: Run, model: Model, folder: Path) -> tuple[list[Finished], list[TurnEnded]]:
    finished: list[Finished] = []
    turns: list[TurnEnded] = []
    async with session_of(run, folder) as session, open_agent(session, model, limits=Limits(turns=200)) as agent:
        for task in run.tasks:
            events = [event async for event in agent.send(task)]
            turns += [event for event in events if isinstance(event, TurnEnded)]
            finished += [event for event in events if isinstance(event, Finished)]
    return finished, turns


@each_run
@each_wire
async def test_a_recorded_run_is_carried_out_again(run: Run, wire: Wire, tmp_path: Path) -> None:
    dialect = DIALECTS[wire]()
    streams = [[data for _, data in dialect.events(turn) if data != "[DONE]"] for turn in numbered(run.turns)]
    model = Listened(ReplayModel([*streams, dialect.whole(numbered([*run.turns, says_done()])[-1])], wire))
    finished, turns = await replayed(run, model, tmp_path)
    assert [end.ended for end in finished] == [Ended.DONE] * len(run.tasks)
    assert all(isinstance(call, Completed) for each in turns for call in each.turn.calls)
    assert sum(len(each.turn.calls) for each in turns) == sum(bool(step["arguments"]) for step in run.steps)
    assert model.last is not None
    assert unpaired(model.last.messages, wire) == []


def says_done() -> Any:
    return says("Done.")


@each_wire
async def test_a_recorded_run_goes_over_http_as_its_provider_would_have_it(wire: Wire, tmp_path: Path) -> None:
    run = min(RUNS, key=lambda run: len(run.steps))
    with ProviderServer(DIALECTS[wire](), [*run.turns, says_done()]) as server:
        finished, turns = await replayed(run, model_at(server, QUICK), tmp_path)
    assert (server.wrong, finished[-1].ended) == ([], Ended.DONE)
    assert len(server.requests) == len(turns) == len(run.steps) + 1


def is_single(row: dict[str, Any]) -> bool:
    """One response, which came to its end."""
    found = read(json.dumps(row["response"]))
    return len(found) == 1


@pytest.mark.parametrize("row", RESPONSES, ids=[row["id"] for row in RESPONSES])
async def test_a_recorded_response_is_told_as_its_wire_reads_it(row: dict[str, Any]) -> None:
    if not is_single(row):
        return
    model = ReplayModel([row["response"]])
    events, broken = await all_of(model)
    if broken is not None:
        assert broken.fault is ModelFault.CUT
        return
    response = response_in(events, model.wire)
    told = paragraphs([event.text for event in events if isinstance(event, TextArrived)])
    assert squeezed(told) in squeezed(response.text) or squeezed(response.text) in squeezed(told)
    # An attempt that a proxy gave up, and what the provider runs itself, may have been told of, too.
    begun = Counter(event.name for event in events if isinstance(event, CallBegun))
    assert Counter(call.name for call in response.calls) <= begun
    assert isinstance(events[-1], ResponseEnded)
    if response.calls and events[-1].stop is not Stop.LENGTH:
        assert events[-1].stop is Stop.CALLS


async def all_of(model: ReplayModel) -> tuple[list[ModelEvent], ModelError | None]:
    events: list[ModelEvent] = []
    try:
        async for event in model.respond(request(model.wire)):
            events.append(event)
    except ModelError as error:
        return events, error
    return events, None


def squeezed(text: str) -> str:
    return "".join(text.split())


async def test_a_recording_that_is_over_says_so() -> None:
    model = ReplayModel([{"text": "One.", "calls": []}])
    events, _ = await all_of(model)
    assert [type(event) for event in events] == [TextArrived, Received, ResponseEnded]
    events, over = await all_of(model)
    assert events == []
    assert "has 1 responses, and is asked for one more" in str(over)


async def test_a_recording_that_breaks_off_is_a_cut() -> None:
    stream = [{"type": "message_start", "message": {"id": "m", "content": []}}]
    _, error = await asked_in_vain(ReplayModel([stream]))
    assert error.fault is ModelFault.CUT


def test_what_is_no_recording_is_refused() -> None:
    with pytest.raises(UsageError, match="no responses of a known wire"):
        ReplayModel([{"hello": 1}])


@pytest.mark.parametrize("wire", [*WIRES, Wire.NEUTRAL])
async def test_a_session_is_replayed_from_its_journal(wire: Wire, tmp_path: Path) -> None:
    run = RUNS[0]
    dialect = DIALECTS[wire]() if wire is not Wire.NEUTRAL else None
    turns = numbered(run.turns[:5])
    if dialect is None:
        script = [Say(turn.text, tuple(Use(use.name, use.arguments) for use in turn.uses)) for turn in turns]
        model: Model = ScriptedModel(script)
    else:
        model = ReplayModel([*(dialect.whole(turn) for turn in turns), dialect.whole(says_done())], wire)
    async with session_of(run, tmp_path) as session, open_agent(session, model) as agent:
        first = [event async for event in agent.send("Look.")]
        id = session.id
    journal = journal_file(state_folder(), tmp_path)
    again = ReplayModel([*recorded_responses(journal, id)], wire)
    events = [event async for event in again.respond(request(wire))]
    ended = next(event for event in first if isinstance(event, TurnEnded))
    assert response_in(events, wire).calls == ended.turn.response.calls
    assert response_in(events, wire).text == ended.turn.response.text
