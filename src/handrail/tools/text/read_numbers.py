"""Text with the line numbers that `read_file` puts before each line. Pure."""

from __future__ import annotations

import re

_NUMBERED = re.compile(r" *(\d+)\u2192")
_NUMBERED_SOMEHOW = re.compile(r"\s*\d+(?:\u2192|\t)")


def without_numbers(text: str) -> str | None:
    """The text without its numbers; None unless every line has one, and each is one more than the last.

    An empty piece after the last line's end needs none.
    """
    lines = text.split("\n")
    last = lines.pop() if len(lines) > 1 and not lines[-1] else None
    found = [_NUMBERED.match(line) for line in lines]
    numbers = [int(match[1]) for match in found if match]
    if len(numbers) < len(lines) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return None
    bare = [line[match.end() :] for line, match in zip(lines, found, strict=True) if match]
    return "\n".join(bare if last is None else [*bare, last])


def has_numbers(text: str) -> bool:
    """Every line that is not blank begins as a numbered one does, here or in other programs."""
    return all(_NUMBERED_SOMEHOW.match(line) for line in text.split("\n") if line.strip())
