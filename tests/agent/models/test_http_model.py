"""A model that is asked over HTTP, against servers that speak each provider's wire and judge every request."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from asked import KEY, MIXED, PROVIDERS, QUICK, WIRES, asked, asked_in_vain, model_at, request, response_in

from handrail.agent.model import (
    CallBegun,
    ModelEvent,
    Received,
    ResponseEnded,
    Stop,
    TextArrived,
    ThinkingArrived,
    Usage,
    Waiting,
)
from handrail.agent.models import http_model
from handrail.agent.models.endpoint import Endpoint
from handrail.agent.models.http_model import HttpModel
from handrail.agent.models.provider import known_providers
from handrail.errors import ModelError, ModelFault
from handrail.wire import Wire, decode, encode
from handrail.wire.user import encode_user
from servers.dialect import Event
from servers.faults import IGNORED, WRONG_DATA, Fault
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import Use, numbered, says
from wire.wire_answers import good_answers

each_wire = pytest.mark.parametrize("wire", WIRES)
OPENING = {Wire.ANTHROPIC: 3, Wire.OPENAI_CHAT: 1, Wire.OPENAI_RESPONSES: 4, Wire.GEMINI: 0}
"""Events before the first that tells something."""


def server_of(wire: Wire, *faults: Fault) -> ProviderServer:
    return ProviderServer(DIALECTS[wire](), [MIXED, says("Done.")], faults)


def texts(events: list[ModelEvent]) -> tuple[str, str, list[str]]:
    """Text, thinking and the names of calls, as they were told."""
    said = "".join(event.text for event in events if isinstance(event, TextArrived))
    thought = "".join(event.text for event in events if isinstance(event, ThinkingArrived))
    return said, thought, [event.name for event in events if isinstance(event, CallBegun)]


ALL = ("Five at once.", "They don't wait for each other.", ["tide", "tide", "tide", "now", "tide"])


def is_whole(events: list[ModelEvent], wire: Wire) -> bool:
    whole = decode(DIALECTS[wire]().whole(numbered([MIXED])[0]))
    return response_in(events, wire) == whole and isinstance(events[-1], ResponseEnded)


@each_wire
async def test_text_thinking_and_five_calls_are_told_while_they_come(wire: Wire) -> None:
    with server_of(wire) as server:
        events = await asked(model_at(server))
    assert server.wrong == []
    assert texts(events) == ALL
    assert is_whole(events, wire)
    assert events[-1] == ResponseEnded(Usage(10, 0, 0, 10), Stop.CALLS)


@each_wire
async def test_a_conversation_goes_on_with_the_results(wire: Wire) -> None:
    with server_of(wire) as server:
        model = model_at(server)
        first = response_in(await asked(model), wire)
        events = await asked(model, *encode(first, good_answers(first)))
    assert (server.wrong, server.played) == ([], [0, 1])
    assert texts(events) == ("Done.", "", [])
    assert events[-1] == ResponseEnded(Usage(10, 0, 0, 10), Stop.END)


@each_wire
async def test_a_stream_may_come_byte_by_byte(wire: Wire) -> None:
    with server_of(wire, Fault(dripped=True)) as server:
        events = await asked(model_at(server))
    assert (texts(events), is_whole(events, wire)) == (ALL, True)


@each_wire
async def test_an_answer_may_come_as_one_document(wire: Wire) -> None:
    with server_of(wire, Fault(whole=True)) as server:
        events = await asked(model_at(server))
    assert (texts(events), is_whole(events, wire)) == (ALL, True)
    assert events[-1] == ResponseEnded(Usage(10, 0, 0, 10), Stop.CALLS)


@pytest.mark.parametrize("between", IGNORED)
@each_wire
async def test_what_says_nothing_between_events_changes_nothing(wire: Wire, between: str) -> None:
    events = list(DIALECTS[wire]().events(numbered([MIXED])[0]))
    place = len(events) // 2
    with server_of(wire, Fault(instead=(place, between + as_sent(events[place])))) as server:
        told = await asked(model_at(server))
    assert texts(told) == ALL
    assert isinstance(told[-1], ResponseEnded)


def as_sent(event: Event) -> str:
    return f"data: {json.dumps(event[1])}\n\n"


@pytest.mark.parametrize("data", WRONG_DATA)
@each_wire
async def test_an_event_that_is_none_ends_the_answer_as_unreadable(wire: Wire, data: str) -> None:
    with server_of(wire, Fault(instead=(OPENING[wire] + 2, data))) as server:
        events, error = await asked_in_vain(model_at(server))
    assert error.fault is ModelFault.UNREADABLE
    assert any(isinstance(event, Received) for event in events)
    assert len(server.requests) == 1


@each_wire
async def test_wherever_a_stream_is_cut_what_came_stands_and_is_not_asked_for_again(wire: Wire) -> None:
    count = len(list(DIALECTS[wire]().events(numbered([MIXED])[0])))
    for place in range(OPENING[wire] + 1, count - 2):
        with server_of(wire, Fault(cut_after=place)) as server:
            events, error = await asked_in_vain(model_at(server))
        assert error.fault is ModelFault.CUT
        assert len(server.requests) == 1
        assert [event for event in events if isinstance(event, Waiting)] == []
        whole = response_in(events, wire)
        assert whole.wire is wire


@each_wire
async def test_a_stream_that_is_cut_before_it_said_anything_is_asked_for_again(wire: Wire) -> None:
    for place in range(OPENING[wire] + 1):
        with server_of(wire, Fault(cut_after=place)) as server:
            events = await asked(model_at(server))
        assert (texts(events), is_whole(events, wire)) == (ALL, True)
        assert len(server.requests) == 2


@pytest.mark.parametrize("telling", [True, False], ids=["text without end", "events that say nothing"])
@each_wire
async def test_an_answer_without_end_is_ended(wire: Wire, telling: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_model, "MOST_BYTES", 100_000)
    events = list(DIALECTS[wire]().events(numbered([MIXED])[0]))
    place = OPENING[wire] + 1 if telling else 0
    again = (as_sent(events[place]) if telling else 'data: {"type": "ping"}\n\n') * 5_000
    with server_of(wire, Fault(instead=(place, again))) as server:
        _, error = await asked_in_vain(model_at(server))
    assert error.fault is ModelFault.UNREADABLE
    assert "had no end: more than 100,000 bytes came; ask for less at once" in str(error)


@each_wire
async def test_a_server_that_refuses_before_it_has_heard_all_is_understood(wire: Wire) -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        model = HttpModel(known_providers()[PROVIDERS[wire]], Endpoint(wire, address, "local", KEY, "THE_KEY"), QUICK)
        with pytest.raises(ModelError, match="413") as told:
            await asked(model, encode_user("x" * 20_000_000, wire))
    assert told.value.fault is ModelFault.TOO_LONG


@each_wire
async def test_a_connection_that_ends_in_the_middle_of_what_was_announced_is_a_cut(wire: Wire) -> None:
    torn = Fault(cut_after=OPENING[wire] + 2, headers={"Content-Length": "1000000"})
    with server_of(wire, torn) as server:
        _, error = await asked_in_vain(model_at(server))
    assert error.fault is ModelFault.CUT


@each_wire
async def test_a_server_that_falls_silent_is_not_waited_for_without_end(wire: Wire) -> None:
    with server_of(wire, Fault(silent_after=OPENING[wire] + 2)) as server:
        events, error = await asked_in_vain(model_at(server, replace(QUICK, silence=1.0)))
        assert server.gone.wait(10)
    assert error.fault is ModelFault.CUT
    assert any(isinstance(event, Received) for event in events)


@each_wire
async def test_leaving_early_closes_the_connection(wire: Wire) -> None:
    with server_of(wire, Fault(silent_after=OPENING[wire] + 2)) as server:
        stream = model_at(server).respond(request(wire))
        async for event in stream:
            if isinstance(event, Received):
                break
        await stream.aclose()
        assert await asyncio.to_thread(server.gone.wait, 10)


@each_wire
async def test_being_cancelled_closes_the_connection(wire: Wire) -> None:
    with server_of(wire, Fault(silent_after=OPENING[wire] + 2)) as server:
        came = asyncio.Event()

        async def listen() -> None:
            async for _ in model_at(server).respond(request(wire)):
                came.set()

        task = asyncio.create_task(listen())
        await came.wait()
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        assert await asyncio.to_thread(server.gone.wait, 10)


@each_wire
async def test_the_key_goes_where_the_wire_has_it_and_is_in_no_representation(wire: Wire) -> None:
    with server_of(wire) as server:
        model = model_at(server)
        await asked(model)
    header = {Wire.ANTHROPIC: "x-api-key", Wire.GEMINI: "x-goog-api-key"}.get(wire, "authorization")
    assert server.headers[0][header].removeprefix("Bearer ") == KEY
    assert KEY not in repr(model) + repr(vars(model))


@each_wire
async def test_several_answers_may_be_listened_to_at_once(wire: Wire) -> None:
    with server_of(wire) as server:
        model = model_at(server)
        every = await asyncio.gather(*(asked(model) for _ in range(5)))
    assert all(is_whole(events, wire) for events in every)


async def test_calls_without_text_are_told_too() -> None:
    for wire in WIRES:
        with ProviderServer(DIALECTS[wire](), [says("", Use("now", {}))]) as server:
            events = await asked(model_at(server))
        assert texts(events) == ("", "", ["now"])
        assert [call.name for call in response_in(events, wire).calls] == ["now"]
