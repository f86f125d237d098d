"""Responses. Events: https://platform.openai.com/docs/api-reference/responses-streaming."""

from __future__ import annotations

from collections.abc import Iterator

from handrail.agent.model import CallBegun, Stop, Usage
from handrail.agent.models.telling.teller import Told, count, said, thought
from handrail.contract.basics import JsonObject
from handrail.wire.jsontext import object_of, objects_of, text_of
from handrail.wire.responses import name_called

_LAST = frozenset({"response.completed", "response.incomplete"})


class ResponsesTeller:
    def __init__(self) -> None:
        self.ended = False
        self.usage = Usage()
        self.stop = Stop.END
        self.failed: JsonObject = {}
        self._called = False

    def tell(self, event: JsonObject) -> Iterator[Told]:
        kind = text_of(event.get("type"))
        match kind:
            case "response.output_text.delta" | "response.refusal.delta":
                yield from said(text_of(event.get("delta")))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                yield from thought(text_of(event.get("delta")))
            case "response.output_item.added":
                yield from self._begin(object_of(event.get("item")))
            case "response.failed" | "error":
                self.failed = object_of(event.get("response")) or event
            case _ if kind in _LAST:
                self._end(object_of(event.get("response")))
            case _ if event.get("object") == "response":
                yield from self._whole(event)

    def _begin(self, item: JsonObject) -> Iterator[Told]:
        if name := name_called(item):
            self._called = True
            yield CallBegun(name)

    def _whole(self, response: JsonObject) -> Iterator[Told]:
        if response.get("error"):
            self.failed = response
        for item in objects_of(response.get("output")):
            yield from self._begin(item)
            parts = [*objects_of(item.get("summary")), *objects_of(item.get("content"))]
            for part in parts:
                text = text_of(part.get("text")) or text_of(part.get("refusal"))
                yield from thought(text) if item.get("type") == "reasoning" else said(text)
        self._end(response)

    def _end(self, response: JsonObject) -> None:
        usage = object_of(response.get("usage"))
        details = object_of(usage.get("input_tokens_details"))
        self.usage = Usage(
            count(usage.get("input_tokens")),
            count(details.get("cached_tokens")),
            count(details.get("cache_write_tokens")),
            count(usage.get("output_tokens")),
        )
        self.ended = True
        self.stop = Stop.CALLS if self._called else Stop.END
        match object_of(response.get("incomplete_details")).get("reason"):
            case "max_output_tokens":
                self.stop = Stop.LENGTH
            case "content_filter":
                self.stop = Stop.REFUSED
