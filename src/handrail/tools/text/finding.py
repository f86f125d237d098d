"""Finds the places of old text: written exactly so, line endings aside, or else the same in a normal form. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from handrail.contract.values import value
from handrail.tools.text.normal_form import same_but_for_form

_MOST_STARTS = 10
"""Looked at of text that occurs too often."""


@value
class Found:
    places: tuple[tuple[int, int], ...]
    """Starts and ends, in order, none overlapping."""
    starts: tuple[int, ...]
    """The first few, those of overlapping places included."""
    exact: bool
    """False: found in the normal form."""

    @property
    def is_one(self) -> bool:
        return len(self.places) == 1 and len(self.starts) == 1


def find(text: str, old: str) -> Found:
    """`old` is not empty. A line ending in it stands for any."""
    written = _Written(text, old.replace("\r\n", "\n"))
    if places := tuple(written.apart()):
        starts = islice((start for start, _ in written.everywhere()), _MOST_STARTS)
        return Found(places, tuple(starts), exact=True)
    same = same_but_for_form(text, old)
    return Found(tuple(_apart(same)), tuple(start for start, _ in same[:_MOST_STARTS]), exact=False)


def everywhere(text: str, old: str) -> list[tuple[int, int]]:
    """All places as `find` knows them, those that overlap others included."""
    return list(_Written(text, old.replace("\r\n", "\n")).everywhere()) or same_but_for_form(text, old)


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

    def after(self, position: int) -> tuple[int, int] | None:
        if self._pattern is not None:
            found = self._pattern.search(self._text, position)
            return found.span() if found else None
        start = self._text.find(self._old, position)
        return None if start < 0 else (start, start + len(self._old))

    def apart(self) -> Iterator[tuple[int, int]]:
        """All that don't overlap, from the start."""
        span = self.after(0)
        while span is not None:
            yield span
            span = self.after(span[1])

    def everywhere(self) -> Iterator[tuple[int, int]]:
        """Overlapping or not. A CRLF is one line ending: nothing starts in the middle of it."""
        span = self.after(0)
        while span is not None:
            yield span
            step = 2 if self._pattern is not None and self._text.startswith("\r\n", span[0]) else 1
            span = self.after(span[0] + step)


def _apart(places: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    done = 0
    for start, end in places:
        if start >= done:
            yield start, end
            done = end
