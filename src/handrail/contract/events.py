"""What surfaces and telemetry listen to. Events are told, never asked: nothing waits for a listener."""

from __future__ import annotations

import math
from typing import TypeAlias

from handrail.contract.basics import CallId
from handrail.contract.calls import CallState
from handrail.contract.provider import SourceStatus
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
    fraction: float | None
    """From 0 to 1; None where it can't be known."""
    message: str


def fraction_of(done: float, total: float | None) -> float | None:
    """How far `done` steps of `total` are, at most 1; None without a total that means anything."""
    if total is None or not (total > 0 and math.isfinite(total)):
        return None
    return fraction_within(done / total)


def fraction_within(fraction: float | None) -> float | None:
    """Cut to what lies between 0 and 1; None for what is no number."""
    return None if fraction is None or math.isnan(fraction) else min(1.0, max(0.0, fraction))


@value
class NoticeGiven:
    """Something a person should know."""

    call: CallId | None
    """None: about the session."""
    message: str


@value
class TopicSet:
    """The model said what it is at from here on: a heading for the calls that follow."""

    call: CallId
    title: str
    intent: str
    """What it wants to do next, and why."""
    summary: str
    """What was done so far; may be empty."""


@value
class SourceChanged:
    """It stands otherwise with a source of tools: a server is ready, or has failed."""

    status: SourceStatus


Event: TypeAlias = CallChanged | OutputArrived | ProgressMade | NoticeGiven | TopicSet | SourceChanged
