"""Plain text for terminals: colours where they are wanted, diffs, and nothing that a terminal obeys."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

_RED, _GREEN, _YELLOW, _CYAN = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
_TINTS = {"red": _RED, "green": _GREEN, "yellow": _YELLOW}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that reverse the direction of text and so hide what it says."""

CONTEXT = 3
MAX_DIFF_LINES = 200
MAX_COMPARISONS = 4_000_000
"""Lines times lines; more would take seconds."""


def printable(text: str, *, keep_lines: bool = False) -> str:
    """The text with what a terminal would obey made visible; on one line unless `keep_lines`."""
    text = text if keep_lines else text.replace("\n", "\\n")
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def wants_colour() -> bool:
    """Whether output goes to a terminal whose person has not said no (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def bold(text: str, *, colour: bool) -> str:
    return f"{_BOLD}{text}{_PLAIN}" if colour else text


def dim(text: str, *, colour: bool) -> str:
    return f"{_DIM}{text}{_PLAIN}" if colour else text


def tinted(text: str, tint: Literal["red", "green", "yellow"], *, colour: bool) -> str:
    return f"{_TINTS[tint]}{text}{_PLAIN}" if colour else text


def shown_path(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def diff_lines(path: str, old: str | None, new: str, *, colour: bool) -> list[str]:
    """A unified diff of one file, bounded in length and in the time it takes; what is left out is said."""
    before, after = ("" if old is None else old).splitlines(), new.splitlines()
    head = ["--- new file" if old is None else f"--- {path}", f"+++ {path}"]
    lines = [_coloured(printable(line, keep_lines=True), colour=colour) for line in (*head, *_hunks(before, after))]
    if len(lines) > MAX_DIFF_LINES:
        return [*lines[:MAX_DIFF_LINES], f"… {len(lines) - MAX_DIFF_LINES} more lines of this diff"]
    return lines


def _hunks(before: list[str], after: list[str]) -> Iterator[str]:
    """Only what lies between the common head and tail is compared: that is what makes large files fast."""
    skipped = max(0, _common(before, after) - CONTEXT)
    tail = max(0, _common(before[skipped:][::-1], after[skipped:][::-1]) - CONTEXT)
    old, new = before[skipped : len(before) - tail], after[skipped : len(after) - tail]
    if len(old) * len(new) > MAX_COMPARISONS:
        yield f"@@ {len(old)} lines become {len(new)}: too many to compare here @@"
        return
    import difflib  # only where a change is shown

    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT):
        first, last = group[0], group[-1]
        yield f"@@ -{_range(first[1], last[2], skipped)} +{_range(first[3], last[4], skipped)} @@"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (f" {line}" for line in old[i1:i2])
            else:
                yield from (f"-{line}" for line in old[i1:i2])
                yield from (f"+{line}" for line in new[j1:j2])


def _common(left: list[str], right: list[str]) -> int:
    """How many items the two begin with alike."""
    return next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))


def _range(start: int, stop: int, skipped: int) -> str:
    """Lines as a hunk's head counts them: from 1, and the line before for none."""
    count = stop - start
    return f"{skipped + start + (1 if count else 0)},{count}"


def _coloured(line: str, *, colour: bool) -> str:
    if not colour:
        return line
    tints = {"+": _GREEN, "-": _RED, "@": _CYAN}
    tint = tints.get(line[:1])
    return f"{tint}{line}{_PLAIN}" if tint else line
