"""What a program printed, as a terminal would show it in the end: for a model, which reads no escapes.

Progress that redraws its line leaves the last state only; colours, titles and bells go; text without
such things stays as it is, `\\r\\n` included.
"""

from __future__ import annotations

import re

_CONTROL = re.compile(
    r"""
      (?P<newline>\r?\n)
    | (?P<back>[\r\b])
    | (?:\x1b\[|\x9b)(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])        # CSI: cursor, erase, colour
    | (?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?  # OSC and its like: titles, links
    | \x1b[ -/]*[0-~]?                                                    # other escapes
    | [\x00-\x08\x0b-\x1f\x7f-\x9f]                                       # other controls
    """,
    re.VERBOSE,
)
_ANY = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WITHOUT_EFFECT = dict.fromkeys((*range(0x07), 0x0B, 0x0C, *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F))
"""Controls that a terminal ignores. They are taken out at once: a megabyte of NULs is a million matches else."""
_DIGITS = 4
"""Of a movement; no real program moves further than 9,999."""


def as_shown(text: str) -> str:
    text = text.translate(_WITHOUT_EFFECT)
    if _ANY.search(text.replace("\r\n", "").replace("\n", "")) is None:
        return text
    screen = _Screen()
    position = 0
    for found in _CONTROL.finditer(text):
        screen.put(text[position : found.start()])
        screen.control(found)
        position = found.end()
    screen.put(text[position:])
    return screen.text


class _Screen:
    """Rows of characters with no end below; a row remembers how it was ended."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = [[]]
        self._endings: list[str] = [""]
        self._row = 0
        self._column = 0

    @property
    def text(self) -> str:
        return "".join("".join(row) + ending for row, ending in zip(self._rows, self._endings, strict=True))

    def put(self, text: str) -> None:
        row = self._rows[self._row]
        if text and self._column > len(row):
            self._column = len(row) + 1  # one space for any gap: a jump must not cost memory
            row.append(" ")
        row[self._column : self._column + len(text)] = text
        self._column += len(text)

    def control(self, found: re.Match[str]) -> None:
        if newline := found["newline"]:
            self._next_row(newline)
        elif back := found["back"]:
            self._column = 0 if back == "\r" else max(0, self._column - 1)
        elif final := found["final"]:
            self._command(final, found["parameters"])

    def _next_row(self, ending: str) -> None:
        self._endings[self._row] = ending
        self._row += 1
        self._column = 0
        if self._row == len(self._rows):
            self._rows.append([])
            self._endings.append("")

    def _command(self, final: str, parameters: str) -> None:
        """ECMA-48 8.3: erase in line (K), cursor up (A, F), down (B, E), right (C), left (D), to a column (G)."""
        first = parameters.split(";")[0][:_DIGITS]
        number = int(first) if first.isdecimal() else None
        steps = number or 1
        match final:
            case "K":
                self._erase(number or 0)
            case "A" | "F":
                self._row = max(0, self._row - steps)
            case "B" | "E":
                self._row = min(len(self._rows) - 1, self._row + steps)
            case "C":
                self._column += steps
            case "D":
                self._column = max(0, self._column - steps)
            case "G":
                self._column = steps - 1
        if final in "EF":
            self._column = 0

    def _erase(self, how: int) -> None:
        row = self._rows[self._row]
        if how == 0:
            del row[self._column :]
        elif how == 2:
            row.clear()
        else:
            row[: self._column] = " " * min(self._column, len(row))
