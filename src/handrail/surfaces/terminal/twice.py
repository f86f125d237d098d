"""A key that does one thing once, and another when it is pressed again soon."""

from __future__ import annotations

import time

SOON = 2.0
"""Seconds."""


class Twice:
    def __init__(self) -> None:
        self._last = float("-inf")

    def is_again(self) -> bool:
        """The key was pressed. True when that was soon after the last time."""
        now = time.monotonic()
        before, self._last = self._last, now
        return now - before < SOON

    @property
    def is_fresh(self) -> bool:
        """Pressed now, it would be again."""
        return time.monotonic() - self._last < SOON
