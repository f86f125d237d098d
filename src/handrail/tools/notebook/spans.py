"""Where in a JSON text the parts of its values stand, so that one can be replaced and all else left byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder

from handrail.contract.basics import Json
from handrail.contract.values import value

_BLANK = re.compile(r"[ \t\n\r]*")
_DECODER = JSONDecoder()


@value
class Span:
    """A value, and its place in the text."""

    value: Json
    start: int
    end: int


def whole(text: str) -> Span:
    """The one value of a text. Raises JSONDecodeError, a ValueError."""
    span = _value(text, 0)
    if (at := _past_blank(text, span.end)) != len(text):
        raise JSONDecodeError("Extra data", text, at)
    return span


def members(text: str, span: Span) -> dict[str, Span]:
    """The members of an object; of two with one key, the later."""
    return {str(key.value): item for key, item in _members(text, span.start + 1)}


def items(text: str, span: Span) -> list[Span]:
    """The items of an array."""
    return list(_items(text, span.start + 1))


def _members(text: str, at: int) -> Iterator[tuple[Span, Span]]:
    while text[_past_blank(text, at)] != "}":
        key = _value(text, at)
        item = _value(text, _past_blank(text, key.end) + 1)
        yield key, item
        at = _past_comma(text, item.end)


def _items(text: str, at: int) -> Iterator[Span]:
    while text[_past_blank(text, at)] != "]":
        item = _value(text, at)
        yield item
        at = _past_comma(text, item.end)


def _value(text: str, at: int) -> Span:
    start = _past_blank(text, at)
    try:
        found, end = _DECODER.raw_decode(text, start)
    except RecursionError:
        raise JSONDecodeError("Nested too deeply", text, start) from None
    return Span(found, start, end)


def _past_comma(text: str, at: int) -> int:
    at = _past_blank(text, at)
    return at + 1 if text[at] == "," else at


def _past_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at
