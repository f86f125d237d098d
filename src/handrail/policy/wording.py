"""How reasons repeat a part of a call: whole where it is short, cut where it is long."""

from __future__ import annotations

SHOWN = 200
"""Characters of a command or path that a reason repeats."""


def shortened(part: str) -> str:
    """One line, not too long."""
    line = " ".join(part.split())
    return line if len(line) <= SHOWN else line[: SHOWN - 1] + "…"


def sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else text + "."
