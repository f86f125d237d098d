"""A response told in another wire: what was said, and the calls. For a conversation that another model goes on with.

Thoughts stay behind: their signatures hold only with the provider that gave them.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import assert_never

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import CallForm, CallRequest, FreeText, ObjectArguments, UnusableArguments
from handrail.wire.response import Response, Wire

NO_SIGNATURE = "skip_thought_signature_validator"
"""Stands for the signature of a thought that Gemini never had, with the first call of a step: Gemini API, "Thought
signatures", on history that comes from other models."""


def retold(response: Response, wire: Wire, stem: str) -> Response:
    """`stem` begins the new ids of its calls, and is to be another for each response of a conversation."""
    calls = tuple(
        replace(call, wire_id=f"{stem}_{place}", form=CallForm.FUNCTION, arguments=ObjectArguments(_arguments(call)))
        for place, call in enumerate(response.calls, 1)
    )
    assistant = _turn(response.text, calls, wire) if calls or response.text.strip() else ()
    return replace(response, wire=wire, calls=calls, assistant=assistant, thinking="", paused=False)


def _arguments(call: CallRequest) -> JsonObject:
    match call.arguments:
        case ObjectArguments(arguments):
            return arguments
        case FreeText(text):
            return {"input": text}
        case UnusableArguments():
            return {}


def _turn(text: str, calls: tuple[CallRequest, ...], wire: Wire) -> tuple[JsonObject, ...]:
    said = text.strip()
    match wire:
        case Wire.ANTHROPIC:
            uses: list[Json] = [
                {"type": "tool_use", "id": call.wire_id, "name": call.name, "input": _arguments(call)} for call in calls
            ]
            return ({"role": "assistant", "content": [*([{"type": "text", "text": text}] if said else []), *uses]},)
        case Wire.OPENAI_CHAT:
            asked: list[Json] = [_chat_call(call) for call in calls]
            return ({"role": "assistant", "content": text or None, **({"tool_calls": asked} if asked else {})},)
        case Wire.OPENAI_RESPONSES:
            message: JsonObject = {"role": "assistant", "content": text}
            return (*([message] if said else []), *(_function_call(call) for call in calls))
        case Wire.GEMINI:
            parts: list[JsonObject] = [
                {"functionCall": {"name": c.name, "id": c.wire_id, "args": _arguments(c)}} for c in calls
            ]
            if parts:
                parts[0] = {**parts[0], "thoughtSignature": NO_SIGNATURE}
            return ({"role": "model", "parts": [*([{"text": text}] if said else []), *parts]},)
        case Wire.NEUTRAL:
            made: list[Json] = [{"id": c.wire_id, "name": c.name, "arguments": _arguments(c)} for c in calls]
            return ({"text": text, "calls": made},)
        case _:
            assert_never(wire)


def _chat_call(call: CallRequest) -> JsonObject:
    return {"id": call.wire_id, "type": "function", "function": {"name": call.name, "arguments": _text(call)}}


def _function_call(call: CallRequest) -> JsonObject:
    return {"type": "function_call", "call_id": call.wire_id, "name": call.name, "arguments": _text(call)}


def _text(call: CallRequest) -> str:
    return json.dumps(_arguments(call), ensure_ascii=False)
