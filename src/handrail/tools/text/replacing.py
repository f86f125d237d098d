"""Replaces exact text in a file's bytes and leaves every other byte as it is.

Line endings are the one thing seen through: `\\n` in the old text matches `\\r\\n` too, and new text takes
the line endings of the place it comes to. Nothing is a pattern or a template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from handrail.contract.values import value

_LF, _CRLF = b"\n", b"\r\n"
_EOL = re.compile(rb"\r?\n")
_MOST_LINES = 10
"""Line numbers told of text that occurs too often."""


class NotFound(Exception):
    """The old text does not occur."""


class NotUnique(Exception):
    """The old text occurs more than once, and one place was to be replaced."""

    def __init__(self, count: int, lines: tuple[int, ...]) -> None:
        super().__init__(count, lines)
        self.count = count
        """Places that don't overlap; 1 where all of them do."""
        self.lines = lines
        """Numbers of the first lines, from 1."""


@value
class Replaced:
    body: bytes
    count: int
    line: int
    """Where the first replaced place starts, from 1."""


def replace(body: bytes, old: bytes, new: bytes, *, every: bool) -> Replaced:
    """`old` is not empty. Raises NotFound, NotUnique (unless `every`)."""
    old = old.replace(_CRLF, _LF)
    spans = _Spans(body, old)
    first = spans.after(0)
    if first is None:
        raise NotFound
    places = list(spans.apart()) if every else [first]
    if not every and spans.after(spans.past(first[0])) is not None:
        raise _not_unique(body, spans)
    pieces: list[bytes] = []
    done = 0
    for start, end in places:
        pieces += (body[done:start], _at_home(body, start, end, old, new))
        done = end
    pieces.append(body[done:])
    return Replaced(b"".join(pieces), len(places), line_at(body, first[0]))


def line_at(body: bytes, position: int) -> int:
    return body.count(_LF, 0, position) + 1


class _Spans:
    """Where the old text stands, as (start, end) in the body's own bytes."""

    def __init__(self, body: bytes, old: bytes) -> None:
        self._body = body
        self._old = old
        self._pattern = None
        if _LF in old and _CRLF in body:
            self._pattern = re.compile(rb"\r?\n".join(map(re.escape, old.split(_LF))))

    def after(self, position: int) -> tuple[int, int] | None:
        if self._pattern is not None:
            found = self._pattern.search(self._body, position)
            return found.span() if found else None
        start = self._body.find(self._old, position)
        return None if start < 0 else (start, start + len(self._old))

    def apart(self) -> Iterator[tuple[int, int]]:
        """All that don't overlap, from the start."""
        span = self.after(0)
        while span is not None:
            yield span
            span = self.after(span[1])

    def starts(self) -> Iterator[int]:
        """All, overlapping or not."""
        span = self.after(0)
        while span is not None:
            yield span[0]
            span = self.after(self.past(span[0]))

    def past(self, start: int) -> int:
        """The next position that counts: a CRLF is one line ending, and nothing starts in the middle of it."""
        return start + (2 if self._pattern is not None and self._body.startswith(_CRLF, start) else 1)


def _not_unique(body: bytes, spans: _Spans) -> NotUnique:
    count = sum(1 for _ in spans.apart())
    lines = dict.fromkeys(line_at(body, start) for start, _ in zip(spans.starts(), range(_MOST_LINES), strict=False))
    return NotUnique(count, tuple(lines))


def _at_home(body: bytes, start: int, end: int, old: bytes, new: bytes) -> bytes:
    """The new text with the line endings of the place."""
    if _LF not in new or _LF not in body:
        return new
    new = new.replace(_CRLF, _LF)
    if _CRLF not in body:
        return new
    endings = _EOL.findall(body, start, end)
    if not endings:
        endings = [_ending_near(body, end)]
        return new.replace(_LF, endings[0])
    if len(set(endings)) == 1:
        return new.replace(_LF, endings[0])
    return _line_by_line(old.split(_LF), new.split(_LF), endings)


def _ending_near(body: bytes, position: int) -> bytes:
    """The ending of the line there; of the line before, where that one has none."""
    at = body.find(_LF, position)
    if at < 0:
        at = body.rfind(_LF, 0, position)
    return _CRLF if body[at - 1 : at] == b"\r" else _LF


def _line_by_line(old: list[bytes], new: list[bytes], endings: list[bytes]) -> bytes:
    """For a place with both endings: lines at the start and the end that stay keep theirs, the rest go in order."""
    count = len(new) - 1
    most = min(len(endings), count)
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old[:most], new[:most], strict=True)))
    tail = 0
    if old[-1] == new[-1]:
        backwards = zip(old[-2::-1], new[-2::-1], strict=False)
        tail = min(sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], backwards)), most - head)
    kept = endings[len(endings) - tail :] if tail else []
    between = endings[head : len(endings) - tail]
    last = between[-1] if between else endings[min(head, len(endings) - 1)]
    chosen = endings[:head] + [between[i] if i < len(between) else last for i in range(count - head - tail)] + kept
    return b"".join(line + ending for line, ending in zip(new, [*chosen, b""], strict=True))
