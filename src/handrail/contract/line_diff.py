"""Which lines differ between two texts: exact, and fast on large texts with few changes. Pure.

Where the two begin to differ, they are taken to agree again at a line that occurs once near by on both sides, with
a run of equal lines behind it. Where there is none, lines that occur once hold the two together (the idea of
patience diff); what lies between is compared by Myers' algorithm (E. W. Myers, "An O(ND) Difference Algorithm and
Its Variations", 1986), with a bound on its effort. What comes out is always right; that as many lines as possible
are kept is not promised.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from operator import lt, ne
from typing import NamedTuple

_EFFORT = 400_000
"""Steps of Myers' algorithm for two texts, some tenths of a microsecond each."""
_WINDOWS = (64, 512, 4096)
"""Lines looked at on both sides for a place where they agree again."""
_RUN = 16
"""Equal lines that show that they do."""
_LEAST_DEPTH = 32
"""Differences sought at once when all effort is spent: it then grows with the number of lines, and no faster."""
_MOST_DEPTH = 800


class Change(NamedTuple):
    """Lines `old_start` to `old_end` of the old text gave way to those of the new; from 0, half open."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def split_lines(text: str) -> list[str]:
    """Lines with their ends. Only `\\n` ends a line; the last may have none."""
    return list(StringIO(text, newline="\n"))


def changes(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """In order, none touching the next: what lies between two of them is the same on both sides."""
    return list(_joined(_Both(old, new).changes()))


def _joined(found: Iterable[Change]) -> Iterator[Change]:
    last: Change | None = None
    for change in found:
        if last is not None and last.old_end == change.old_start and last.new_end == change.new_start:
            last = Change(last.old_start, change.old_end, last.new_start, change.new_end)
            continue
        if last is not None:
            yield last
        last = change
    if last is not None:
        yield last


class _Both:
    """Both texts, and what effort is left."""

    def __init__(self, old: Sequence[str], new: Sequence[str]) -> None:
        self._old = old
        self._new = new
        self._effort = _EFFORT

    def changes(self) -> Iterator[Change]:
        a = b = 0
        while True:
            run = self._run(a, b)
            i, j = self._agreement(a + run, b + run)
            yield from self._between(Change(a + run, i, b + run, j))
            if i == len(self._old) and j == len(self._new):
                return
            a, b = i, j

    def _run(self, a: int, b: int) -> int:
        """How many lines are alike from there on."""
        start, size = a, 64
        while True:
            old, new = self._old[a : a + size], self._new[b : b + size]
            if not old or old != new:
                return a - start + _alike(old, new)
            a, b, size = a + len(old), b + len(new), 2 * size

    def _agreement(self, a: int, b: int) -> tuple[int, int]:
        """Where the two agree again; their ends, where that can't be seen from here."""
        for size in _WINDOWS:
            old, new = self._old[a : a + size], self._new[b : b + size]
            for i, j in _anchors(old, new):
                if old[i : i + _RUN] == new[j : j + _RUN] and i + _RUN <= len(old):
                    return a + i, b + j
            if len(old) < size and len(new) < size:
                break
        return len(self._old), len(self._new)

    def _between(self, whole: Change) -> Iterator[Change]:
        waiting = [whole]
        while waiting:
            region = self._trimmed(waiting.pop())
            a, a_end, b, b_end = region
            if a == a_end or b == b_end:
                if a < a_end or b < b_end:
                    yield region
            elif anchors := _anchors(self._old[a:a_end], self._new[b:b_end]):
                waiting += reversed(_gaps(region, anchors))
            elif set(self._old[a:a_end]).isdisjoint(self._new[b:b_end]):
                yield region
            else:
                yield from self._compared(region)

    def _trimmed(self, region: Change) -> Change:
        """Without the lines that both sides begin and end with."""
        a, a_end, b, b_end = region
        old, new = self._old[a:a_end], self._new[b:b_end]
        head = _alike(old, new)
        tail = min(_alike(old[::-1], new[::-1]), len(old) - head, len(new) - head)
        return Change(a + head, a_end - tail, b + head, b_end - tail)

    def _compared(self, region: Change) -> Iterator[Change]:
        """By Myers' algorithm: piece after piece where the differences are many."""
        a, a_end, b, b_end = region
        while a < a_end and b < b_end:
            depth = min(_MOST_DEPTH, max(_LEAST_DEPTH, int(self._effort**0.5)))
            path, steps = _path(self._old, self._new, Change(a, a_end, b, b_end), depth)
            self._effort = max(0, self._effort - steps)
            yield from path
            if path:
                _, a, _, b = path[-1]
            while a < a_end and b < b_end and self._old[a] == self._new[b]:
                a, b = a + 1, b + 1
        if a < a_end or b < b_end:
            yield Change(a, a_end, b, b_end)


