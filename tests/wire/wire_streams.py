"""Streams of calls, cut into fragments at will: what a provider sends while the model still writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from wire_samples import Call

from handrail.wire import Wire

Event = dict[str, Any]

ENDED = "the stream ended before the call was complete"
"""What a call's result says of a stream that was cut."""


def fragments(text: str, cuts: Sequence[int]) -> list[str]:
    """The text cut at some places; the places may lie outside of it or be the same."""
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[start:end] for start, end in pairwise(places)] or [""]


def stream(wire: Wire, calls: Sequence[Call], cuts: Sequence[int], turns: Sequence[int]) -> list[Event]:
    """A whole stream of the calls. `turns` says which call sends its next fragment, as long as it lasts."""
    opening, closing, start, piece, stop = _FORMS[wire]
    waiting = [[(place, part) for part in fragments(json.dumps(call[2]), cuts)] for place, call in enumerate(calls)]
    events = [*opening, *(event for place, call in enumerate(calls) for event in start(place, call))]
    order = [turn % len(calls) for turn in turns] if calls else []
    for place in [*order, *(place for place, parts in enumerate(waiting) for _ in parts)]:
        if waiting[place]:
            at, part = waiting[place].pop(0)
            events += piece(at, calls[at], part)
    return [*events, *(event for place, call in enumerate(calls) for event in stop(place, call)), *closing]


def _anthropic_start(place: int, call: Call) -> list[Event]:
    block = {"type": "tool_use", "id": call[0], "name": call[1], "input": {}}
    return [{"type": "content_block_start", "index": place, "content_block": block}]


def _anthropic_piece(place: int, call: Call, part: str) -> list[Event]:
    delta = {"type": "input_json_delta", "partial_json": part}
    return [{"type": "ping"}, {"type": "content_block_delta", "index": place, "delta": delta}]


def _anthropic_stop(place: int, call: Call) -> list[Event]:
    return [{"type": "content_block_stop", "index": place}]


def chunk(finish_reason: str | None = None, **delta: Any) -> Event:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"object": "chat.completion.chunk", "id": "chunk", "choices": [choice]}


def _chat_start(place: int, call: Call) -> list[Event]:
    function = {"name": call[1], "arguments": ""}
    return [chunk(tool_calls=[{"index": place, "id": call[0], "type": "function", "function": function}])]


def _chat_piece(place: int, call: Call, part: str) -> list[Event]:
    return [chunk(tool_calls=[{"index": place, "function": {"arguments": part}}])]


def _responses_start(place: int, call: Call) -> list[Event]:
    item = {"type": "function_call", "id": f"fc_{place}", "call_id": call[0], "name": call[1], "arguments": ""}
    return [{"type": "response.output_item.added", "output_index": place, "item": item}]


def _responses_piece(place: int, call: Call, part: str) -> list[Event]:
    about = {"output_index": place, "item_id": f"fc_{place}"}
    return [{"type": "response.function_call_arguments.delta", **about, "delta": part}]


def _responses_stop(place: int, call: Call) -> list[Event]:
    about = {"output_index": place, "item_id": f"fc_{place}"}
    return [{"type": "response.function_call_arguments.done", **about, "arguments": json.dumps(call[2])}]


def _nothing(place: int, call: Call) -> list[Event]:
    return []


_FORMS: dict[Wire, Any] = {
    Wire.ANTHROPIC: (
        [{"type": "message_start", "message": {"id": "msg", "role": "assistant", "content": []}}],
        [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}],
        _anthropic_start,
        _anthropic_piece,
        _anthropic_stop,
    ),
    Wire.OPENAI_CHAT: (
        [chunk(role="assistant", content="")],
        [chunk("tool_calls")],
        _chat_start,
        _chat_piece,
        _nothing,
    ),
    Wire.OPENAI_RESPONSES: (
        [{"type": "response.created", "response": {"id": "resp", "status": "in_progress", "output": []}}],
        [{"type": "response.completed", "response": {"id": "resp", "status": "completed", "output": []}}],
        _responses_start,
        _responses_piece,
        _responses_stop,
    ),
}

STREAMING = tuple(_FORMS)
"""The wires that send a call's arguments as text in pieces."""
