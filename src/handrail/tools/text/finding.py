"""Finds the places of old text: written exactly so, line endings aside, or else the same in a normal form. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from handrail.contract.values import value
from handrail.tools.text.normal_form import same_but_for_form


@value
class Found:
    places: tuple[tuple[int, int], ...]
    """Starts and ends, in order, none overlapping."""
    count: int
    """How many there are; more than `places` where only the first were wanted."""
    is_one: bool
    """It stands at one place alone, counting those that overlap."""
    exact: bool
    """False: found in the normal form."""


def find(text: str, old: str, first: int | None = None) -> Found:
    """`old` is not empty. A line ending in it stands for any. `first`: so many places are enough, of millions."""
    written = _Written(text, old.replace("\r\n", "\n"))
    if places := tuple(islice(written.apart(), first)):
        count = written.count() if len(places) == first else len(places)
        return Found(places, count, count == 1 and not written.is_overlapped(places[0]), exact=True)
    same = same_but_for_form(text, old)
    places = tuple(_apart(same))
    return Found(places, len(places), len(same) == 1, exact=False)


def everywhere(text: str, old: str, first: int | None = None) -> list[tuple[int, int]]:
    """All places as `find` knows them, or the first of them, those that overlap others included."""
    written = _Written(text, old.replace("\r\n", "\n"))
    return list(islice(written.everywhere(), first)) or same_but_for_form(text, old)


def line_at(text: str, position: int) -> int:
    """From 1."""
    return text.count("\n", 0, position) + 1


class _Written:
    """Where the old text stands as it is, with any line ending for `\\n`."""

    def __init__(self, text: str, old: str) -> None:
        self._text = text
        self._old = old
        self._pattern = None
        if "\n" in old and "\r\n" in text:
            self._pattern = re.compile(r"\r?\n".join(map(re.escape, old.split("\n"))))

    def after(self, position: int, end: int | None = None) -> tuple[int, int] | None:
        """The next place that starts at the position or after it, and is over before the end."""
        end = len(self._text) if end is None else end
        if self._pattern is not None:
            found = self._pattern.search(self._text, position, end)
            return found.span() if found else None
        start = self._text.find(self._old, position, end)
        return None if start < 0 else (start, start + len(self._old))

    def apart(self) -> Iterator[tuple[int, int]]:
        """All that don't overlap, from the start."""
        span = self.after(0)
        while span is not None:
            yield span
            span = self.after(span[1])

    def count(self) -> int:
        """How many don't overlap."""
        return self._text.count(self._old) if self._pattern is None else sum(1 for _ in self.apart())

    def everywhere(self) -> Iterator[tuple[int, int]]:
        """Overlapping or not."""
        span = self.after(0)
        while span is not None:
            yield span
            span = self.after(self._past(span[0]))

    def is_overlapped(self, place: tuple[int, int]) -> bool:
        """Another place starts in this one. None overlaps it from before: it is the first."""
        start, end = place
        return self.after(self._past(start), end + 2 * len(self._old)) is not None

    def _past(self, start: int) -> int:
        """The next position that counts: a CRLF is one line ending, and nothing starts in the middle of it."""
        return start + (2 if self._pattern is not None and self._text.startswith("\r\n", start) else 1)


def _apart(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    done = 0
    for start, end in places:
        if start >= done:
            yield start, end
            done = end
