"""Braces written out as bash does it: `a{b,c}d` is two words, `{1..3}` three. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

UNFOLLOWED_RANGE = re.compile(r"\{(?:[A-Z]\.\.[a-z]|[a-z]\.\.[A-Z])|\.\.[+-]?\d{10}|\d{10}\.\.")
"""Ranges that are not written out here: what they come to is not known."""

_RANGE = re.compile(r"(?:([+-]?\d+)\.\.([+-]?\d+)|([A-Za-z])\.\.([A-Za-z]))(?:\.\.([+-]?\d+))?")
_PADDED = re.compile(r"[+-]?0\d")

Piece = tuple[list[str], list[bool]]
"""Characters, and for each whether the shell may still act on it."""


def without_braces(characters: list[str], live: list[bool]) -> Iterator[Piece]:
    """`a{b,c}d` as `abd` and `acd`: the first braces that hold a comma or a range, then what is behind them."""
    found = _first_braces(characters, live)
    if found is None:
        yield characters, live
        return
    start, commas, end = found
    for piece, piece_live in _inside(characters, live, [start, *commas, end]):
        for rest, rest_live in without_braces(characters[end + 1 :], live[end + 1 :]):
            yield characters[:start] + piece + rest, live[:start] + piece_live + rest_live


def _inside(characters: list[str], live: list[bool], marks: list[int]) -> Iterator[Piece]:
    """What stands between the marks, each written out in its turn; of braces without a comma, the range."""
    if len(marks) == 2:
        for text in _range("".join(characters[marks[0] + 1 : marks[1]])):
            yield list(text), [False] * len(text)
        return
    for left, right in pairwise(marks):
        yield from without_braces(characters[left + 1 : right], live[left + 1 : right])


def _first_braces(characters: list[str], live: list[bool]) -> tuple[int, list[int], int] | None:
    """Where they open, their own commas, and where they close: as bash has it, at no `}` before a comma or a range."""
    for start, character in enumerate(characters):
        if character != "{" or not live[start]:
            continue
        depth = 0
        commas: list[int] = []
        for position in range(start + 1, len(characters)):
            match characters[position] if live[position] else "":
                case "{":
                    depth += 1
                case "}" if depth:
                    depth -= 1
                case "}" if commas or _is_range(characters, live, start, position):
                    return start, commas, position
                case "," if not depth:
                    commas.append(position)
    return None


def _is_range(characters: list[str], live: list[bool], start: int, end: int) -> bool:
    inside = slice(start + 1, end)
    return all(live[inside]) and _RANGE.fullmatch("".join(characters[inside])) is not None


def _range(text: str) -> Iterator[str]:
    """`1..3`, `a..e..2`, `03..1`: from the first to the last, up or down, with the zeros of the longer one."""
    found = _RANGE.fullmatch(text)
    if found is None:
        return
    first, last, letter, last_letter, by = found.groups()
    step = abs(int(by or 1)) or 1
    if letter:
        low, high = ord(letter), ord(last_letter)
        yield from map(chr, range(low, high + 1, step) if low <= high else range(low, high - 1, -step))
        return
    low, high = int(first), int(last)
    width = max(len(first), len(last)) if _PADDED.match(first) or _PADDED.match(last) else 0
    for number in range(low, high + 1, step) if low <= high else range(low, high - 1, -step):
        yield f"{number:0{width}d}"
