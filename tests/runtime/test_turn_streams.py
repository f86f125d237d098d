"""Responses that still come: each call starts as soon as it is complete, and none is run that was not meant."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from call_harness import Person, opened, states_of
from corpus_files import corpus
from handrail.contract.basics import CallId
from handrail.contract.calls import Cancelled, Completed, Failed
from handrail.contract.confirmation import Once
from handrail.contract.effects import Claims
from handrail.errors import WireError
from handrail.testing import FakeTool, MemoryJournal
from handrail.wire import StreamReader, decode

Event = dict[str, Any]


def anthropic(*calls: tuple[str, dict[str, Any]], stop: str = "tool_use", id: str = "msg_1") -> list[Event]:
    events: list[Event] = [{"type": "message_start", "message": {"id": id, "role": "assistant", "content": []}}]
    for index, (name, arguments) in enumerate(calls):
        block = {"type": "tool_use", "id": f"{id}_{index}", "name": name, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        events += [
            {"type": "content_block_start", "index": index, "content_block": block},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    return [*events, {"type": "message_delta", "delta": {"stop_reason": stop}}, {"type": "message_stop"}]


def chat(*calls: tuple[str, dict[str, Any]]) -> list[Event]:
    events = []
    for index, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        for piece, more in ((text[:3], {"id": f"call_{index}", "type": "function"}), (text[3:], {})):
            function = {"arguments": piece} | ({"name": name} if more else {})
            delta = {"tool_calls": [{"index": index, **more, "function": function}]}
            events.append({"id": "r1", "choices": [{"index": 0, "delta": delta}]})
    return [*events, {"id": "r1", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}]


def responses(*calls: tuple[str, dict[str, Any]]) -> list[Event]:
    events: list[Event] = [{"type": "response.created", "response": {"id": "r1", "output": []}}]
    output = []
    for index, (name, arguments) in enumerate(calls):
        item = {"type": "function_call", "id": f"fc_{index}", "call_id": f"call_{index}", "name": name}
        whole = {**item, "arguments": json.dumps(arguments)}
        output.append(whole)
        events += [
            {"type": "response.output_item.added", "output_index": index, "item": {**item, "arguments": ""}},
            {"type": "response.output_item.done", "output_index": index, "item": whole},
        ]
    done = {"id": "r1", "object": "response", "status": "completed", "output": output}
    return [*events, {"type": "response.completed", "response": done}]


def gemini(*calls: tuple[str, dict[str, Any]]) -> list[Event]:
    parts = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in calls]
    pieces = [{"candidates": [{"content": {"role": "model", "parts": [part]}}]} for part in parts]
    return [*pieces, {"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}]


WIRES = [anthropic, chat, responses, gemini]


class Stream:
    """Events that wait: the ones behind `held` come when `go_on` is set."""

    def __init__(self, events: list[Event], held: int) -> None:
        self.events = events
        self.held = held
        self.go_on = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[Event]:
        for place, event in enumerate(self.events):
            if place == self.held:
                await self.go_on.wait()
            yield event


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.__name__)
async def test_a_complete_call_runs_before_the_stream_ends(tmp_path: Path, wire: Callable[..., list[Event]]) -> None:
    events = wire(("first", {"n": 1}), ("second", {"n": 2}))
    stream = Stream(events, len(events) - 1)

    async def let_it_end(params: Any, context: Any) -> str:
        stream.go_on.set()
        return "ran"

    second = FakeTool("second")
    async with opened(tmp_path, FakeTool("first", let_it_end), second) as session:
        turn = await session.run(stream)
    assert [type(call) for call in turn.calls] == [Completed, Completed]
    assert second.calls == [{"n": 2}]
    whole = decode(events)
    assert turn.response == whole
    assert len(turn.messages) > len(whole.assistant)


async def test_a_stream_that_blocks_is_read_as_it_comes_too(tmp_path: Path) -> None:
    ran = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stream() -> Iterator[Event]:
        *events, last = anthropic(("first", {"n": 1}))
        yield from events
        asyncio.run_coroutine_threadsafe(ran.wait(), loop).result()
        yield last

    async def run(params: Any, context: Any) -> str:
        ran.set()
        return "ran"

    async with opened(tmp_path, FakeTool("first", run)) as session:
        turn = await session.run(stream())
    assert [type(call) for call in turn.calls] == [Completed]


async def test_a_call_without_arguments_waits_for_the_end_which_may_cut_it(tmp_path: Path) -> None:
    tool = FakeTool("delete_all")
    events = anthropic(("delete_all", {}), stop="max_tokens")
    events[2]["delta"]["partial_json"] = ""
    async with opened(tmp_path, tool) as session:
        turn = await session.run(Stream(events, -1))
    assert isinstance(turn.calls[0], Failed)
    assert tool.calls == []


async def test_arguments_that_break_off_are_never_run(tmp_path: Path) -> None:
    tool = FakeTool("delete")
    events = anthropic(("delete", {"path": "a"}), stop="max_tokens")
    events[2]["delta"]["partial_json"] = '{"path": "a'
    async with opened(tmp_path, tool) as session:
        turn = await session.run(Stream(events, -1))
    assert isinstance(turn.calls[0], Failed)
    assert tool.calls == []


async def test_a_call_that_ended_before_the_length_limit_keeps_its_result(tmp_path: Path) -> None:
    tool = FakeTool("first")
    async with opened(tmp_path, tool) as session:
        turn = await session.run(Stream(anthropic(("first", {"n": 1}), stop="max_tokens"), -1))
    assert isinstance(turn.calls[0], Completed)
    assert len(tool.calls) == 1


async def test_a_response_that_is_sent_anew_does_not_run_a_call_twice(tmp_path: Path) -> None:
    tool = FakeTool("first")
    given_up = anthropic(("first", {"n": 1}))[:-2]
    async with opened(tmp_path, tool) as session:
        turn = await session.run(Stream([*given_up, *anthropic(("first", {"n": 1}), id="msg_2")], -1))
    assert [type(call) for call in turn.calls] == [Completed]
    assert len(tool.calls) == 1
    assert turn.messages[-1]["content"][0]["tool_use_id"] == "msg_2_0"


async def test_a_call_that_the_response_no_longer_makes_is_stopped_and_gets_no_answer(tmp_path: Path) -> None:
    journal, began = MemoryJournal(), asyncio.Event()

    async def hang(params: Any, context: Any) -> str:
        began.set()
        await asyncio.Event().wait()
        return "never"

    events = [*anthropic(("first", {"n": 1}))[:-2], *anthropic(("other", {"n": 2}), id="msg_2")]
    stream = Stream(events, 4)
    async with opened(tmp_path, FakeTool("first", hang), FakeTool("other"), journal=journal) as session:
        running = asyncio.create_task(session.run(stream))
        await began.wait()
        stream.go_on.set()
        turn = await running
    assert [call.request.name for call in turn.calls] == ["other"]
    (stopped,) = [state for state in states_of(journal, "msg_1_0") if isinstance(state, Cancelled)]
    assert "the stream" in stopped.fault.message


async def _break_off(events: list[Event], error: Exception) -> AsyncIterator[Event]:
    for event in events:
        yield event
    await asyncio.sleep(0)
    raise error


async def test_a_stream_that_fails_takes_its_calls_with_it_and_each_has_its_result(tmp_path: Path) -> None:
    async def hang(params: Any, context: Any) -> str:
        await asyncio.Event().wait()
        return "never"

    journal = MemoryJournal()
    async with opened(tmp_path, FakeTool("first", hang), journal=journal) as session:
        with pytest.raises(ConnectionError):
            await session.run(_break_off(anthropic(("first", {"n": 1}))[:-2], ConnectionError("gone")))
        assert isinstance(states_of(journal, "msg_1_0")[-1], Cancelled)


async def test_a_stream_that_can_not_be_read_takes_its_calls_with_it(tmp_path: Path) -> None:
    journal = MemoryJournal()
    two = [*anthropic(("first", {"n": 1})), *anthropic(("first", {"n": 2}), id="msg_2")]
    async with opened(tmp_path, FakeTool("first"), journal=journal) as session:
        with pytest.raises(WireError, match="2 responses"):
            await session.run(Stream(two, -1))
    assert len(states_of(journal, "msg_1_0")) > 1


async def test_a_turn_that_is_cancelled_while_its_response_comes_starts_nothing_more(tmp_path: Path) -> None:
    began = asyncio.Event()

    async def hang(params: Any, context: Any) -> str:
        began.set()
        await asyncio.Event().wait()
        return "never"

    events = anthropic(("first", {"n": 1}), ("second", {"n": 2}))
    stream, second = Stream(events, 4), FakeTool("second")
    async with opened(tmp_path, FakeTool("first", hang), second) as session:
        running = asyncio.create_task(session.run(stream, turn="mine"))
        await began.wait()
        assert await session.cancel_turn("mine", "enough")
        stream.go_on.set()
        turn = await running
    assert [type(call) for call in turn.calls] == [Cancelled, Cancelled]
    assert second.calls == []
    assert len(turn.messages) == 2


async def test_calls_of_a_stream_keep_the_order_of_the_response(tmp_path: Path) -> None:
    order: list[str] = []

    async def note(params: Any, context: Any) -> str:
        order.append(str(context.call))
        return "ran"

    first, second = chat(("note", {"n": 0}), ("note", {"n": 1}))[:2], chat(("note", {"n": 0}), ("note", {"n": 1}))[2:]
    interleaved = [first[0], second[0], second[1], first[1], second[2]]
    async with opened(tmp_path, FakeTool("note", note, claims=Claims.unknown())) as session:
        await session.run(Stream(interleaved, -1))
    assert order == ["call_0", "call_1"]


async def test_a_gated_turn_starts_nothing_before_its_response_is_whole(tmp_path: Path) -> None:
    tool, person = FakeTool("first"), Person(Once())
    stream = Stream(anthropic(("first", {"n": 1}), ("asked", {"n": 2})), 4)
    asking = FakeTool("asked", needs_approval=True)
    async with opened(tmp_path, tool, asking, gate_batch=True, asker=person) as session:
        running = asyncio.create_task(session.run(stream))
        for _ in range(20):
            await asyncio.sleep(0)
        assert tool.calls == []
        stream.go_on.set()
        turn = await running
    assert [type(call) for call in turn.calls] == [Completed, Completed]


def test_what_is_given_early_is_what_the_whole_response_says() -> None:
    early_ones = 0
    for record in corpus("provider_responses"):
        events = [event.get("data", event) for event in record["response"]["events"]] if record["streaming"] else []
        reader = StreamReader()
        early = [call for event in events for call in reader.feed(event)]
        if not early:
            continue
        try:
            whole = reader.finish().calls
        except WireError:  # the recording holds several responses
            continue
        early_ones += len(early)
        assert list(whole[: len(early)]) == early, record["id"]
    assert early_ones > 50


def test_the_id_of_a_call_stays_what_it_was_given_early() -> None:
    reader = StreamReader()
    given = [call.id for event in gemini(("a", {"n": 1}), ("a", {"n": 2})) for call in reader.feed(event)]
    assert given == [CallId("call_1"), CallId("call_2")]
    assert [call.id for call in reader.finish().calls] == given
