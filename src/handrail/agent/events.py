"""What an agent tells whoever watches it. How its calls move is told by the session's own events."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from handrail.agent.model import CallBegun, TextArrived, ThinkingArrived, Usage, Waiting
from handrail.contract.values import value
from handrail.runtime.turns import Turn


class Ended(StrEnum):
    """Why an agent's work on what it was told came to an end."""

    DONE = "done"
    """The model makes no more calls."""
    PARKED = "parked"
    """A call waits for somebody who answers later."""
    TURNS = "turns"
    TOKENS = "tokens"
    MONEY = "money"
    TIME = "time"
    """Limits that were set."""
    HOOK = "hook"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    """The model could not be reached, or its answer not be read; `Finished.why` says what to do."""


@value
class ResponseDone:
    """The model's response is whole. Its calls may still run."""

    usage: Usage


@value
class TurnEnded:
    """All calls of a response have their results, or rest."""

    turn: Turn


@value
class Compacted:
    """The conversation was made shorter. Tokens as estimated, before and after."""

    before: int
    after: int


@value
class Reported:
    """A subagent in the background has come to its end, and the model is told."""

    agent: str
    """Its id."""
    text: str


@value
class Finished:
    """Always the last event of `Agent.send`."""

    ended: Ended
    text: str = ""
    """What the model said last."""
    why: str = ""
    """For people: what stood in the way, and what to do about it; empty when it is done."""


AgentEvent: TypeAlias = (
    TextArrived | ThinkingArrived | CallBegun | Waiting | ResponseDone | TurnEnded | Compacted | Reported | Finished
)
