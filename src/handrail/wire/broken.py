"""What is left of a response whose stream broke off: what was whole, and no trace of a call that was not.

Half a text or thought is left out by the wires' own decoders where the provider would not take it back; here go
the calls that nobody may run, and what may not stand at the end of a turn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from handrail.contract.basics import Json, JsonObject
from handrail.wire.jsontext import object_of, objects_of, text_of
from handrail.wire.response import Response, Wire

_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
"""Blocks and items after which the providers want something else."""


def cut_back(response: Response, whole: int) -> Response:
    """The response with its first `whole` calls alone. Empty where it then says nothing either."""
    dropped = response.calls[whole:]
    kept = replace(response, calls=response.calls[:whole], paused=False)
    if not kept.calls and not kept.text.strip():
        return replace(kept, assistant=())
    return replace(kept, assistant=tuple(_turn(response, {call.wire_id for call in dropped}, whole)))


def _turn(response: Response, dropped: set[str], whole: int) -> Iterator[JsonObject]:
    match response.wire:
        case Wire.ANTHROPIC:
            for message in response.assistant:
                blocks = [
                    block for block in objects_of(message.get("content")) if text_of(block.get("id")) not in dropped
                ]
                yield {**message, "content": _without_last_thoughts(blocks)}
        case Wire.OPENAI_CHAT:
            for message in response.assistant:
                yield _chat_message(message, dropped, legacy=not response.calls[:whole])
        case Wire.OPENAI_RESPONSES:
            named = [item for item in response.assistant if not _names(item) & dropped]
            yield from _without_last_thoughts(named)
        case Wire.GEMINI:
            for message in response.assistant:
                yield {**message, "parts": list(_parts(objects_of(message.get("parts")), whole))}
        case Wire.NEUTRAL:
            for message in response.assistant:
                yield {**message, "calls": list(objects_of(message.get("calls")))[:whole]}


def _names(item: JsonObject) -> set[str]:
    return {text_of(item.get("call_id"))} if "call_id" in item else {text_of(item.get("id"))}


def _chat_message(message: JsonObject, dropped: set[str], *, legacy: bool) -> JsonObject:
    kept: dict[str, Json] = {
        key: value for key, value in message.items() if key != "tool_calls" and (key != "function_call" or not legacy)
    }
    calls = [call for call in objects_of(message.get("tool_calls")) if text_of(call.get("id")) not in dropped]
    if calls:
        kept["tool_calls"] = calls
    return kept


def _parts(parts: Sequence[JsonObject], whole: int) -> Iterator[JsonObject]:
    """By their order: calls of this wire may have no ids."""
    calls = 0
    for part in parts:
        calls += bool(object_of(part.get("functionCall")))
        if calls <= whole or "functionCall" not in part:
            yield part


def _without_last_thoughts(blocks: Sequence[JsonObject]) -> list[JsonObject]:
    kept = list(blocks)
    while kept and text_of(kept[-1].get("type")) in _THOUGHTS:
        kept.pop()
    return kept
