"""generateContent. Chunks: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse."""

from __future__ import annotations

from collections.abc import Iterator

from handrail.agent.model import CallBegun, Stop, Usage
from handrail.agent.models.telling.teller import Told, count, said, thought
from handrail.contract.basics import JsonObject
from handrail.wire.jsontext import index_of, object_of, objects_of, text_of

_REFUSALS = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "MODEL_ARMOR"}
)
_UNFINISHED = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"})
"""The model wrote what the provider itself could not read."""


class GeminiTeller:
    def __init__(self) -> None:
        self.ended = False
        self.usage = Usage()
        self.stop = Stop.END
        self.failed: JsonObject = {}
        self._called = False

    def tell(self, event: JsonObject) -> Iterator[Told]:
        if event.get("error"):
            self.failed = event
        self._count(object_of(event.get("usageMetadata")))
        if object_of(event.get("promptFeedback")).get("blockReason"):
            self.ended, self.stop = True, Stop.REFUSED
        for candidate in objects_of(event.get("candidates")):
            if index_of(candidate.get("index")):
                continue  # of several answers the first one is the turn
            for part in objects_of(object_of(candidate.get("content")).get("parts")):
                yield from self._part(part)
            if reason := text_of(candidate.get("finishReason")):
                self._finished(reason, candidate)

    def _part(self, part: JsonObject) -> Iterator[Told]:
        text = text_of(part.get("text"))
        yield from thought(text) if part.get("thought") is True else said(text)
        if name := text_of(object_of(part.get("functionCall")).get("name")):
            self._called = True
            yield CallBegun(name)

    def _finished(self, reason: str, candidate: JsonObject) -> None:
        self.ended = True
        if reason in _UNFINISHED:
            about = text_of(candidate.get("finishMessage")) or "the model wrote a call that can't be read"
            self.failed = {"error": {"status": reason, "message": about}}
        elif reason in _REFUSALS:
            self.stop = Stop.REFUSED
        elif reason == "MAX_TOKENS":
            self.stop = Stop.LENGTH
        else:
            self.stop = Stop.CALLS if self._called else Stop.END

    def _count(self, usage: JsonObject) -> None:
        if usage:
            self.usage = Usage(
                count(usage.get("promptTokenCount")) + count(usage.get("toolUsePromptTokenCount")),
                count(usage.get("cachedContentTokenCount")),
                0,
                count(usage.get("candidatesTokenCount")) + count(usage.get("thoughtsTokenCount")),
            )
