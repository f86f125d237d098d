"""In whose name calls are made: the main model's of a session, or a subagent's."""

from __future__ import annotations

from dataclasses import dataclass, field

from handrail.contract.hooks import OfAgent
from handrail.policy import Mode
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
    depth: int = 0
    """How many agents stand between it and the person; 0 for the main one."""
    ledger: ConversationLedger = field(default_factory=ConversationLedger)
    """What it has been shown of files."""
