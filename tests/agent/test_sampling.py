"""A tool server's question to the agent's model: its own text, no tools, and nothing of the user's conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from handrail.agent.model import ModelEvent, ModelRequest, ResponseEnded, Stop, TextArrived, Usage
from handrail.agent.sampling import ModelSampler
from handrail.contract.results import ImagePart, TextPart
from handrail.contract.sampling import SampleMessage, SampleRequest
from handrail.errors import ModelError, ModelFault, ToolFailed
from handrail.wire import Wire

ASKED = SampleRequest(
    "tides",
    (
        SampleMessage("user", (TextPart("When is it high water?"),)),
        SampleMessage("assistant", (TextPart("Where?"),)),
        SampleMessage("user", (TextPart("Brest."), TextPart("Today."))),
    ),
    system="Answer as a pilot.",
    max_tokens=50,
)


class Answering:
    """A model that answers with these pieces, and keeps what it was asked."""

    name = "pilot-1"
    window = 0

    def __init__(self, wire: Wire, *pieces: str, stop: Stop = Stop.END, fault: ModelError | None = None) -> None:
        self.wire = wire
        self.asked: list[ModelRequest] = []
        self._pieces, self._stop, self._fault = pieces, stop, fault

    async def respond(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.asked.append(request)
        for piece in self._pieces:
            yield TextArrived(piece)
        if self._fault is not None:
            raise self._fault
        yield ResponseEnded(Usage(), self._stop)


CONVERSATIONS = {
    Wire.ANTHROPIC: [
        {"role": "user", "content": "When is it high water?"},
        {"role": "assistant", "content": [{"type": "text", "text": "Where?"}]},
        {"role": "user", "content": "Brest.\nToday."},
    ],
    Wire.OPENAI_CHAT: [
        {"role": "user", "content": "When is it high water?"},
        {"role": "assistant", "content": "Where?"},
        {"role": "user", "content": "Brest.\nToday."},
    ],
    Wire.GEMINI: [
        {"role": "user", "parts": [{"text": "When is it high water?"}]},
        {"role": "model", "parts": [{"text": "Where?"}]},
        {"role": "user", "parts": [{"text": "Brest.\nToday."}]},
    ],
}


@pytest.mark.parametrize("wire", CONVERSATIONS)
async def test_the_model_is_asked_what_the_server_said_and_nothing_else(wire: Wire) -> None:
    model = Answering(wire, "At ", "six.")
    sampled = await ModelSampler(lambda: model).sample(ASKED)
    assert (sampled.text, sampled.model, sampled.stopped_by) == ("At six.", "pilot-1", "endTurn")
    (request,) = model.asked
    assert (request.system, request.max_tokens, request.menu.tools) == ("Answer as a pilot.", 50, ())
    assert list(request.messages) == CONVERSATIONS[wire]


async def test_an_answer_that_was_cut_says_so() -> None:
    model = Answering(Wire.ANTHROPIC, "At", stop=Stop.LENGTH)
    assert (await ModelSampler(lambda: model).sample(ASKED)).stopped_by == "maxTokens"


async def test_a_model_that_can_not_be_reached_is_told_of() -> None:
    model = Answering(Wire.ANTHROPIC, "At", fault=ModelError(ModelFault.CUT, "the answer broke off"))
    with pytest.raises(ToolFailed, match="The model gave no answer: the answer broke off"):
        await ModelSampler(lambda: model).sample(ASKED)


async def test_pictures_are_refused_before_the_model_is_asked() -> None:
    model = Answering(Wire.ANTHROPIC)
    asked = SampleRequest("tides", (SampleMessage("user", (ImagePart(b"x", "image/png"),)),))
    with pytest.raises(ToolFailed, match="image/png"):
        await ModelSampler(lambda: model).sample(asked)
    assert model.asked == []
