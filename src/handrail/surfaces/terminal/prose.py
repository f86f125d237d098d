"""What a model says, as it arrives: Markdown cut into blocks that are finished and the one that is still open. Pure.

Where a block ends follows CommonMark (https://spec.commonmark.org/0.31.2/): a blank line parts blocks unless it
stands in a fence, or what follows is indented and so belongs to the item of a list before it.
"""

from __future__ import annotations

import re

LONGEST_OPEN = 40
"""Lines of a fenced block that is still being written; a longer one is finished in parts."""

LONGEST_DRAWN = 3_000
"""Characters of an open block that are laid out anew at each drawing: about what a screen holds. A table of as many
takes 50 ms, one of 100,000 some seconds."""

_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
"""What stands behind backticks has none itself (section 4.5): a line that begins with code in three is a paragraph."""
_TABLE = re.compile(r" {0,3}[|:-][|: -]*")
"""The second line of a table (https://github.github.com/gfm/#tables-extension-)."""


class Prose:
    """One stretch of text. A finished block never changes any more, so it can be printed for good."""

    def __init__(self) -> None:
        self._rest = ""
        """The last line, as long as its end has not come."""
        self._lines: list[str] = []
        self._gap = 0
        """Blank lines behind those."""
        self._fence = ""
        """The line that opened the fence in which the next line stands."""

    @property
    def open(self) -> str:
        """The block that is not finished yet, as far as it has come."""
        rest = [*[""] * self._gap, self._rest] if self._rest else []
        return "\n".join([*self._lines, *rest])

    def add(self, text: str) -> list[str]:
        """The blocks that this finishes; the last, as soon as the next begins."""
        *whole, self._rest = (self._rest + text).split("\n")
        finished = [block for line in whole for block in self._take(line)]
        return [*finished, *self._cut()] if self._gap and self._rest[:1].strip() else finished

    def end(self) -> list[str]:
        """Nothing more comes: what was open is finished as it stands."""
        finished = self._take(self._rest) if self._rest else []
        self._rest = self._fence = ""
        return [*finished, *self._cut()]

    def _take(self, line: str) -> list[str]:
        if self._fence:
            return self._take_fenced(line)
        if not line.strip():
            self._gap += bool(self._lines)
            return []
        finished = self._cut() if self._gap and not line[0].isspace() else []
        self._lines += [""] * self._gap
        self._gap = 0
        self._lines.append(line)
        if _FENCE.match(line):
            self._fence = line
        return finished

    def _take_fenced(self, line: str) -> list[str]:
        self._lines.append(line)
        if _closes(line, self._fence):
            self._fence = ""
            return []
        if len(self._lines) < LONGEST_OPEN:
            return []
        mark = _mark(self._fence)
        finished = ["\n".join([*self._lines, mark])]
        self._lines = [self._fence]
        return finished

    def _cut(self) -> list[str]:
        finished = ["\n".join(self._lines)] if self._lines else []
        self._lines, self._gap = [], 0
        return finished


def newest(block: str) -> str:
    """The end of an open block, where it is long; of a table or a fence, behind the lines that make it one."""
    if len(block) <= LONGEST_DRAWN:
        return block
    first, second, *_ = *block[:LONGEST_DRAWN].split("\n"), ""
    head = f"{first}\n" if _FENCE.match(first) else f"{first}\n{second}\n" if _TABLE.fullmatch(second) else ""
    tail = block[-LONGEST_DRAWN:]
    _, ends, rest = tail.partition("\n")
    return head + (rest if ends else tail)


def _mark(fence: str) -> str:
    found = _FENCE.match(fence)
    return found[1] if found else ""


def _closes(line: str, fence: str) -> bool:
    mark = _mark(fence)
    closing = line.strip()
    return len(closing) >= len(mark) and set(closing) == {mark[0]}
