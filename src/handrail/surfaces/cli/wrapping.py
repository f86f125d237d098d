"""How wide a terminal is, and sentences broken where words end to fit it."""

from __future__ import annotations

import os
import sys
import textwrap
from unicodedata import east_asian_width

from handrail.surfaces.cli.text import printable, tinted

NARROWEST = 20
"""Columns below which nothing is broken any more."""
_GAP = 2
_HALF = "\0"
"""Stands for the second column of a wide character while a line is measured: no line holds it."""
_USUAL = os.terminal_size((80, 24))


def size_of(terminal: int) -> os.terminal_size:
    """Of the terminal that a descriptor stands for; a usual one, where that tells none or has gone away."""
    try:
        columns, lines = os.get_terminal_size(terminal)
    except OSError:
        return _USUAL
    return os.terminal_size((columns or _USUAL.columns, lines or _USUAL.lines))


def output_columns() -> int:
    """Of the terminal that output goes to; 0 where it goes elsewhere, for what programs read is not broken."""
    return size_of(sys.stdout.fileno()).columns if sys.stdout.isatty() else 0


def wrapped(line: str, columns: int) -> list[str]:
    """What does not fit goes on below, indented; of a table's row, below its last column."""
    shown = line if line.isascii() else "".join(f"{each}{_HALF}" if _is_wide(each) else each for each in line)
    if len(shown) <= columns or columns < NARROWEST:
        return [line]
    indent = len(shown) - len(shown.lstrip())
    gap = shown.rfind(" " * _GAP, 0, columns // 2 + 1)  # what stands in the last column may have gaps of its own
    below = gap + _GAP if indent < gap else indent + _GAP
    fitting = columns - (_HALF in shown)  # a break may fall within a wide one
    # A path, an address or an option is one word, whatever hyphens it has.
    parts = textwrap.wrap(shown, fitting, subsequent_indent=" " * below, break_on_hyphens=False)
    return [part.replace(_HALF, "") for part in parts]


def _is_wide(character: str) -> bool:
    """It takes two columns (https://www.unicode.org/reports/tr11/)."""
    return east_asian_width(character) in "WF"


def alert(message: str, columns: int, *, colour: bool) -> list[str]:
    """What a person is to know, behind a mark. It is made printable."""
    first, *rest = printable(message, keep_lines=True).split("\n")
    lines = [part for line in (f"! {first}", *(f"  {line}" for line in rest)) for part in wrapped(line, columns)]
    return [tinted("!", "yellow", colour=colour) + lines[0][1:], *lines[1:]]
