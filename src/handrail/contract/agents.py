"""Subagents: what a tool asks of them, what they say, and what is known of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from handrail.contract.values import value

AGENT = "agent"
SEND_MESSAGE = "send_message"
"""The tools that give tasks to agents, and tell them more."""


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


@value
class AgentOrder:
    """A task for a new subagent."""

    type: str
    task: str
    """In a few words, for people."""
    prompt: str
    """All that it is told."""
    name: str = ""
    """To be called by, beside its id."""
    model: str = ""
    """Empty: as its kind says, or its caller's own."""
    background: bool = False


@value
class AgentReply:
    """What a subagent said, or that it is at work."""

    agent: AgentStatus
    text: str
    why: str = ""
    """Why it ended before it was done, or failed; empty when it is done."""


class Agents(Protocol):
    """Gives tasks to subagents, in the name of the model that makes the call."""

    async def start(self, order: AgentOrder) -> AgentReply:
        """Waits until it is done, unless it is to work in the background. Raises ToolFailed where there is no such
        kind of agent, or too many are at work.
        """
        ...

    async def tell(self, to: str, message: str) -> AgentReply:
        """Tells a subagent more. One that has ended goes on with its conversation, and is waited for; one that runs
        hears of it with its next request. Raises ToolFailed where there is none of this id or name.
        """
        ...
