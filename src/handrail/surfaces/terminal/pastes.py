"""Long pastes stand as a few words where they are typed, and are sent whole. Pure."""

from __future__ import annotations

import re

MOST_LINES = 10
MOST_CHARACTERS = 2_000
"""Of a paste that stands there as it is."""

_STANDING = re.compile(r"\[paste (\d+): [\d,]+ (?:lines|characters)\]")


class Pastes:
    """The pastes of one terminal."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def stand_in(self, text: str) -> str:
        """What to show in place of a paste: itself where it is short."""
        lines = text.count("\n") + 1
        if lines <= MOST_LINES and len(text) <= MOST_CHARACTERS:
            return text
        size = f"{lines:,} lines" if lines > MOST_LINES else f"{len(text):,} characters"
        mark = f"[paste {len(self._texts) + 1}: {size}]"
        self._texts[mark] = text
        return mark

    def whole(self, text: str) -> str:
        """With every paste of this terminal in its place; what only looks like one is left alone."""
        return _STANDING.sub(lambda found: self._texts.get(found[0], found[0]), text)

    @staticmethod
    def are_in(text: str) -> bool:
        return _STANDING.search(text) is not None
