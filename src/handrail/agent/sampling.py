"""Lets a tool server ask the agent's own model. A person has said yes to the very request before it comes here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from handrail.agent.events import Finished
from handrail.agent.listening import listen
from handrail.agent.model import Model, ModelEvent, ModelRequest, ResponseEnded, Stop, TextArrived, Usage
from handrail.agent.tokens import estimated
from handrail.catalog.menu import menu_for, this_machine
from handrail.contract.basics import JsonObject
from handrail.contract.results import TextPart
from handrail.contract.sampling import Sampled, SampleMessage, SampleRequest
from handrail.errors import ToolFailed
from handrail.wire import Wire
from handrail.wire.response import Response
from handrail.wire.retelling import retold
from handrail.wire.user import encode_user, in_turn


class Payer(Protocol):
    """Whose model answers, and whose limits hold for what that costs: the loop of an agent."""

    @property
    def model(self) -> Model:
        """The one that answers now: a person may change it."""
        ...

    def limit_reached(self) -> Finished | None:
        """Of what may be spent: it is not asked then."""
        ...

    def answered_server(self, model: Model, usage: Usage, estimate: Usage) -> None:
        """The model gave an answer, or a part of one. `usage` may be nothing, where nobody counted."""
        ...


class ModelSampler:
    """Implements `contract.sampling.Sampler`. The model sees what the server sent and nothing else: no tools, and
    nothing of the user's conversation."""

    def __init__(self, payer: Payer | None = None) -> None:
        self.payer = payer
        """Set before the first call of a server's tool."""

    async def sample(self, request: SampleRequest) -> Sampled:
        if self.payer is None:
            raise ToolFailed("There is no model here that could answer.")
        if (reached := self.payer.limit_reached()) is not None:
            raise ToolFailed(f"The model is not asked: {reached.why}")
        model = self.payer.model
        messages = tuple(in_turn(_messages(request.messages, model.wire), model.wire))
        menu = menu_for((), model.name, this_machine(), lambda tool: None)
        text, ended = "", ResponseEnded()

        def hear(event: ModelEvent) -> None:
            nonlocal text, ended
            match event:
                case TextArrived(piece):
                    text += piece
                case ResponseEnded():
                    ended = event

        try:
            broken = await listen(model, ModelRequest(request.system, messages, menu, request.max_tokens), hear)
        finally:
            if text or ended.usage:
                self.payer.answered_server(model, ended.usage, _estimate(request, text))
        if broken is not None:
            raise ToolFailed(f"The model gave no answer: {broken}") from broken
        return Sampled(text, model.name, "maxTokens" if ended.stop is Stop.LENGTH else "endTurn")


def _estimate(request: SampleRequest, text: str) -> Usage:
    asked = "".join("".join(_text(message)) for message in request.messages)
    return Usage(estimated(request.system + asked), output=estimated(text))


def _messages(messages: tuple[SampleMessage, ...], wire: Wire) -> Iterator[JsonObject]:
    for message in messages:
        text = "\n".join(_text(message))
        if message.role == "user":
            yield encode_user(text, wire)
        else:
            yield from retold(Response(Wire.NEUTRAL, (), (), text, ""), wire, "said").assistant


def _text(message: SampleMessage) -> Iterator[str]:
    for part in message.parts:
        if not isinstance(part, TextPart):
            raise ToolFailed(f"The model is asked in text alone; leave out the part of type {part.media_type}.")
        yield part.text
