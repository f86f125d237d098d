"""The line at the bottom: the mode, always; then the model, how full its window is, what was spent. Pure."""

from __future__ import annotations

from handrail.contract.values import value
from handrail.surfaces.cli.text import printable

_GAP = "   "


@value
class Status:
    """What the line tells."""

    mode: str
    model: str = ""
    """Empty while none is chosen."""
    used: int = 0
    """Tokens of the window in use."""
    window: int = 0
    """0: nobody knows how large it is."""
    money: float | None = None
    """US dollars."""
    hint: str = ""
    """What a key would do now."""


def status_line(status: Status, width: int) -> str:
    """As many of the parts as fit in `width` columns, the mode first and whole."""
    parts = [
        status.mode,
        status.hint,
        printable(status.model) or "no model",
        _context(status.used, status.window),
        "" if status.money is None else f"${status.money:.2f}",
    ]
    line = parts[0]
    for part in filter(None, parts[1:]):
        if len(line) + len(_GAP) + len(part) <= width:
            line += _GAP + part
    return line


def _context(used: int, window: int) -> str:
    if window:
        share = f"{used / window:.0%}" if not 0 < used < window / 100 else "under 1%"
        return f"{share} of {_short(window)}"
    return f"{_short(used)} tokens" if used else ""


def _short(tokens: int) -> str:
    return (
        f"{tokens / 1_000_000:g}M"
        if tokens >= 1_000_000
        else f"{round(tokens / 1_000)}k"
        if tokens >= 1_000
        else str(tokens)
    )
