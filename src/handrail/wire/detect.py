"""Which wire a document is of, by its structure. The model's name says nothing: proxies speak any wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.wire.jsontext import object_of, objects_of, text_of
from handrail.wire.response import Wire

EXPECTED = (
    "expected a provider's response, with `content` (anthropic), `choices` (openai-chat), `output` (openai-responses), "
    "`candidates` (gemini) or `calls` (neutral), or the events of a streamed one"
)

_ANTHROPIC_EVENTS = frozenset(
    {
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
        "ping",
    }
)

_LISTS: Mapping[str, Wire] = {
    "calls": Wire.NEUTRAL,
    "choices": Wire.OPENAI_CHAT,
    "candidates": Wire.GEMINI,
    "output": Wire.OPENAI_RESPONSES,
    "content": Wire.ANTHROPIC,
}
"""The array that each wire keeps its answer in."""


def wire_of(document: JsonObject) -> Wire | None:
    """The wire of a response or of one stream event; None when it has no known shape."""
    for key, wire in _LISTS.items():
        if isinstance(document.get(key), list):
            return wire
    kind = text_of(document.get("type"))
    if kind in _ANTHROPIC_EVENTS:
        return Wire.ANTHROPIC
    if kind.startswith("response.") or document.get("object") == "response":
        return Wire.OPENAI_RESPONSES
    if "promptFeedback" in document or "usageMetadata" in document:
        return Wire.GEMINI
    return _wire_of_error(document, kind)


def wire_of_stream(events: Sequence[JsonObject | None]) -> Wire | None:
    """That of the first event that shows one."""
    return next((wire for event in events if event is not None and (wire := wire_of(event)) is not None), None)


def is_event(document: JsonObject) -> bool:
    """Whether this is a piece of a stream rather than a whole response.

    On the gemini wire both look alike; a piece is one that has not said why it stopped.
    """
    kind = text_of(document.get("type"))
    if kind in _ANTHROPIC_EVENTS or kind.startswith("response.") or is_record(document):
        return True
    if isinstance(document.get("choices"), list):
        choices = objects_of(document.get("choices"))
        return not choices or any("delta" in choice and "message" not in choice for choice in choices)
    if not isinstance(document.get("candidates"), list):
        return False
    from handrail.wire.gemini import finish_of  # a wire of its own, that most never meet

    return not finish_of(document)


def is_whole(item: Json) -> bool:
    """Whether an item of a list is a response by itself. Gemini's pieces look like whole ones: they are a stream."""
    if not isinstance(item, dict) or is_record(item) or is_event(item):
        return False
    return any(isinstance(item.get(key), list) for key, wire in _LISTS.items() if wire is not Wire.GEMINI)


def is_record(document: JsonObject) -> bool:
    """Whether this is an event as recorders write it down: its data under `data`, beside its other fields."""
    fields = {key.strip() for key in document}
    return "data" in fields and fields <= {"data", "event", "id", "retry"}


def _wire_of_error(document: JsonObject, kind: str) -> Wire | None:
    error = object_of(document.get("error"))
    if kind == "error":
        return Wire.ANTHROPIC if error and "sequence_number" not in document else Wire.OPENAI_RESPONSES
    if not error:
        return Wire.OPENAI_CHAT if isinstance(document.get("error"), str) and document.get("error") else None
    return Wire.GEMINI if isinstance(error.get("status"), str) else Wire.OPENAI_CHAT