def _gaps(region: Change, anchors: Iterable[tuple[int, int]]) -> list[Change]:
    """What lies between the anchors, which are counted from the region's start."""
    a, a_end, b, b_end = region
    found = []
    for i, j in anchors:
        if region.old_start + i > a or region.new_start + j > b:
            found.append(Change(a, region.old_start + i, b, region.new_start + j))
        a, b = region.old_start + i + 1, region.new_start + j + 1
    if a < a_end or b < b_end:
        found.append(Change(a, a_end, b, b_end))
    return found


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of lines that occur once on either side, as many as are in the same order on both."""
    once_in_old, once_in_new = _once(old), _once(new)
    shared = once_in_old.keys() & once_in_new.keys()
    found = [(once_in_old[line], once_in_new[line]) for line in old if line in shared]
    places = [j for _, j in found]
    return found if all(map(lt, places, places[1:])) else _longest_rise(found)


def _once(lines: Sequence[str]) -> dict[str, int]:
    """Lines that occur once, and where."""
    first = dict(zip(lines, range(len(lines)), strict=True))
    if len(first) == len(lines):
        return first
    count = Counter(lines)
    return {line: place for line, place in first.items() if count[line] == 1}


def _alike(old: Sequence[str], new: Sequence[str]) -> int:
    """How many items the two begin with alike."""
    return next((i for i, differs in enumerate(map(ne, old, new)) if differs), min(len(old), len(new)))


def _longest_rise(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most pairs whose second parts rise; the first parts do already."""
    ends: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(at[length - 1] if length else -1)
        if length == len(ends):
            ends.append(j)
            at.append(index)
        else:
            ends[length] = j
            at[length] = index
    rise = []
    index = at[-1] if at else -1
    while index >= 0:
        rise.append(pairs[index])
        index = before[index]
    return rise[::-1]


def _path(old: Sequence[str], new: Sequence[str], region: Change, depth: int) -> tuple[list[Change], int]:
    """The differences up to the end of both, or, where they are more than `depth`, as far as so many reach.

    Also the steps that it took. A diagonal is a place in `old` less one in `new`; how far each is reached with so
    many differences is kept, to walk back.
    """
    a, a_end, b, b_end = region
    furthest = {a - b + 1: a}
    trace: list[dict[int, int]] = []
    steps = 0
    for d in range(depth + 1):
        trace.append(furthest)
        reached: dict[int, int] = {}
        lowest = a - b - d + 2 * max(0, d - (b_end - b))
        highest = a - b + d - 2 * max(0, d - (a_end - a))
        for diagonal in range(lowest, highest + 1, 2):
            x = _step(furthest, diagonal, a_end, b_end)[0]
            if x < 0:
                continue
            y = x - diagonal
            while x < a_end and y < b_end and old[x] == new[y]:
                x += 1
                y += 1
            if x == a_end and y == b_end:
                return _walked_back(trace, Change(x, a_end, y, b_end)), steps
            reached[diagonal] = x
        steps += len(reached)
        furthest = reached
    diagonal, x = max(furthest.items(), key=lambda reached: 2 * reached[1] - reached[0])
    return _walked_back(trace, Change(x, a_end, x - diagonal, b_end)), steps


def _step(furthest: Mapping[int, int], diagonal: int, a_end: int, b_end: int) -> tuple[int, bool]:
    """Where one more difference leads on a diagonal: the place in the old text, and whether a line was put in.

    -1 where none leads there.
    """
    removed = furthest.get(diagonal - 1, -2) + 1
    inserted = furthest.get(diagonal + 1, -1)
    if removed > a_end:
        removed = -1
    if inserted - diagonal > b_end:
        inserted = -1
    return (inserted, True) if inserted >= removed else (removed, False)


def _walked_back(trace: Sequence[Mapping[int, int]], end: Change) -> list[Change]:
    """`end` is what is left behind the point from which to walk."""
    x, a_end, y, b_end = end
    found: list[Change] = []
    for furthest in reversed(trace[1:]):
        x_after, put_in = _step(furthest, x - y, a_end, b_end)
        y_after = x_after - (x - y)
        x, y = (x_after, y_after - 1) if put_in else (x_after - 1, y_after)
        found.append(Change(x, x_after, y, y_after))
    return found[::-1]
