"""Plain text for terminals: colours where they are wanted, diffs, and nothing that a terminal obeys."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Literal, TypeAlias

from handrail.contract.unified_diff import unified

_RED, _GREEN, _YELLOW, _CYAN = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m"
_BOLD, _DIM, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[0m"
Tint: TypeAlias = Literal["red", "green", "yellow"]
_TINTS: dict[Tint, str] = {"red": _RED, "green": _GREEN, "yellow": _YELLOW}
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters, and those that reverse the direction of text and so hide what it says."""

MAX_DIFF_LINES = 200

_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))


def printable(text: str, *, keep_lines: bool = False) -> str:
    """The text with what a terminal would obey made visible; on one line unless `keep_lines`."""
    text = text if keep_lines else text.replace("\n", "\\n")
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def beside(name: str, described: str) -> str:
    """What a call does, to stand behind its tool's name: without that name, where it begins with it. Many a tool has no
    other title."""
    return "" if described == name else described.removeprefix(f"{name}: ")


def age(seconds: float) -> str:
    """In the largest unit that fits: `3d`, `5h`, `7m`, `20s`."""
    for length, unit in _UNITS:
        if seconds >= length:
            return f"{int(seconds // length)}{unit}"
    return f"{max(0, int(seconds))}s"


def wants_colour() -> bool:
    """Whether output goes to a terminal whose person has not said no (https://no-color.org)."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def bold(text: str, *, colour: bool) -> str:
    return f"{_BOLD}{text}{_PLAIN}" if colour else text


def dim(text: str, *, colour: bool) -> str:
    return f"{_DIM}{text}{_PLAIN}" if colour else text


def tinted(text: str, tint: Tint, *, colour: bool) -> str:
    return f"{_TINTS[tint]}{text}{_PLAIN}" if colour else text


def shown_path(path: Path, root: Path) -> str:
    return str(path.relative_to(root)) if path.is_relative_to(root) else str(path)


def diff_lines(path: str, old: str | None, new: str | None, *, colour: bool) -> list[str]:
    """A unified diff of one file, bounded in length; what is left out is said."""
    if _ends_with_crlf(old) and _ends_with_crlf(new):
        old, new = old and old.replace("\r\n", "\n"), new and new.replace("\r\n", "\n")
    diff = unified(path.lstrip("/"), old, new)
    lines = [_coloured(printable(line[:-1], keep_lines=True), colour=colour) for line in diff]
    if len(lines) > MAX_DIFF_LINES:
        return [*lines[:MAX_DIFF_LINES], f"… {len(lines) - MAX_DIFF_LINES} more lines of this diff"]
    return lines or ["(no change)"]


def _ends_with_crlf(text: str | None) -> bool:
    """Every line does, so that nothing is hidden if the carriage returns are."""
    return text is None or text.count("\n") == text.count("\r\n")


def _coloured(line: str, *, colour: bool) -> str:
    if not colour:
        return line
    tints = {"+": _GREEN, "-": _RED, "@": _CYAN}
    tint = tints.get(line[:1])
    return f"{tint}{line}{_PLAIN}" if tint else line
