"""Server-sent events as they come: bytes in, the data of each whole event out. Pure.

After the HTML standard, section 9.2.6. `sse` reads a stream that is there as a whole.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from handrail.contract.basics import JsonObject
from handrail.errors import WireError
from handrail.wire.jsontext import kind_of, parse
from handrail.wire.sse import DONE
from handrail.wire.text import preview

MOST_CHARACTERS = 32 << 20
"""Of one event. The longest that are known hold a whole response with images: a few million."""

_LINE_END = re.compile(r"\r\n|\r|\n")


class EventReader:
    """Takes a stream apart. Whatever breaks off in the middle of an event is not an event."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._line_so_far: list[str] = []
        self._data: list[str] = []
        self._held = 0
        """Characters of the event so far."""

    def feed(self, piece: bytes) -> Iterator[JsonObject | None]:
        """The events that end in this piece; None for the end marker `[DONE]`.

        Raises WireError for an event without end, and for one whose data is no JSON object; those before it are given.
        """
        text = self._decoder.decode(piece)
        if self._line_so_far[-1:] == ["\r"]:  # a line's end may come in two pieces
            text = self._line_so_far.pop() + text
        if text.endswith("\r"):
            text, held_back = text[:-1], ["\r"]
        else:
            held_back = []
        first, *others = _LINE_END.split(text)
        self._line_so_far.append(first)
        self._hold(len(first))
        for following in others:
            line, self._line_so_far = "".join(self._line_so_far), [following]
            yield from self._line(line)
            self._hold(len(following))
        self._line_so_far += held_back

    def finish(self) -> list[JsonObject | None]:
        """What the end of the stream leaves: an event without the blank line behind it, if it is whole."""
        try:
            return [*self._line("".join(self._line_so_far).rstrip("\r")), *self._line("")]
        except WireError:
            return []

    def _line(self, line: str) -> list[JsonObject | None]:
        if not line:
            data, self._data, self._held = self._data, [], 0
            return [_event("\n".join(data))] if any(data) else []
        name, _, content = line.partition(":")
        if name == "data":
            self._data.append(content.removeprefix(" "))
        else:
            self._held -= len(line)
        return []

    def _hold(self, more: int) -> None:
        self._held += more
        if self._held > MOST_CHARACTERS:
            raise WireError(f"an event of the stream is longer than {MOST_CHARACTERS:,} characters")


def _event(data: str) -> JsonObject | None:
    if data.strip() == DONE:
        return None
    try:
        found = parse(data)
    except ValueError as error:
        raise WireError(f"an event of the stream is not JSON ({error}): {preview(data)}") from error
    if not isinstance(found, dict):
        raise WireError(f"an event of the stream is {kind_of(found)}, not an object: {preview(data)}")
    return found
