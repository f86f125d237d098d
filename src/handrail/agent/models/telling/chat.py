"""Chat Completions. Chunks: https://platform.openai.com/docs/api-reference/chat-streaming."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from handrail.agent.model import CallBegun, Stop, Usage
from handrail.agent.models.telling.teller import Told, count, said, thought
from handrail.contract.basics import JsonObject
from handrail.wire.jsontext import index_of, object_of, objects_of, text_of

_STOPS: Mapping[str, Stop] = {
    "tool_calls": Stop.CALLS,
    "function_call": Stop.CALLS,
    "length": Stop.LENGTH,
    "model_length": Stop.LENGTH,  # Mistral's name
    "content_filter": Stop.REFUSED,
}

_THINKING = ("reasoning_content", "reasoning", "thinking")
"""Where the servers of this wire put what the model thinks; the first that holds something is told."""


class ChatTeller:
    def __init__(self) -> None:
        self.ended = False
        self.usage = Usage()
        self.stop = Stop.END
        self.failed: JsonObject = {}
        self._begun: set[str | int | None] = set()
        """Ids and places of the calls that were told of."""

    def tell(self, event: JsonObject) -> Iterator[Told]:
        if event.get("error"):
            self.failed = event
        self._count(object_of(event.get("usage")))
        for choice in objects_of(event.get("choices")):
            if index_of(choice.get("index")):
                continue  # of several answers the first one is the turn
            yield from self._said(object_of(choice.get("delta")) or object_of(choice.get("message")))
            if reason := text_of(choice.get("finish_reason")):
                self.stop = _STOPS.get(reason, Stop.END)
                self.ended = True
        if self._begun and self.stop is Stop.END:
            self.stop = Stop.CALLS  # some servers say `stop` after calls, too

    def _said(self, delta: JsonObject) -> Iterator[Told]:
        yield from thought(next((text for key in _THINKING if (text := text_of(delta.get(key)))), ""))
        content = delta.get("content")
        yield from said(text_of(content) or text_of(delta.get("refusal")))
        for part in objects_of(content):
            yield from said(text_of(part.get("text")))
            for piece in objects_of(part.get("thinking")):
                yield from thought(text_of(piece.get("text")))
        calls = objects_of(delta.get("tool_calls"))
        legacy = object_of(delta.get("function_call"))
        for call in calls or ([{"id": "function_call", "function": legacy}] if legacy else []):
            yield from self._begin(call)

    def _begin(self, call: JsonObject) -> Iterator[Told]:
        """A call's first fragment has its name; some servers repeat that in every one."""
        name = text_of((object_of(call.get("function")) or object_of(call.get("custom"))).get("name"))
        key = text_of(call.get("id")) or index_of(call.get("index"))
        if name and (key is None or key not in self._begun):
            self._begun.add(key)
            yield CallBegun(name)

    def _count(self, usage: JsonObject) -> None:
        if usage:
            details = object_of(usage.get("prompt_tokens_details"))
            cached = count(details.get("cached_tokens")) or count(usage.get("prompt_cache_hit_tokens"))
            self.usage = Usage(
                count(usage.get("prompt_tokens")),
                cached,
                count(details.get("cache_write_tokens")),
                count(usage.get("completion_tokens")),
            )
