"""Server-sent events: the data of each event, from the text of a stream.

After the HTML standard, section 9.2.6, with what recordings need beside it: leading spaces before a field's
name, a last event without the blank line that should end it, and several events with no blank line between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from handrail.contract.basics import Json
from handrail.errors import WireError
from handrail.wire.jsontext import parse

DONE = "[DONE]"
"""The data of the event that ends a stream on the OpenAI wires. It is no JSON."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_FIELD = re.compile(r"\s*(?:data|event|id|retry)?:")


def is_sse(text: str) -> bool:
    """Whether text begins as an event stream does: with a field or a comment."""
    return _FIELD.match(text) is not None


def events(text: str) -> list[Json]:
    """The data of each event, parsed; `[DONE]` stays a string.

    Data that ends the text and breaks off in the middle is left out: the stream was cut there. Raises
    WireError, with the line, for any other data that is not JSON.
    """
    found: list[Json] = []
    waiting: WireError | None = None
    for line, data in _data(text):
        if waiting is not None:
            raise waiting
        try:
            found.extend(_parsed(data))
        except ValueError as error:
            waiting = WireError(f"line {line}: the event's data is not JSON ({error})")
    if waiting is not None and not found:
        raise waiting
    return found


def _data(text: str) -> Iterator[tuple[int, list[str]]]:
    """The `data` lines of each event, and the line on which they begin (from 1)."""
    begun = 0
    lines: list[str] = []
    for number, line in enumerate(_LINE_END.split(text), start=1):
        name, _, value = line.partition(":")
        if not line.strip():
            if lines:
                yield begun, lines
            lines = []
        elif name.strip() == "data":
            begun = begun if lines else number
            lines.append(value.removeprefix(" "))
    if lines:
        yield begun, lines


def _parsed(lines: list[str]) -> list[Json]:
    """The lines as one value, as the standard says; or, where they are none, one value on each line."""
    text = "\n".join(lines)
    if not text.strip():
        return []
    if text.strip() == DONE:
        return [DONE]
    try:
        return [parse(text)]
    except ValueError:
        if len(lines) == 1:
            raise
    return [value for line in lines for value in _parsed([line])]
