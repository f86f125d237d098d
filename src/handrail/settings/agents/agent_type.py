"""A kind of agent that may be given tasks: one of ours, the person's own, or trusted by content."""

from __future__ import annotations

from handrail.contract.values import value
from handrail.policy.modes import Mode
from handrail.policy.reach import Reach


@value
class AgentType:
    """What is the same for all agents of a kind."""

    name: str
    """Unique among those found: letters, digits, `-`, `_`, `.`."""
    description: str
    """One line: what it is good for, and when."""
    role: str
    """What its model is told first."""
    reach: Reach = Reach()
    mode: Mode | None = None
    """No looser than this; None: as whoever gives it a task."""
    model: str = ""
    """Empty: the model of whoever gives it a task."""
