"""Models of other providers, by pydantic-ai: its own test models on the other side."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from asked import QUICK, asked_in_vain, request, response_in
from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelOverloadedError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelServerError,
    UnexpectedModelBehavior,
)
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ThinkingPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaThinkingPart, DeltaToolCall, FunctionModel
from pydantic_ai.models.test import TestModel

from handrail.agent.agent import open_agent
from handrail.agent.events import Ended, Finished
from handrail.agent.model import CallBegun, ResponseEnded, Stop, TextArrived, ThinkingArrived, Waiting
from handrail.agent.models.pydantic_ai_model import PydanticAiModel
from handrail.errors import ModelFault
from handrail.session import Session
from handrail.wire import Wire, encode
from wire.wire_answers import good_answers

Delta = Any


def streaming(*deltas: Delta, seen: list[list[ModelMessage]] | None = None) -> PydanticAiModel:
    """A model that streams these pieces, and notes what it was sent."""

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Delta]:
        if seen is not None:
            seen.append(list(messages))
        for delta in deltas:
            yield delta

    return PydanticAiModel(FunctionModel(stream_function=stream), patience=QUICK)


def failing(*errors: Exception) -> PydanticAiModel:
    """One that raises these, one after the other, and then speaks."""
    waiting = list(errors)

    async def stream(messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[Delta]:
        if waiting:
            raise waiting.pop(0)
        yield "Here."

    return PydanticAiModel(FunctionModel(stream_function=stream), patience=QUICK)


async def test_text_thinking_and_calls_are_told() -> None:
    model = streaming(
        {0: DeltaThinkingPart(content="Hm.", signature="sealed")},
        "Two ",
        "at once.",
        {2: DeltaToolCall("tide", '{"port": ', tool_call_id="a")},
        {2: DeltaToolCall(json_args='"Brest"}')},
        {3: DeltaToolCall("now", "{}", tool_call_id="b")},
    )
    events = await asked_all(model)
    assert "".join(event.text for event in events if isinstance(event, TextArrived)) == "Two at once."
    assert [event.text for event in events if isinstance(event, ThinkingArrived)] == ["Hm."]
    assert [event.name for event in events if isinstance(event, CallBegun)] == ["tide", "now"]
    assert isinstance(events[-1], ResponseEnded)
    assert events[-1].stop is Stop.CALLS
    response = response_in(events, Wire.NEUTRAL)
    assert [(call.wire_id, call.name) for call in response.calls] == [("a", "tide"), ("b", "now")]
    assert response.text == "Two at once."


async def asked_all(model: PydanticAiModel, *behind: Any) -> list[Any]:
    return [event async for event in model.respond(request(model.wire, *behind))]


async def test_what_a_provider_signed_goes_back_as_it_came() -> None:
    seen: list[list[ModelMessage]] = []
    model = streaming(
        {0: DeltaThinkingPart(content="Hm.", signature="sealed")},
        {1: DeltaToolCall("now", "{}", tool_call_id="a")},
        seen=seen,
    )
    response = response_in(await asked_all(model), Wire.NEUTRAL)
    await asked_all(model, *encode(response, good_answers(response)))
    first, answer, results = seen[1]
    assert isinstance(answer, ModelResponse)
    assert [type(part) for part in answer.parts] == [ThinkingPart, ToolCallPart]
    assert isinstance(answer.parts[0], ThinkingPart)
    assert answer.parts[0].signature == "sealed"
    assert isinstance(results.parts[0], ToolReturnPart)
    assert results.parts[0].tool_call_id == "a"
    assert getattr(results, "instructions", None) == "You help."
    assert getattr(first, "instructions", None) is None


@pytest.mark.parametrize(
    "kept",
    [None, {"parts": "nonsense"}, {"kind": "response", "parts": [{"part_kind": "text", "content": "other"}]}, [1]],
    ids=["none", "nonsense", "another's", "a list"],
)
async def test_a_turn_of_another_model_is_told_anew(kept: Any) -> None:
    seen: list[list[ModelMessage]] = []
    turn = {"text": "I look.", "calls": [{"id": "a", "name": "now", "arguments": {}}, {"id": "b", "name": "tide"}]}
    answers = [{"id": id, "name": name, "result": "x", "error": None} for id, name in (("a", "now"), ("b", "tide"))]
    results = {"results": answers}
    await asked_all(streaming("Yes.", seen=seen), {**turn, "pydantic_ai": kept}, results)
    answer = seen[0][1]
    assert isinstance(answer, ModelResponse)
    assert [type(part) for part in answer.parts] == [TextPart, ToolCallPart, ToolCallPart]


async def test_it_is_shown_the_menu() -> None:
    model = TestModel()
    events = await asked_all(PydanticAiModel(model))
    assert {event.name for event in events if isinstance(event, CallBegun)} == {"now", "tide"}
    parameters = model.last_model_request_parameters
    assert parameters is not None
    assert [tool.name for tool in parameters.function_tools] == ["now", "tide"]
    assert parameters.function_tools[1].parameters_json_schema["properties"]["port"]["type"] == "string"


@pytest.mark.parametrize(
    ("category", "status", "fault", "tries"),
    [
        (ModelAuthenticationError, 401, ModelFault.KEY, 1),
        (ModelContextWindowExceededError, 400, ModelFault.TOO_LONG, 1),
        (ModelQuotaExceededError, 429, ModelFault.LIMITED, 1),
        (ModelNotFoundError, 404, ModelFault.REFUSED, 1),
        (None, 418, ModelFault.REFUSED, 1),
        (ModelRateLimitError, 429, ModelFault.LIMITED, 3),
        (ModelServerError, 500, ModelFault.OVERLOADED, 3),
        (ModelOverloadedError, 529, ModelFault.OVERLOADED, 3),
    ],
)
async def test_a_providers_trouble_is_one_of_ours(category: Any, status: int, fault: ModelFault, tries: int) -> None:
    error = ModelHTTPError.for_category(category, status_code=status, model_name="m", body={"message": "no"})
    events, raised = await asked_in_vain(failing(*[error] * 3))
    assert raised.fault is fault
    assert len(events) == tries - 1
    assert "\n" not in str(raised)


async def test_the_providers_wait_is_kept_to() -> None:
    error = ModelHTTPError.for_category(ModelRateLimitError, status_code=429, model_name="m", retry_after=0.02)
    events = await asked_all(failing(error))
    assert [event.seconds for event in events if isinstance(event, Waiting)] == [0.02]


async def test_what_passes_is_tried_again() -> None:
    events = await asked_all(failing(ModelConnectionError("m", "gone")))
    assert isinstance(events[0], Waiting)
    assert response_in(events, Wire.NEUTRAL).text == "Here."


async def test_what_it_can_not_read_is_unreadable() -> None:
    _, error = await asked_in_vain(failing(UnexpectedModelBehavior("nonsense")))
    assert error.fault is ModelFault.UNREADABLE


async def test_an_agent_works_with_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    model = PydanticAiModel(TestModel(call_tools=["read_file"], custom_output_text="It says one."))
    async with Session.open(tmp_path) as session, open_agent(session, model) as agent:
        events = [event async for event in agent.send("What is in a.txt?")]
    assert events[-1] == Finished(Ended.DONE, "It says one.")
