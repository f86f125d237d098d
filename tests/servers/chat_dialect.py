"""OpenAI Chat Completions: `POST /v1/chat/completions`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from handrail.wire import Wire
from servers.conversation import Step
from servers.dialect import Event, halves
from servers.script import Turn, Use

_USAGE = {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}


class ChatDialect:
    wire = Wire.OPENAI_CHAT
    alternates = False

    def streams(self, path: str, body: Any) -> bool | None:
        return body.get("stream", False) if path == "/v1/chat/completions" else None

    def messages(self, body: Any) -> Sequence[Any]:
        return body["messages"]

    def tools(self, body: Any) -> Sequence[Any]:
        return body.get("tools", [])

    def names(self, tools: Sequence[Any]) -> Sequence[str]:
        return [tool["function"]["name"] for tool in tools]

    def steps(self, messages: Sequence[Any]) -> list[Step]:
        found: list[Step] = []
        for role, group in groupby(messages, key=lambda message: message["role"]):
            alike = list(group)
            if role == "tool":
                found.append(Step("tools", alike, tuple(message["tool_call_id"] for message in alike)))
            elif role == "assistant":
                found += [_model_step(message) for message in alike]
            else:
                found += [Step("user", message) for message in alike]
        return found

    def whole(self, turn: Turn) -> Any:
        choice = {"index": 0, "message": {**_message(turn), "refusal": None}, "finish_reason": _finish(turn)}
        return {**_about(turn, "chat.completion"), "choices": [{**choice, "logprobs": None}], "usage": _USAGE}

    def events(self, turn: Turn) -> Iterator[Event]:
        yield "", _chunk(turn, {"role": "assistant", "content": ""})
        for piece in halves(turn.thinking) if turn.thinking else ():
            yield "", _chunk(turn, {"reasoning_content": piece})
        for piece in halves(turn.text):
            yield "", _chunk(turn, {"content": piece})
        for index, use in enumerate(turn.uses):
            start = {**_call(use), "index": index, "function": {"name": use.name, "arguments": ""}}
            yield "", _chunk(turn, {"tool_calls": [start]})
        # The arguments of parallel calls come in turns, as they may.
        pieces = [halves(json.dumps(use.arguments)) for use in turn.uses]
        for half in (0, 1):
            for index, both in enumerate(pieces):
                yield "", _chunk(turn, {"tool_calls": [{"index": index, "function": {"arguments": both[half]}}]})
        yield "", _chunk(turn, {}, _finish(turn))
        yield "", {**_about(turn, "chat.completion.chunk"), "choices": [], "usage": _USAGE}
        yield "", "[DONE]"

    def model_step(self, turn: Turn) -> Step:
        return _model_step(_message(turn))

    def error(self, message: str) -> Any:
        return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}


def _about(turn: Turn, kind: str) -> dict[str, Any]:
    return {"id": turn.id, "object": kind, "created": 0, "model": "gpt-local"}


def _chunk(turn: Turn, delta: Any, finish: str | None = None) -> Any:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {**_about(turn, "chat.completion.chunk"), "choices": [choice]}


def _finish(turn: Turn) -> str:
    return "tool_calls" if turn.uses else "stop"


def _call(use: Use) -> dict[str, Any]:
    function = {"name": use.name, "arguments": json.dumps(use.arguments)}
    return {"id": use.id, "type": "function", "function": function}


def _message(turn: Turn) -> dict[str, Any]:
    calls = {"tool_calls": [_call(use) for use in turn.uses]} if turn.uses else {}
    thought = {"reasoning_content": turn.thinking} if turn.thinking else {}
    return {"role": "assistant", "content": turn.text or None, **thought, **calls}


def _model_step(message: Any) -> Step:
    """No text may come back as none, or as an empty one: both say nothing."""
    said = {**message, "content": message.get("content") or None}
    return Step("model", said, tuple(call["id"] for call in message.get("tool_calls", [])))
