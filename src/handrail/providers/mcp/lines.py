"""What a server prints, cut into lines: one message each, however the pipe cuts them."""

from __future__ import annotations

MOST_LINE = 32 << 20
"""Bytes of one message. A longer one ends the connection: what it would take in memory is a multiple of this."""


class LineTooLong(Exception):
    """A line that has no end within `MOST_LINE`."""


class Lines:
    """Pieces in, whole lines out, without their ends. Holds one unfinished line at most."""

    def __init__(self, most: int = MOST_LINE) -> None:
        self._most = most
        self._begun = bytearray()

    def add(self, piece: bytes) -> list[bytes]:
        """The lines that this piece completes. Raises LineTooLong, and holds nothing then."""
        *whole, rest = piece.split(b"\n")
        if whole:
            whole[0] = bytes(self._begun) + whole[0]
            self._begun.clear()
        self._begun += rest
        if len(self._begun) > self._most or any(len(line) > self._most for line in whole):
            self._begun.clear()
            raise LineTooLong
        return [line.removesuffix(b"\r") for line in whole]
