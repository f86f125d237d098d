"""What to do about a search that ripgrep can't make. Pure."""

from __future__ import annotations

_ADVICE = (
    ("look-around", "Search for a part that needs none, and look through what it finds."),
    ("backreferences", "Search for a part that needs none, and look through what it finds."),
    ("not allowed in a regex", "Set multiline=true to match across lines."),
    ("unrecognized file type", "Use glob instead, such as *.py."),
    ("unknown encoding", "Use a name such as latin1, gbk, shift_jis or utf-16le."),
    ("size limit", "Use a pattern with fewer or smaller repetitions."),
)
"""A part of ripgrep's message, and what to do."""


def advice_on(message: str) -> str:
    """One sentence."""
    advice = next((advice for part, advice in _ADVICE if part in message), None)
    return advice or "Correct the pattern, or set literal=true to find it as it stands."
