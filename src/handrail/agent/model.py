"""The protocol between an agent's loop and a model: a conversation in, a stream of events out.

Whoever implements it knows one provider, or a script; whoever uses it knows neither.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

from handrail.contract.basics import JsonObject
from handrail.contract.values import value
from handrail.wire import Wire

if TYPE_CHECKING:  # a prompt is there sooner without it, and whoever makes a request has it
    from handrail.catalog import Menu


@value
class ModelRequest:
    """One question to a model."""

    system: str
    messages: tuple[JsonObject, ...]
    """The conversation so far, in the form of the model's wire, the oldest first."""
    menu: Menu
    max_tokens: int = 0
    """Tokens that the answer may have at most; 0 leaves that to the model's client."""


@value
class Usage:
    """Tokens of one response, or of several added up. 0 where the provider does not say."""

    input: int = 0
    """All that the model read, from a cache or not."""
    cached: int = 0
    """Of `input`, what was read from the provider's cache."""
    written: int = 0
    """Of `input`, what was put into the provider's cache."""
    output: int = 0
    """All that the model wrote, its thinking too."""

    def __bool__(self) -> bool:
        return bool(self.input or self.output)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.written + other.written,
            self.output + other.output,
        )


class Stop(StrEnum):
    """Why a response ended."""

    END = "end"
    """The model had said all it wanted."""
    CALLS = "calls"
    LENGTH = "length"
    """It reached the most tokens that it may have."""
    REFUSED = "refused"
    """The provider or the model would not go on."""
    PAUSED = "paused"
    """Sent back as it is, the model goes on."""


@value
class TextArrived:
    text: str


@value
class ThinkingArrived:
    text: str


@value
class CallBegun:
    """The model has begun to write a call. It runs, if at all, once it is whole."""

    name: str


@value
class Received:
    """One event of the provider's stream, or a whole unstreamed response: what the runtime takes calls from."""

    event: JsonObject


@value
class Waiting:
    """The provider can't answer now; the same request is sent again after a while."""

    seconds: float
    why: str


@value
class ResponseEnded:
    """Always the last event."""

    usage: Usage = Usage()
    stop: Stop = Stop.END


ModelEvent: TypeAlias = TextArrived | ThinkingArrived | CallBegun | Received | Waiting | ResponseEnded


class Model(Protocol):
    """One model at one provider."""

    name: str
    """As its provider knows it; the model's family follows from it."""
    wire: Wire
    """The form of `ModelRequest.messages`, and of the events in `Received`."""
    window: int
    """Tokens that a conversation and its answer may have together; 0 where nobody knows."""

    def respond(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Answers the conversation so far. The last event is ResponseEnded.

        Retries by itself while nothing of an answer was received. Raises ModelError: see its kinds. Closing the
        iterator closes the connection.
        """
        ...
