"""How much an agent may spend on what it was told."""

from __future__ import annotations

from handrail.contract.values import value


@value
class Limits:
    """Bounds of one `Agent.send`; 0 sets none. They are looked at between two responses."""

    turns: int = 100
    """Responses of the model."""
    tokens: int = 0
    """Tokens that the model reads and writes, its subagents' too."""
    money: float = 0.0
    """US dollars. A model whose price nobody knows is not asked at all where there is such a limit."""
    seconds: float = 0.0
    """Of wall-clock time."""


USUAL = Limits()
