"""What surfaces and telemetry listen to. Events are told, never asked: nothing waits for a listener."""

from __future__ import annotations

from typing import TypeAlias

from handrail.contract.basics import CallId
from handrail.contract.calls import CallState
from handrail.contract.values import value


@value
class CallChanged:
    """A call entered a state."""

    state: CallState


@value
class OutputArrived:
    """A running call printed something."""

    call: CallId
    text: str


@value
class ProgressMade:
    """A running call said how far it is."""

    call: CallId
    fraction: float
    """From 0 to 1."""
    message: str


@value
class NoticeGiven:
    """Something a person should know."""

    call: CallId | None
    """None: about the session."""
    message: str


Event: TypeAlias = CallChanged | OutputArrived | ProgressMade | NoticeGiven
