"""What an agent's loop needs of its session, beside the way of its calls."""

from __future__ import annotations

from handrail.contract.context import Workspace
from handrail.contract.session_values import SessionValues
from handrail.contract.values import value
from handrail.runtime.ledger import ConversationLedger
from handrail.runtime.plan_mode import SessionPlanMode


@value
class AgentSupport:
    """One for each session."""

    workspace: Workspace
    values: SessionValues
    ledger: ConversationLedger
    plan_mode: SessionPlanMode
