"""Lets a tool server ask the agent's own model. A person has said yes to the very request before it comes here."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterator

from handrail.agent.model import Model, ModelRequest, ResponseEnded, Stop, TextArrived
from handrail.catalog.menu import menu_for, this_machine
from handrail.contract.basics import JsonObject
from handrail.contract.results import TextPart
from handrail.contract.sampling import Sampled, SampleMessage, SampleRequest
from handrail.errors import ModelError, ToolFailed
from handrail.wire import Wire
from handrail.wire.response import Response
from handrail.wire.retelling import retold
from handrail.wire.user import encode_user, in_turn


class ModelSampler:
    """Implements `contract.sampling.Sampler`. The model sees what the server sent and nothing else: no tools, and
    nothing of the user's conversation."""

    def __init__(self, model: Callable[[], Model]) -> None:
        """`model` gives the one that answers now: a person may change it."""
        self._model = model

    async def sample(self, request: SampleRequest) -> Sampled:
        model = self._model()
        messages = tuple(in_turn(_messages(request.messages, model.wire), model.wire))
        menu = menu_for((), model.name, this_machine(), lambda tool: None)
        text, stop = "", Stop.END
        answer = model.respond(ModelRequest(request.system, messages, menu, request.max_tokens))
        try:
            async for event in answer:
                match event:
                    case TextArrived(piece):
                        text += piece
                    case ResponseEnded(stop=ended):
                        stop = ended
        except ModelError as error:
            raise ToolFailed(f"The model gave no answer: {error}") from error
        finally:
            if isinstance(answer, AsyncGenerator):  # a cancelled call leaves no open connection
                await answer.aclose()
        return Sampled(text, model.name, "maxTokens" if stop is Stop.LENGTH else "endTurn")


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
