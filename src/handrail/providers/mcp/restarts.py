"""When a server that ended is started again: soon at first, then less and less, and in the end no more."""

from __future__ import annotations

FIRST = 0.5
LONGEST = 30.0
"""Seconds."""
MOST = 6
"""Starts in a row that may fail."""
STABLE = 60.0
"""Seconds after which all is forgotten."""


class Restarts:
    def __init__(self) -> None:
        self._failed = 0

    def pause(self, used: float) -> float | None:
        """Seconds until the next start of a server that could be used for so long; None: it is not worth another."""
        self._failed = 1 if used >= STABLE else self._failed + 1
        return None if self._failed >= MOST else min(FIRST * 2 ** (self._failed - 1), LONGEST)
