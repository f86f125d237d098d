"""Lines as editors count them: they end with `\\n` or `\\r\\n` and with nothing else. Pure."""

from __future__ import annotations

from handrail.contract.values import value

LONGEST_KEPT = 16_384
"""Bytes kept of one line; all its characters are counted."""
_CONTINUING = bytes(range(0x80, 0xC0))
"""In UTF-8, bytes that begin no character."""


@value
class Line:
    """One line without its end."""

    data: bytes
    """Its beginning, which may end within a character."""
    characters: int
    """Of the whole line."""


class LineScan:
    """Takes a file's bytes piece by piece, keeps some of its lines and counts all, in bounded memory.

    The bytes are UTF-8 or of an encoding with one byte for each character. `first` is counted from 1.
    """

    def __init__(self, first: int, most: int, *, single_bytes: bool = False) -> None:
        self._before = first - 1
        """Line ends to pass by."""
        self._most = most
        self._single_bytes = single_bytes
        self._open = _OpenLine(single_bytes)
        self._ends = 0
        self._ends_open = False
        self.lines: list[Line] = []

    @property
    def total(self) -> int:
        """Lines so far; one that has begun counts."""
        return self._ends + self._ends_open

    def take(self, piece: bytes) -> None:
        if not piece:
            return
        at = self._passed(piece)
        while at is not None and len(self.lines) < self._most:
            end = piece.find(b"\n", at)
            self._open.add(piece[at:] if end < 0 else piece[at:end])
            if end < 0:
                break
            self._close_line()
            at = end + 1
        self._ends += piece.count(b"\n")
        self._ends_open = not piece.endswith(b"\n")

    def finish(self) -> None:
        """After the last piece: the line that has no end is one too."""
        if self._ends_open and self._ends >= self._before and len(self.lines) < self._most:
            self._close_line()

    def _passed(self, piece: bytes) -> int | None:
        """Where in the piece the wanted lines begin or go on; None where they don't."""
        left = self._before - self._ends
        if left <= 0:
            return 0
        if piece.count(b"\n") < left:
            return None
        at = 0
        for _ in range(left):
            at = piece.index(b"\n", at) + 1
        return at

    def _close_line(self) -> None:
        self.lines.append(self._open.line())
        self._open = _OpenLine(self._single_bytes)


class _OpenLine:
    """A line whose end has not come yet."""

    def __init__(self, single_bytes: bool) -> None:
        self._single_bytes = single_bytes
        self._kept = b""
        self._whole = True
        self._characters = 0
        self._last = b""

    def add(self, piece: bytes) -> None:
        self._whole = len(self._kept) + len(piece) <= LONGEST_KEPT and self._whole
        self._kept += piece[: LONGEST_KEPT - len(self._kept)]
        self._characters += len(piece) if self._single_bytes else len(piece.translate(None, delete=_CONTINUING))
        self._last = piece[-1:] or self._last

    def line(self) -> Line:
        """A carriage return at the very end belongs to the line's end."""
        characters = self._characters - (self._last == b"\r")
        return Line(self._kept.removesuffix(b"\r") if self._whole else self._kept, characters)
