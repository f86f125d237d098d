"""JSON as it arrives: read without surprises, and looked at without trusting its shape.

The `*_of` functions look into a value of any shape: what is not there, or of another type, is empty.
So decoders read straight down and can't raise on a document that was cut or mangled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from handrail.contract.basics import Json, JsonObject
from handrail.errors import WireError

DOCUMENT_DEPTH = 400
"""How deep a document may nest. Python itself gives up somewhere near 1,000, sooner the deeper it is called."""

LONGEST_INTEGER = 4_300
"""Digits. Python refuses to convert longer ones (`sys.int_info.default_max_str_digits`)."""

_TOO_DEEP = f"nested deeper than {DOCUMENT_DEPTH} levels"

_SPACE = re.compile(r"[ \t\r\n]*")


class RepeatedKeys(dict[str, Json]):
    """An object that names a key more than once. Which value was meant, nobody knows; this holds the last."""


def parse(text: str) -> Json:
    """One JSON value, nothing after it. Raises ValueError, whatever is wrong with the text."""
    value, end = _decode(text, _skip_space(text, 0))
    if end != len(text) and _skip_space(text, end) != len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def values(text: str) -> Iterator[tuple[int, Json]]:
    """All JSON values that stand one after the other, each with its line (from 1).

    JSON Lines is the usual case; values over several lines are fine too. Raises `CutShort` where the
    text ends inside a value, WireError where a value is not JSON.
    """
    at, line = _skip_space(text, 0), 1
    counted = 0
    while at < len(text):
        line += text.count("\n", counted, at)
        counted = at
        try:
            value, end = _decode(text, at)
        except ValueError as error:
            raise _unreadable(text, line, at, error) from error
        yield line, value
        at = _skip_space(text, end)


class CutShort(WireError):
    """The last line of the text is the beginning of a value. In a stream that only means that it was cut."""


def deeper_than(value: Json, limit: int) -> bool:
    """Whether arrays and objects nest deeper than `limit`. No recursion: depth is what is in doubt."""
    level: list[Json] = [value]
    for _ in range(limit):
        below: list[Json] = []
        for node in level:
            if isinstance(node, dict):
                below.extend(node.values())
            elif isinstance(node, list):
                below.extend(node)
        if not below:
            return False
        level = below
    return True


def object_of(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def list_of(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def objects_of(value: Json) -> list[JsonObject]:
    """The objects in an array; anything else in it is left out."""
    return [item for item in list_of(value) if isinstance(item, dict)]


def text_of(value: Json) -> str:
    return value if isinstance(value, str) else ""


def index_of(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def kind_of(value: Json) -> str:
    """What a value is, in words: `an array`."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case dict():
            return "an object"
        case _:
            return "an array"


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    return value if len(value) == len(pairs) else RepeatedKeys(value)


def _integer(digits: str) -> int | float:
    """An integer too long for Python becomes infinity, which no argument may be."""
    return int(digits) if len(digits) <= LONGEST_INTEGER else float("inf")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer)


def _decode(text: str, at: int) -> tuple[Json, int]:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    # A text nests no deeper than it has brackets; counting them costs a twentieth of the walk.
    if text.count("[") + text.count("{") > DOCUMENT_DEPTH and deeper_than(value, DOCUMENT_DEPTH):
        raise ValueError(_TOO_DEEP)
    return value, end


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _unreadable(text: str, line: int, at: int, error: ValueError) -> WireError:
    if not isinstance(error, json.JSONDecodeError):
        return WireError(f"line {line}: {error}")
    message = f"line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
    return CutShort(message) if "\n" not in text[at:].rstrip() else WireError(message)
