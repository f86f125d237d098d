"""Page ranges as people write them: `1-5,8,12-`. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby

_RANGE = re.compile(r"(\d{1,9})(-(\d{1,9})?)?")

Range = tuple[int, int | None]
"""The first and the last page; None for whatever page is the last."""


class BadRange(ValueError):
    """What is wrong, as a sentence without its end."""


def ranges_in(text: str) -> list[Range]:
    """Raises BadRange."""
    return [_range(part.strip()) for part in text.split(",")]


def _range(part: str) -> Range:
    match = _RANGE.fullmatch(part)
    if match is None:
        raise BadRange(f"{part or 'nothing'} is no range of pages; write them as 1-5,8,12-")
    first = int(match[1])
    last = int(match[3]) if match[3] else None if match[2] else first
    if first < 1:
        raise BadRange("pages are counted from 1")
    if last is not None and last < first:
        raise BadRange(f"{part} ends before it begins")
    return first, last


def in_short(pages: Iterable[int]) -> str:
    """Ordered pages as ranges: `1-5,8`."""
    runs = [list(run) for _, run in groupby(enumerate(pages), key=lambda pair: pair[1] - pair[0])]
    return ",".join(_one(run[0][1], run[-1][1]) for run in runs)


def _one(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"
