"""What a user says, as each wire has it in a conversation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from handrail.contract.basics import Json, JsonObject
from handrail.wire.jsontext import objects_of
from handrail.wire.response import Wire

_CONTENT: Mapping[Wire, str] = MappingProxyType({Wire.ANTHROPIC: "content", Wire.GEMINI: "parts"})
"""Wires on which user and model speak in turn, and where a message has what it holds."""


def encode_user(text: str, wire: Wire) -> JsonObject:
    """One message in the user's role."""
    if wire is Wire.GEMINI:
        return {"role": "user", "parts": [{"text": text}]}
    return {"role": "user", "content": text}


def in_turn(messages: Iterable[JsonObject], wire: Wire) -> tuple[JsonObject, ...]:
    """The same, with messages of the user that follow each other put together where the wire wants turns.

    Results of calls are the user's on these wires. They come first, as Anthropic wants them: nothing is moved, so
    text belongs behind them.
    """
    holds = _CONTENT.get(wire)
    if holds is None:
        return tuple(messages)
    turns: list[JsonObject] = []
    for message in messages:
        if turns and message.get("role") == turns[-1].get("role") == "user":
            turns[-1] = {**turns[-1], holds: [*_parts(turns[-1][holds]), *_parts(message[holds])]}
        else:
            turns.append(message)
    return tuple(turns)


def _parts(content: Json) -> list[Json]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else [*objects_of(content)]
