"""Anthropic Messages: `POST /v1/messages`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from handrail.wire import Wire
from servers.conversation import By, Step
from servers.dialect import Event, halves
from servers.script import Turn

_USAGE = {"input_tokens": 10, "output_tokens": 10}


class AnthropicDialect:
    wire = Wire.ANTHROPIC
    alternates = True

    def streams(self, path: str, body: Any) -> bool | None:
        return body.get("stream", False) if path == "/v1/messages" else None

    def messages(self, body: Any) -> Sequence[Any]:
        return body["messages"]

    def tools(self, body: Any) -> Sequence[Any]:
        return body.get("tools", [])

    def names(self, tools: Sequence[Any]) -> Sequence[str]:
        return [tool["name"] for tool in tools]

    def steps(self, messages: Sequence[Any]) -> list[Step]:
        return [_step(message) for message in messages]

    def whole(self, turn: Turn) -> Any:
        return {**_about(turn), "content": _blocks(turn), "stop_reason": _stop(turn), "usage": _USAGE}

    def events(self, turn: Turn) -> Iterator[Event]:
        for event in self._events(turn):
            yield event["type"], event

    def model_step(self, turn: Turn) -> Step:
        return Step("model", _blocks(turn), tuple(use.id for use in turn.uses))

    def error(self, message: str) -> Any:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}

    def _events(self, turn: Turn) -> Iterator[Any]:
        message = {**_about(turn), "content": [], "stop_reason": None, "usage": _USAGE}
        yield {"type": "message_start", "message": message}
        yield {"type": "ping"}
        for index, block in enumerate(_blocks(turn)):
            start, deltas = _pieces(block)
            yield {"type": "content_block_start", "index": index, "content_block": start}
            for delta in deltas:
                yield {"type": "content_block_delta", "index": index, "delta": delta}
            yield {"type": "content_block_stop", "index": index}
        delta = {"stop_reason": _stop(turn), "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 10}}
        yield {"type": "message_stop"}


def _about(turn: Turn) -> dict[str, Any]:
    return {"id": turn.id, "type": "message", "role": "assistant", "model": "claude-local", "stop_sequence": None}


def _stop(turn: Turn) -> str:
    return "tool_use" if turn.uses else "end_turn"


def _blocks(turn: Turn) -> list[dict[str, Any]]:
    thinking = {"type": "thinking", "thinking": turn.thinking, "signature": "c2lnbmVk"}
    text = {"type": "text", "text": turn.text}
    uses = [{"type": "tool_use", "id": use.id, "name": use.name, "input": use.arguments} for use in turn.uses]
    return [*([thinking] if turn.thinking else []), *([text] if turn.text else []), *uses]


def _pieces(block: dict[str, Any]) -> tuple[Any, list[Any]]:
    """How a block starts in a stream, and what comes then."""
    match block["type"]:
        case "thinking":
            deltas = [{"type": "thinking_delta", "thinking": piece} for piece in halves(block["thinking"])]
            signed = {"type": "signature_delta", "signature": block["signature"]}
            return {**block, "thinking": "", "signature": ""}, [*deltas, signed]
        case "text":
            return {**block, "text": ""}, [{"type": "text_delta", "text": piece} for piece in halves(block["text"])]
        case _:
            pieces = halves(json.dumps(block["input"]))
            return {**block, "input": {}}, [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]


def _step(message: Any) -> Step:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if message["role"] == "assistant":
        return Step("model", blocks, tuple(block["id"] for block in blocks if block["type"] == "tool_use"))
    results = [block for block in blocks if block["type"] == "tool_result"]
    # Results come first in their message; after other content they answer nothing.
    by: By = "tools" if results and blocks[: len(results)] == results else "user"
    return Step(by, blocks, tuple(block["tool_use_id"] for block in results))
