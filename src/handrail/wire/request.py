"""What to send to a provider: the whole body of a request, on each wire.

Caches of providers hold the beginning of a request: tools, then the system's text, then the conversation. Where a
wire has marks for it, they stand at each of these ends; else the provider finds it out by itself.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import value
from handrail.wire.jsontext import list_of, text_of
from handrail.wire.response import Wire

_CACHED: JsonObject = {"type": "ephemeral"}
"""Kept for five minutes from its last use: https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching"""

_MARKABLE = frozenset({"text", "tool_result", "image", "document"})
"""Blocks of a person's or tools' turn that may carry a mark."""

_KEY_LENGTH = 32


@value
class Habits:
    """In what servers that speak one wire differ."""

    length_key: str = ""
    """What bounds the answer is called; empty: as the wire has it."""
    cache_key: bool = False
    """Takes a key that sends requests with one beginning to one cache (OpenAI)."""
    asks_usage: bool = True
    """On the chat wire: tells the tokens of a stream if it is asked for them."""
    sealed_thinking: bool = False
    """On the Responses wire: the model thinks, and gives its thoughts sealed, to be sent back."""


@value
class Question:
    """One request, before it has a wire's form."""

    model: str
    system: str
    messages: tuple[JsonObject, ...]
    """In the wire's form already, user and model in turn where it wants that (`user.in_turn`)."""
    tools: Sequence[JsonObject]
    """As `encode_menu` gives them."""
    max_tokens: int = 0
    """Tokens of the answer at most; 0 leaves it to the provider, where its wire can."""
    habits: Habits = Habits()


def encode_request(question: Question, wire: Wire) -> JsonObject:
    """The body of a request for a stream. Raises ValueError for the neutral wire, which no provider speaks."""
    match wire:
        case Wire.ANTHROPIC:
            return _anthropic(question)
        case Wire.OPENAI_CHAT:
            return _chat(question)
        case Wire.OPENAI_RESPONSES:
            return _responses(question)
        case Wire.GEMINI:
            return _gemini(question)
        case Wire.NEUTRAL:
            raise ValueError("no provider speaks the neutral wire")


def _anthropic(question: Question) -> JsonObject:
    body: dict[str, Json] = {
        "model": question.model,
        "max_tokens": question.max_tokens,
        "messages": _marked_ends(list(question.messages)),
        "stream": True,
    }
    if question.system:
        body["system"] = [{"type": "text", "text": question.system, "cache_control": _CACHED}]
    if question.tools:
        body["tools"] = [*question.tools[:-1], {**question.tools[-1], "cache_control": _CACHED}]
    return body


def _chat(question: Question) -> JsonObject:
    system: list[JsonObject] = [{"role": "system", "content": question.system}] if question.system else []
    body: dict[str, Json] = {
        "model": question.model,
        "messages": [*system, *question.messages],
        "stream": True,
    }
    if question.habits.asks_usage:
        body["stream_options"] = {"include_usage": True}
    return _with_rest(body, question, "max_tokens")


def _responses(question: Question) -> JsonObject:
    body: dict[str, Json] = {
        "model": question.model,
        "input": list(question.messages),
        "stream": True,
        "store": False,
    }
    if question.system:
        body["instructions"] = question.system
    if question.habits.sealed_thinking:
        body["include"] = ["reasoning.encrypted_content"]
    return _with_rest(body, question, "max_output_tokens")


def _gemini(question: Question) -> JsonObject:
    body: dict[str, Json] = {"contents": list(question.messages)}
    if question.system:
        body["systemInstruction"] = {"parts": [{"text": question.system}]}
    if question.tools:
        body["tools"] = list(question.tools)
    if question.max_tokens:
        body["generationConfig"] = {"maxOutputTokens": question.max_tokens}
    return body


def _with_rest(body: dict[str, Json], question: Question, length_key: str) -> JsonObject:
    """What both of OpenAI's wires have alike."""
    if question.tools:
        body["tools"] = list(question.tools)
    if question.max_tokens:
        body[question.habits.length_key or length_key] = question.max_tokens
    if question.habits.cache_key:
        body["prompt_cache_key"] = _cache_key(question)
    return body


def _cache_key(question: Question) -> str:
    """The same for all requests of one conversation, and telling nothing about it."""
    beginning = json.dumps([question.system, question.messages[:1]], sort_keys=True)
    return hashlib.sha256(beginning.encode("utf-8", "surrogatepass")).hexdigest()[:_KEY_LENGTH]


def _blocks(message: JsonObject) -> list[Json]:
    content = message.get("content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)


def _marked_ends(messages: list[Json]) -> list[Json]:
    """Marks at the ends of the newest two turns by the user: where this request ends, and where the last one did.

    With those of tools and system they are the four that the provider takes. It looks back from a mark over 20
    blocks for what it has, and one turn may hold more: hence the one before.
    """
    by_user = [place for place, message in enumerate(messages) if _role(message) == "user"]
    for place in by_user[-2:]:
        messages[place] = _marked(messages[place])
    return messages


def _role(message: Json) -> str:
    return text_of(message.get("role")) if isinstance(message, dict) else ""


def _marked(message: Json) -> Json:
    blocks = _blocks(message) if isinstance(message, dict) else []
    last = blocks[-1] if blocks else None
    if not isinstance(message, dict) or not isinstance(last, dict) or text_of(last.get("type")) not in _MARKABLE:
        return message
    if last.get("type") == "text" and not text_of(last.get("text")):
        return message
    return {**message, "content": [*blocks[:-1], {**last, "cache_control": _CACHED}]}
