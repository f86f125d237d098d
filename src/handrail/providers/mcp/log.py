"""What a server says on stderr: its last words are kept."""

from __future__ import annotations

from handrail.sandbox.kept_output import KeptOutput

KEPT = 64 << 10
"""Bytes of the end that are kept."""
_LINE_SHOWN = 200


class ServerLog:
    """Of one server, over all its lives."""

    def __init__(self) -> None:
        self._kept = KeptOutput(KEPT)

    def add(self, piece: bytes) -> None:
        self._kept.add(piece)

    def noise(self, line: bytes) -> None:
        """It stood where only messages should."""
        self.add(b"[on stdout] " + line[:_LINE_SHOWN] + b"\n")

    def last_line(self) -> str:
        """The last that says something, for a message; empty when it said nothing."""
        text = (self._kept.tail or self._kept.head).decode("utf-8", "replace")
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1].strip()[:_LINE_SHOWN] if lines else ""
