"""What a client needs of one response's events. How calls are put together is the wire's business, not told here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, TypeAlias

from handrail.agent.model import CallBegun, Stop, TextArrived, ThinkingArrived, Usage
from handrail.contract.basics import Json, JsonObject

Told: TypeAlias = TextArrived | ThinkingArrived | CallBegun


class Teller(Protocol):
    """Follows one response."""

    ended: bool
    """Its stream said that it is whole."""
    usage: Usage
    """As the newest event has it."""
    stop: Stop
    """Means something once it ended."""
    failed: JsonObject
    """What the provider sent in the middle of the stream instead of going on; empty where it did not."""

    def tell(self, event: JsonObject) -> Iterator[Told]:
        """Takes one event, or a whole unstreamed response."""
        ...


def count(value: Json) -> int:
    """A number of tokens; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def said(text: str) -> Iterator[Told]:
    if text:
        yield TextArrived(text)


def thought(text: str) -> Iterator[Told]:
    if text:
        yield ThinkingArrived(text)
