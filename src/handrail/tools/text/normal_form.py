"""Finds text that is provably the same though it is not written the same.

In the normal form lines end with `\\n`, have no blanks before their end, and are in Unicode's composed form (NFC,
https://www.unicode.org/reports/tr15/). A place found there is given as a place of the text as it is written; where
a composed character would have to be cut for that, there is none.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate

_PLAIN = re.compile(r"[\t -:<-JL-_a-~]+")
"""ASCII characters that are the composed form of no other, as `;`, `K` and the backtick are (of U+037E and others)."""
_LONGEST_LINE = 2_000
"""Characters of a line that is not composed and yet cut: looking for the cut takes their square."""


def same_but_for_form(text: str, old: str) -> list[tuple[int, int]]:
    """Where `old` stands in `text` in the normal form: starts and ends, in order, maybe overlapping."""
    lines = old.replace("\r\n", "\n").split("\n")
    *head, last = map(_normal, lines)
    if not any((*head, last)) or _anchor(lines) not in text:
        return []
    seen = _Seen(text)
    whole = unicodedata.normalize("NFC", lines[-1])
    found = set(seen.places("\n".join([*head, whole]), to_line_end=False))
    if whole != last:
        found.update(seen.places("\n".join([*head, last]), to_line_end=True))
    return sorted(found)


def _anchor(lines: Sequence[str]) -> str:
    """The longest part of some lines that is written the same in every form: without it, a text has none of them."""
    runs = (run.rstrip(" \t")[:-1] for line in lines for run in _PLAIN.findall(line))
    return max(runs, key=len, default="")  # the last character of a run may be composed with what follows


def _normal(line: str) -> str:
    """Of a line without its `\\n`."""
    line = line.rstrip(" \t\r") if line.endswith("\r") else line.rstrip(" \t")
    return line if line.isascii() else unicodedata.normalize("NFC", line)


class _Seen:
    """A text in the normal form, and the way back to how it is written."""

    def __init__(self, text: str) -> None:
        self._written = text.split("\n")
        self._normal = list(map(_normal, self._written))
        self._text = "\n".join(self._normal)
        self._written_starts = _starts(self._written)
        self._normal_starts = _starts(self._normal)

    def places(self, wanted: str, *, to_line_end: bool) -> Iterator[tuple[int, int]]:
        """`to_line_end`: only those that a line ends with, blanks before its end included."""
        at = self._text.find(wanted)
        while at >= 0:
            start, end = self._way_back(at), self._way_back(at + len(wanted))
            if to_line_end:
                end = self._end_of_line(at + len(wanted))
            if start is not None and end is not None:
                yield start, end
            at = self._text.find(wanted, at + 1)

    def _way_back(self, position: int) -> int | None:
        line = bisect_right(self._normal_starts, position) - 1
        column = position - self._normal_starts[line]
        written, normal = self._written[line], self._normal[line]
        if not written.startswith(normal):
            cut = _cut(written[: len(written.rstrip(" \t\r"))], normal, column)
            return None if cut is None else self._written_starts[line] + cut
        return self._written_starts[line] + column

    def _end_of_line(self, position: int) -> int | None:
        line = bisect_right(self._normal_starts, position) - 1
        if position != self._normal_starts[line] + len(self._normal[line]):
            return None
        is_last = line == len(self._written) - 1
        return self._written_starts[line] + len(
            self._written[line] if is_last else self._written[line].removesuffix("\r")
        )


def _starts(lines: Sequence[str]) -> list[int]:
    return [0, *accumulate(len(line) + 1 for line in lines)][:-1]


def _cut(written: str, normal: str, column: int) -> int | None:
    """Where a line falls apart in what is composed to the two parts of its normal form."""
    if column in (0, len(normal)):
        return 0 if column == 0 else len(written)
    if len(written) > _LONGEST_LINE:
        return None
    first, second = normal[:column], normal[column:]
    for cut in range(len(written) + 1):
        before, after = written[:cut], written[cut:]
        if unicodedata.normalize("NFC", before) == first and unicodedata.normalize("NFC", after) == second:
            return cut
    return None
