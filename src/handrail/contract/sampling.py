"""A server's own question to a model: the port through which it gets an answer, once a person said yes to it."""

from __future__ import annotations

from typing import Literal, Protocol

from handrail.contract.results import AudioPart, ImagePart, TextPart
from handrail.contract.values import value


@value
class SampleMessage:
    """One message of the conversation that is to go on."""

    role: Literal["user", "assistant"]
    parts: tuple[TextPart | ImagePart | AudioPart, ...]


@value
class SampleRequest:
    """What a server wants a model to answer. All of it is the server's own text."""

    server: str
    messages: tuple[SampleMessage, ...]
    system: str = ""
    max_tokens: int = 1_000
    temperature: float | None = None
    stop: tuple[str, ...] = ()


@value
class Sampled:
    """What the model answered."""

    text: str
    model: str
    """Its name, as the server gets it."""
    stopped_by: Literal["endTurn", "stopSequence", "maxTokens"] = "endTurn"


class Sampler(Protocol):
    """Has a model answer. A person has said yes to this very request."""

    async def sample(self, request: SampleRequest) -> Sampled:
        """Raises ToolFailed where no answer can be had."""
        ...
