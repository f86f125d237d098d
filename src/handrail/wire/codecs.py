"""What each wire knows of responses and results. A wire is loaded when something of it is read or written: a process
seldom sees two."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TypeAlias, assert_never

from handrail.contract.basics import JsonObject
from handrail.contract.values import value
from handrail.wire.response import Answer, Response, Wire

Event: TypeAlias = JsonObject | None
"""One event of a stream; None for the end marker `[DONE]`."""


@value
class Codec:
    """None for `decode_stream`: the wire has no streams."""

    decode: Callable[[JsonObject], Response]
    decode_stream: Callable[[Sequence[Event]], list[Response]] | None
    results: Callable[[Response, Sequence[Answer]], list[JsonObject]]


@cache
def codec_of(wire: Wire) -> Codec:
    match wire:
        case Wire.ANTHROPIC:
            from handrail.wire import anthropic, anthropic_stream

            return Codec(anthropic.decode, anthropic_stream.decode_stream, anthropic.results)
        case Wire.OPENAI_CHAT:
            from handrail.wire import chat, chat_stream

            return Codec(chat.decode, chat_stream.decode_stream, chat.results)
        case Wire.OPENAI_RESPONSES:
            from handrail.wire import responses, responses_results, responses_stream

            return Codec(responses.decode, responses_stream.decode_stream, responses_results.results)
        case Wire.GEMINI:
            from handrail.wire import gemini

            return Codec(gemini.decode, gemini.decode_stream, gemini.results)
        case Wire.NEUTRAL:
            from handrail.wire import neutral

            return Codec(neutral.decode, None, neutral.results)
        case _:
            assert_never(wire)
