"""Replaces text by other text in a file, at one place or several at once, and leaves all else as it is. Pure.

Every old text is looked for in the text as it was: no edit sees what another has put in. Nothing is a pattern or a
template.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from handrail.contract.values import value
from handrail.tools.text.carrying import carried
from handrail.tools.text.finding import Found, everywhere, find, line_at

_MOST_LINES = 10
"""Line numbers told of text that occurs too often."""


@value
class Edit:
    old: str
    """Not empty."""
    new: str
    every: bool = False
    """Replace all places there are; False takes one alone."""
    count: int | None = None
    """How many places there must be, all of which are replaced. None says nothing."""


@value
class Done:
    """What became of one edit."""

    count: int
    line: int
    """Of the first place, from 1, in the new text."""
    exact: bool


@value
class Replaced:
    text: str
    done: tuple[Done, ...]
    """One for each edit, in their order."""


class Unfit(Exception):
    """An edit that can't be made, by its place in the sequence; nothing was."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class NotFound(Unfit):
    """The old text does not occur."""


class WrongCount(Unfit):
    """The old text occurs more often than once, or not as often as it should."""

    def __init__(self, index: int, count: int, lines: Sequence[int]) -> None:
        super().__init__(index)
        self.count = count
        """Places that don't overlap; 1 where all of them do."""
        self.lines = lines
        """Numbers of the first lines, from 1."""


class Overlapping(Unfit):
    """It touches text that another edit touches too."""

    def __init__(self, index: int, other: int, line: int) -> None:
        super().__init__(index)
        self.other = other
        self.line = line


def replace(text: str, edits: Sequence[Edit]) -> Replaced:
    """All of them, or none. Raises Unfit."""
    found = [_fitting(text, index, edit) for index, edit in enumerate(edits)]
    places = sorted((start, end, index) for index, each in enumerate(found) for start, end in each.places)
    for (_, end, index), (start, _, other) in pairwise(places):
        if start < end:
            raise Overlapping(max(index, other), min(index, other), line_at(text, start))
    pieces: list[str] = []
    first: dict[int, int] = {}
    done = length = 0
    for start, end, index in places:
        new = carried(text, start, end, edits[index].old, edits[index].new)
        first.setdefault(index, length + start - done)
        length += start - done + len(new)
        pieces += (text[done:start], new)
        done = end
    pieces.append(text[done:])
    whole = "".join(pieces)
    return Replaced(
        whole,
        tuple(Done(len(each.places), line_at(whole, first[index]), each.exact) for index, each in enumerate(found)),
    )


def _fitting(text: str, index: int, edit: Edit) -> Found:
    wants_one = edit.count is None and not edit.every
    found = find(text, edit.old, first=2 if wants_one else None)
    if not found.places:
        raise NotFound(index)
    fits = found.count == edit.count if edit.count is not None else edit.every or found.is_one
    if not fits:
        starts = everywhere(text, edit.old, first=_MOST_LINES)[:_MOST_LINES]
        lines = dict.fromkeys(line_at(text, start) for start, _ in starts)
        raise WrongCount(index, found.count, tuple(lines))
    return found
