"""The protocol between an agent's loop and a model: messages in, a stream of events out.

Whoever implements it knows one provider, or a script; whoever uses it knows neither.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from handrail.catalog import Menu
from handrail.contract.basics import JsonObject


@dataclass(frozen=True, slots=True)
class TextArrived:
    text: str


@dataclass(frozen=True, slots=True)
class ThinkingArrived:
    text: str


@dataclass(frozen=True, slots=True)
class ResponseEnded:
    """The whole response, as the provider would have sent it unstreamed. Always the last event."""

    response: JsonObject


ModelEvent: TypeAlias = TextArrived | ThinkingArrived | ResponseEnded


class Model(Protocol):
    """One model at one provider."""

    name: str

    def respond(self, messages: Sequence[JsonObject], menu: Menu) -> AsyncIterator[ModelEvent]:
        """Answers the conversation so far. The last event is ResponseEnded."""
        ...
