"""What an agent's loop needs of its session, beside the way of its calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from handrail.contract.context import Workspace
from handrail.contract.session_values import SessionValues
from handrail.contract.values import value
from handrail.contract.window import Window
from handrail.runtime.plan_mode import SessionPlanMode
from handrail.runtime.speaker import Speaker
from handrail.runtime.subagents import AgentSlot
from handrail.settings.load import Settings


@value
class AgentSupport:
    """One for each session."""

    workspace: Workspace
    values: SessionValues
    main: Speaker
    plan_mode: SessionPlanMode
    agents: AgentSlot
    settings: Settings
    notice: Callable[[str], None]
    """Tells people something."""
    speak: Callable[[str], None]
    """`Finder.speak`: the main model is another one."""
    window: Window
    """Of the main model."""
    until_kept: Callable[[str], Awaitable[None]]
    """`TurnRunner.until_kept`, for a parked turn of the main model."""
