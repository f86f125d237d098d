"""A tool server's question to the agent's model: its own text, no tools, and nothing of the user's conversation."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from handrail.agent.events import Ended, Finished
from handrail.agent.model import Model, ModelEvent, ModelRequest, ResponseEnded, Stop, TextArrived, Usage
from handrail.agent.sampling import ModelSampler
from handrail.contract.results import ImagePart, TextPart
from handrail.contract.sampling import SampleMessage, SampleRequest
from handrail.errors import ModelError, ModelFault, ToolFailed
from handrail.wire import Wire

COUNTED = Usage(20, output=4)

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


class Paying:
    """The loop of an agent, as far as servers have its model answer."""

    def __init__(self, model: Model, reached: Finished | None = None) -> None:
        self.model = model
        self.counted: list[tuple[Model, Usage, Usage]] = []
        self._reached = reached

    def limit_reached(self) -> Finished | None:
        return self._reached

    def answered_server(self, model: Model, usage: Usage, estimate: Usage) -> None:
        self.counted.append((model, usage, estimate))


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
        yield ResponseEnded(COUNTED, self._stop)


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
    sampled = await ModelSampler(Paying(model)).sample(ASKED)
    assert (sampled.text, sampled.model, sampled.stopped_by) == ("At six.", "pilot-1", "endTurn")
    (request,) = model.asked
    assert (request.system, request.max_tokens, request.menu.tools) == ("Answer as a pilot.", 50, ())
    assert list(request.messages) == CONVERSATIONS[wire]


async def test_an_answer_that_was_cut_says_so() -> None:
    model = Answering(Wire.ANTHROPIC, "At", stop=Stop.LENGTH)
    assert (await ModelSampler(Paying(model)).sample(ASKED)).stopped_by == "maxTokens"


async def test_a_model_that_can_not_be_reached_is_told_of() -> None:
    model = Answering(Wire.ANTHROPIC, "At", fault=ModelError(ModelFault.CUT, "the answer broke off"))
    with pytest.raises(ToolFailed, match="The model gave no answer: the answer broke off"):
        await ModelSampler(Paying(model)).sample(ASKED)


async def test_what_a_models_own_code_raises_is_told_too() -> None:
    class Failing(Answering):
        async def respond(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            yield TextArrived("At")
            raise KeyError("tides")

    payer = Paying(Failing(Wire.ANTHROPIC))
    with pytest.raises(ToolFailed, match="The model gave no answer: what asks pilot-1 failed: KeyError: 'tides'"):
        await ModelSampler(payer).sample(ASKED)
    assert len(payer.counted) == 1


async def test_pictures_are_refused_before_the_model_is_asked() -> None:
    model = Answering(Wire.ANTHROPIC)
    asked = SampleRequest("tides", (SampleMessage("user", (ImagePart(b"x", "image/png"),)),))
    with pytest.raises(ToolFailed, match="image/png"):
        await ModelSampler(Paying(model)).sample(asked)
    assert model.asked == []


async def test_what_an_answer_took_is_told_as_the_provider_counted_it_and_as_it_is_estimated() -> None:
    payer = Paying(Answering(Wire.ANTHROPIC, "At ", "six."))
    await ModelSampler(payer).sample(ASKED)
    ((model, usage, estimate),) = payer.counted
    assert (model, usage) == (payer.model, COUNTED)
    assert 10 < estimate.input < 30
    assert estimate.output == 2


async def test_an_answer_that_broke_off_is_told_too_but_not_one_of_which_nothing_came() -> None:
    fault = ModelError(ModelFault.CUT, "the answer broke off")
    some, none = (Paying(Answering(Wire.ANTHROPIC, *pieces, fault=fault)) for pieces in (("At",), ()))
    for payer in (some, none):
        with pytest.raises(ToolFailed):
            await ModelSampler(payer).sample(ASKED)
    assert [len(some.counted), len(none.counted)] == [1, 0]


async def test_where_a_limit_is_reached_the_model_is_not_asked() -> None:
    model = Answering(Wire.ANTHROPIC)
    payer = Paying(model, Finished(Ended.TOKENS, why="it used 10 tokens, and may use 5"))
    with pytest.raises(ToolFailed, match="The model is not asked: it used 10 tokens, and may use 5"):
        await ModelSampler(payer).sample(ASKED)
    with pytest.raises(ToolFailed, match="no model"):
        await ModelSampler().sample(ASKED)
    assert (model.asked, payer.counted) == ([], [])
