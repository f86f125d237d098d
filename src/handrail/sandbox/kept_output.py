"""Keeps the first and the last bytes of a stream of any length, in bounded memory."""

from __future__ import annotations

from collections import deque

_LARGE = 4_096
"""Bytes of a piece that is kept as it came; smaller ones are joined, so that they cost no more than their bytes."""


class KeptOutput:
    """Half of `limit` bytes from the start, half from the end, and the count of what lies between."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail: deque[bytes | bytearray] = deque()
        """Together at least the last half, and never without its first piece; no byte of it is moved."""
        self._in_tail = 0
        self._total = 0

    def add(self, piece: bytes) -> None:
        self._total += len(piece)
        room = self._half - len(self._head)
        if room > 0:
            self._head += piece[:room]
            piece = piece[room:]
        if not piece:
            return
        self._append(piece)
        while self._in_tail - len(self._tail[0]) >= self._half:
            self._in_tail -= len(self._tail.popleft())
            if not self._tail:
                break

    def _append(self, piece: bytes) -> None:
        self._in_tail += len(piece)
        last = self._tail[-1] if self._tail else b""
        if isinstance(last, bytearray) and len(last) + len(piece) <= _LARGE:
            last += piece
        elif len(piece) < _LARGE:
            self._tail.append(bytearray(piece))
        else:
            self._tail.append(piece)

    @property
    def head(self) -> bytes:
        return bytes(self._head)

    @property
    def tail(self) -> bytes:
        return b"".join(self._tail)[-self._half :] if self._half else b""

    @property
    def dropped(self) -> int:
        return self._total - len(self._head) - min(self._in_tail, self._half)
