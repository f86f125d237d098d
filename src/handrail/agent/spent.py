"""What an agent has used up."""

from __future__ import annotations

from handrail.agent.model import Usage
from handrail.contract.values import value


@value
class Spent:
    """Since the agent was opened, its subagents' share included."""

    usage: Usage = Usage()
    money: float | None = None
    """US dollars; None while nobody knows a price."""
    turns: int = 0
    """Responses of the model."""
    seconds: float = 0.0
    """Of wall-clock time, while it worked."""

    def __sub__(self, earlier: Spent) -> Spent:
        """What came since."""
        usage, then = self.usage, earlier.usage
        return Spent(
            Usage(
                usage.input - then.input,
                usage.cached - then.cached,
                usage.written - then.written,
                usage.output - then.output,
            ),
            None if self.money is None else self.money - (earlier.money or 0.0),
            self.turns - earlier.turns,
            self.seconds - earlier.seconds,
        )

    def __add__(self, other: Spent) -> Spent:
        known = [money for money in (self.money, other.money) if money is not None]
        return Spent(
            self.usage + other.usage,
            sum(known) if known else None,
            self.turns + other.turns,
            self.seconds + other.seconds,
        )
