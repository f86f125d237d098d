"""Subagents, as tools and surfaces see them."""

from __future__ import annotations

from enum import StrEnum

from handrail.contract.values import value


class AgentState(StrEnum):
    """Where a subagent stands."""

    RUNNING = "running"
    FINISHED = "finished"
    """It said what it had to say; told more, it goes on."""
    FAILED = "failed"
    STOPPED = "stopped"


@value
class AgentStatus:
    """One subagent of a session."""

    id: str
    type: str
    """Which kind of agent: `explore`, or the name of one that a file describes."""
    task: str
    """What it works on, in a few words."""
    state: AgentState
    background: bool
    """Its caller did not wait for it."""
