"""OpenAI Responses: `POST /v1/responses`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from handrail.wire import Wire
from servers.conversation import By, Step
from servers.dialect import Event, halves
from servers.script import Turn

_USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
    "output_tokens": 10,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 20,
}


class ResponsesDialect:
    wire = Wire.OPENAI_RESPONSES
    alternates = False

    def streams(self, path: str, body: Any) -> bool | None:
        return body.get("stream", False) if path == "/v1/responses" else None

    def messages(self, body: Any) -> Sequence[Any]:
        given = body["input"]
        return [{"role": "user", "content": given}] if isinstance(given, str) else given

    def tools(self, body: Any) -> Sequence[Any]:
        return body.get("tools", [])

    def names(self, tools: Sequence[Any]) -> Sequence[str]:
        return [tool["name"] for tool in tools]

    def steps(self, messages: Sequence[Any]) -> list[Step]:
        found: list[Step] = []
        for by, group in groupby(messages, key=_by):
            items = list(group)
            found += [Step("user", item) for item in items] if by == "user" else [Step(by, items, _ids(items))]
        return found

    def whole(self, turn: Turn) -> Any:
        return {**_about(turn), "status": "completed", "output": _items(turn), "usage": _USAGE}

    def events(self, turn: Turn) -> Iterator[Event]:
        for number, event in enumerate(self._events(turn)):
            yield event["type"], {**event, "sequence_number": number}

    def model_step(self, turn: Turn) -> Step:
        items = _items(turn)
        return Step("model", items, _ids(items))

    def error(self, message: str) -> Any:
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}

    def _events(self, turn: Turn) -> Iterator[Any]:
        begun = {**_about(turn), "status": "in_progress", "output": []}
        yield {"type": "response.created", "response": begun}
        yield {"type": "response.in_progress", "response": begun}
        for index, item in enumerate(_items(turn)):
            place = {"output_index": index, "item_id": item["id"]}
            yield {"type": "response.output_item.added", "output_index": index, "item": _begun(item)}
            match item["type"]:
                case "message":
                    yield from _text_events(item, place)
                case "function_call":
                    yield from _argument_events(item, place)
                case "reasoning":
                    yield from _summary_events(item, place)
            yield {"type": "response.output_item.done", "output_index": index, "item": item}
        yield {"type": "response.completed", "response": self.whole(turn)}


def _about(turn: Turn) -> dict[str, Any]:
    return {
        "id": turn.id,
        "object": "response",
        "created_at": 0,
        "model": "gpt-local",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
    }


def _items(turn: Turn) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    if turn.thinking:
        summary = [{"type": "summary_text", "text": turn.thinking}]
        thought = {"id": f"rs_{turn.id}", "type": "reasoning", "summary": summary, "encrypted_content": "c2VhbGVk"}
        items.append(thought)
    if turn.text:
        items.append(
            {
                "id": f"msg_{turn.id}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": turn.text, "annotations": []}],
            }
        )
    items += [
        {
            "id": f"fc_{use.id}",
            "type": "function_call",
            "call_id": use.id,
            "name": use.name,
            "arguments": json.dumps(use.arguments),
            "status": "completed",
        }
        for use in turn.uses
    ]
    return items


def _begun(item: dict[str, Any]) -> dict[str, Any]:
    match item["type"]:
        case "message":
            return {**item, "status": "in_progress", "content": []}
        case "function_call":
            return {**item, "status": "in_progress", "arguments": ""}
        case _:
            return {**item, "summary": [], "encrypted_content": None}


def _text_events(item: dict[str, Any], place: dict[str, Any]) -> Iterator[Any]:
    (part,) = item["content"]
    place = {**place, "content_index": 0}
    yield {"type": "response.content_part.added", **place, "part": {**part, "text": ""}}
    for piece in halves(part["text"]):
        yield {"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []}
    yield {"type": "response.output_text.done", **place, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **place, "part": part}


def _summary_events(item: dict[str, Any], place: dict[str, Any]) -> Iterator[Any]:
    (part,) = item["summary"]
    place = {**place, "summary_index": 0}
    yield {"type": "response.reasoning_summary_part.added", **place, "part": {**part, "text": ""}}
    for piece in halves(part["text"]):
        yield {"type": "response.reasoning_summary_text.delta", **place, "delta": piece}
    yield {"type": "response.reasoning_summary_text.done", **place, "text": part["text"]}
    yield {"type": "response.reasoning_summary_part.done", **place, "part": part}


def _argument_events(item: dict[str, Any], place: dict[str, Any]) -> Iterator[Any]:
    for piece in halves(item["arguments"]):
        yield {"type": "response.function_call_arguments.delta", **place, "delta": piece}
    whole = {"arguments": item["arguments"], "name": item["name"]}
    yield {"type": "response.function_call_arguments.done", **place, **whole}


def _by(item: Any) -> By:
    if item.get("type") == "function_call_output":
        return "tools"
    return "user" if item.get("role", "assistant") != "assistant" else "model"


def _ids(items: Sequence[Any]) -> tuple[str, ...]:
    return tuple(item["call_id"] for item in items if "call_id" in item)
