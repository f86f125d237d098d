"""What an agent has used up."""

from __future__ import annotations

from handrail.agent.model import Usage
from handrail.contract.values import value


@value
class ForServers:
    """What servers had the model answer, each time with a person's yes."""

    answers: int = 0
    usage: Usage = Usage()
    money: float | None = None
    """US dollars; None while nobody knows a price."""

    def __sub__(self, earlier: ForServers) -> ForServers:
        """What came since."""
        return ForServers(
            self.answers - earlier.answers, _less(self.usage, earlier.usage), _since(self.money, earlier.money)
        )

    def __add__(self, other: ForServers) -> ForServers:
        return ForServers(self.answers + other.answers, self.usage + other.usage, _sum(self.money, other.money))


@value
class Spent:
    """Since the agent was opened, its subagents' share included, and that of servers which had its model answer."""

    usage: Usage = Usage()
    money: float | None = None
    """US dollars; None while nobody knows a price."""
    turns: int = 0
    """Responses of the model to agents."""
    seconds: float = 0.0
    """Of wall-clock time, while it worked."""
    for_servers: ForServers = ForServers()
    """Of `usage` and `money`, what was the servers'."""

    def __sub__(self, earlier: Spent) -> Spent:
        """What came since."""
        return Spent(
            _less(self.usage, earlier.usage),
            _since(self.money, earlier.money),
            self.turns - earlier.turns,
            self.seconds - earlier.seconds,
            self.for_servers - earlier.for_servers,
        )

    def __add__(self, other: Spent) -> Spent:
        return Spent(
            self.usage + other.usage,
            _sum(self.money, other.money),
            self.turns + other.turns,
            self.seconds + other.seconds,
            self.for_servers + other.for_servers,
        )


def _less(usage: Usage, then: Usage) -> Usage:
    return Usage(
        usage.input - then.input,
        usage.cached - then.cached,
        usage.written - then.written,
        usage.output - then.output,
    )


def _since(money: float | None, then: float | None) -> float | None:
    return None if money is None else money - (then or 0.0)


def _sum(money: float | None, more: float | None) -> float | None:
    known = [each for each in (money, more) if each is not None]
    return sum(known) if known else None
