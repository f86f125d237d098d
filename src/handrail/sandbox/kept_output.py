"""Keeps the first and the last bytes of a stream of any length, in bounded memory."""

from __future__ import annotations


class KeptOutput:
    """Half of `limit` bytes from the start, half from the end, and the count of what lies between."""

    def __init__(self, limit: int) -> None:
        self._half = max(limit // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, piece: bytes) -> None:
        self._total += len(piece)
        room = self._half - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        self._tail += piece
        if len(self._tail) > 2 * self._half:  # trimmed seldom, so that each byte moves at most twice
            del self._tail[: -self._half]

    @property
    def head(self) -> bytes:
        return bytes(self._head)

    @property
    def tail(self) -> bytes:
        return bytes(self._tail[-self._half :])

    @property
    def dropped(self) -> int:
        return self._total - len(self._head) - min(len(self._tail), self._half)
