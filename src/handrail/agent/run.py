"""One piece of work of a loop: what it has used up of its limits, and what went wrong in a row."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from handrail.agent.events import Ended, Finished
from handrail.agent.limits import Limits
from handrail.agent.model import Stop
from handrail.agent.spent import Spent
from handrail.contract.values import mutable

N = TypeVar("N", int, float)


@mutable
class Run:
    """From what the user says to the end of the work on it."""

    before: Spent
    """What the loop had spent when it began."""
    begun: float
    """By the loop's clock, in seconds."""
    said: str = ""
    """What the model said last."""
    last: Stop = Stop.END
    turns: int = 0
    """Its own responses."""
    cuts: int = 0
    lengths: int = 0
    """Responses in a row that broke off, and that reached the most tokens."""
    compacted: bool = False
    """Since the model said that it was too much."""

    def made_all(self, limits: Limits) -> Finished | None:
        """All the responses that it may make. Time is watched elsewhere, for it ends in the middle of a call too."""
        if limits.turns and self.turns >= limits.turns:
            return Finished(Ended.TURNS, why=f"it made {self.turns} responses, the most that it may")
        return None

    def spent_up(self, limits: Limits, spent: Spent) -> Finished | None:
        """The first limit of what can be spent that is reached."""
        used = spent - self.before
        tokens, money = used.usage.input + used.usage.output, used.money or 0.0
        if limits.tokens and tokens >= limits.tokens:
            return Finished(Ended.TOKENS, why=f"it used {tokens:,} tokens, and may use {limits.tokens:,}")
        if limits.money and money >= limits.money:
            return Finished(Ended.MONEY, why=f"it cost ${money:.4f}, and may cost ${limits.money:g}")
        return None

    def left(self, limits: Limits, spent: Spent, now: float) -> Limits:
        """What a subagent may spend: what is left of these."""
        used = spent - self.before
        return replace(
            limits,
            tokens=_left(limits.tokens, used.usage.input + used.usage.output, 1),
            money=_left(limits.money, used.money or 0.0, 0.0001),
            seconds=_left(limits.seconds, now - self.begun, 0.001),
        )


def _left(limit: N, used: N, least: N) -> N:
    """No limit stays none; one that is used up leaves the least there is."""
    return max(limit - used, least) if limit else limit
