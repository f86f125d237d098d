"""Messages. Events: https://docs.anthropic.com/en/docs/build-with-claude/streaming."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handrail.agent.model import CallBegun, Stop, Usage
from handrail.agent.models.telling.teller import Told, count, said, thought
from handrail.contract.basics import Json, JsonObject
from handrail.wire.jsontext import object_of, objects_of, text_of

_STOPS: Mapping[str, Stop] = {
    "tool_use": Stop.CALLS,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSED,
    "pause_turn": Stop.PAUSED,
    "compaction": Stop.PAUSED,
}


class AnthropicTeller:
    def __init__(self) -> None:
        self.ended = False
        self.usage = Usage()
        self.stop = Stop.END
        self.failed: JsonObject = {}
        self._counted: dict[str, Json] = {}

    def tell(self, event: JsonObject) -> Iterator[Told]:
        match event.get("type"):
            case "message_start":
                yield from self._message(object_of(event.get("message")))
            case "message":
                yield from self._message(event)
                self.ended = True
            case "content_block_start":
                yield from _block(object_of(event.get("content_block")))
            case "content_block_delta":
                yield from _delta(object_of(event.get("delta")))
            case "message_delta":
                self._count(event.get("usage"))
                self._stopped(object_of(event.get("delta")))
            case "message_stop":
                self.ended = True
            case "error":
                self.failed = event

    def _message(self, message: JsonObject) -> Iterator[Told]:
        self._count(message.get("usage"))
        self._stopped(message)
        for block in objects_of(message.get("content")):
            yield from _block(block)

    def _stopped(self, about: JsonObject) -> None:
        if reason := text_of(about.get("stop_reason")):
            self.stop = _STOPS.get(reason, Stop.END)

    def _count(self, usage: Json) -> None:
        """Later numbers are of all so far; what is not said again stays."""
        self._counted |= {key: number for key, number in object_of(usage).items() if number is not None}
        cached = count(self._counted.get("cache_read_input_tokens"))
        written = count(self._counted.get("cache_creation_input_tokens"))
        fresh = count(self._counted.get("input_tokens"))
        self.usage = Usage(fresh + cached + written, cached, written, count(self._counted.get("output_tokens")))


def _block(block: JsonObject) -> Iterator[Told]:
    match block.get("type"):
        case "tool_use":
            yield CallBegun(text_of(block.get("name")))
        case "text":
            yield from said(text_of(block.get("text")))
        case "thinking":
            yield from thought(text_of(block.get("thinking")))


def _delta(delta: JsonObject) -> Iterator[Told]:
    match delta.get("type"):
        case "text_delta":
            yield from said(text_of(delta.get("text")))
        case "thinking_delta":
            yield from thought(text_of(delta.get("thinking")))
