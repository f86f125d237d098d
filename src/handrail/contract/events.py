"""What surfaces and telemetry listen to. Events are told, never asked: nothing waits for a listener."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from handrail.contract.basics import CallId
from handrail.contract.calls import CallState


@dataclass(frozen=True, slots=True)
class CallChanged:
    """A call entered a state."""

    state: CallState


@dataclass(frozen=True, slots=True)
class OutputArrived:
    call: CallId
    text: str


@dataclass(frozen=True, slots=True)
class ProgressMade:
    call: CallId
    fraction: float
    """From 0 to 1."""
    message: str


@dataclass(frozen=True, slots=True)
class NoticeGiven:
    call: CallId | None
    """None: about the session."""
    message: str


Event: TypeAlias = CallChanged | OutputArrived | ProgressMade | NoticeGiven
