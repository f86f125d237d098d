"""Sentences broken where words end. Pure."""

from __future__ import annotations

import textwrap

from handrail.surfaces.cli.text import printable, tinted

NARROWEST = 20
"""Columns below which nothing is broken any more."""
_GAP = 2


def wrapped(line: str, columns: int) -> list[str]:
    """What does not fit goes on below, indented; of a table's row, below its last column."""
    if len(line) <= columns or columns < NARROWEST:
        return [line]
    indent = len(line) - len(line.lstrip())
    gap = line.rfind(" " * _GAP, 0, columns // 2 + 1)  # what stands in the last column may have gaps of its own
    below = gap + _GAP if indent < gap else indent + _GAP
    return textwrap.wrap(line, columns, subsequent_indent=" " * below, drop_whitespace=True)


def alert(message: str, columns: int, *, colour: bool) -> list[str]:
    """What a person is to know, behind a mark. It is made printable."""
    first, *rest = printable(message, keep_lines=True).split("\n")
    lines = [part for line in (f"! {first}", *(f"  {line}" for line in rest)) for part in wrapped(line, columns)]
    return [tinted("!", "yellow", colour=colour) + lines[0][1:], *lines[1:]]
