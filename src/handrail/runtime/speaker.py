"""In whose name calls are made: the main model's of a session, or a subagent's."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from handrail.contract.hooks import OfAgent
from handrail.policy import Mode
from handrail.policy.modes import stricter
from handrail.policy.reach import Reach
from handrail.runtime.ledger import ConversationLedger


@dataclass(frozen=True, slots=True, eq=False)
class Speaker:
    """One conversation's model, as the calls that come from it are judged."""

    agent: OfAgent | None = None
    """None: the main one."""
    mode: Mode | None = None
    """No looser than this; None: as the session's."""
    reach: tuple[Reach, ...] = ()
    """All of which a tool must be within."""
    above: tuple[str, ...] = ()
    """The kinds of the agents that it works for, its caller's last."""
    depth: int = 0
    """How many agents stand between it and the person; 0 for the main one."""
    model: str = ""
    """By its name, for the words that its family knows; empty: the main one."""
    ledger: ConversationLedger = field(default_factory=ConversationLedger)
    """What it has been shown of files."""

    def within(self, reach: tuple[Reach, ...], mode: Mode | None, above: tuple[str, ...]) -> Speaker:
        """The same one with no more than this."""
        return replace(
            self,
            mode=stricter(self.mode, mode),
            reach=tuple(dict.fromkeys((*self.reach, *reach))),
            above=tuple(dict.fromkeys((*self.above, *above))),
        )

    @property
    def kinds(self) -> tuple[str, ...]:
        """Those above it, and its own: what whoever works for it is under."""
        return self.above if self.agent is None else (*self.above, self.agent.type)
