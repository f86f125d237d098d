"""The local servers are judges: they speak as the providers do, and find what a provider would refuse."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from typing import Any

import anthropic
import openai
import pytest
from anthropic.types import Message, RawMessageStreamEvent
from google import genai
from google.genai.types import GenerateContentResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent

from handrail.catalog import Menu
from handrail.catalog.faces import family_of
from handrail.wire import Wire, decode, encode, encode_menu
from servers.provider_server import ProviderServer
from servers.script import Use, numbered, says
from servers.sdk_calls import MODEL, SDK_CALLS, SdkCall
from wire.sdk_types import problem
from wire.wire_answers import good_answers

SCRIPT = [
    says("Two at once.", Use("now", {}), Use("tide", {"port": "Brest"}), thinking="Both, then."),
    says("06:12."),
]
SENT: dict[Wire, tuple[Any, Any]] = {
    Wire.ANTHROPIC: (Message, RawMessageStreamEvent),
    Wire.OPENAI_CHAT: (ChatCompletion, ChatCompletionChunk),
    Wire.OPENAI_RESPONSES: (Response, ResponseStreamEvent),
    Wire.GEMINI: (GenerateContentResponse, GenerateContentResponse),
}
ERRORS = (anthropic.APIStatusError, openai.APIStatusError, genai.errors.APIError)
NOW = ("now", "What time it is.", {"type": "object"})
each_dialect = pytest.mark.parametrize("call", SDK_CALLS, ids=[call.id for call in SDK_CALLS])


@each_dialect
def test_a_server_sends_what_the_sdk_knows(call: SdkCall) -> None:
    dialect, (whole, event) = call.dialect(), SENT[call.dialect().wire]
    for turn in numbered(SCRIPT):
        assert problem(dialect.whole(turn), whole) == ""
        for _, data in dialect.events(turn):
            # A ping is known to the SDK's reader and to none of its types.
            if data not in ("[DONE]", {"type": "ping"}):
                assert problem(data, event) == ""


@each_dialect
def test_a_server_streams_what_it_would_send_whole(call: SdkCall) -> None:
    dialect = call.dialect()
    for turn in numbered(SCRIPT):
        events = [data for _, data in dialect.events(turn)]
        assert decode(events) == decode(dialect.whole(turn))


Body = dict[str, Any]


def request(call: SdkCall) -> Body:
    """The opening, the model's first turn and the answers to it, as the SDK would send them."""
    dialect = call.dialect()
    response = decode(dialect.whole(numbered(SCRIPT)[0]))
    messages = [call.opening, *encode(response, good_answers(response))]
    return copy.deepcopy({_key(dialect.wire): messages, "tools": encode_menu([NOW], dialect.wire)})


def judged(call: SdkCall, body: Body) -> str:
    with ProviderServer(call.dialect(), SCRIPT) as server:
        server.turn_for(body)
    return "; ".join(server.wrong)


def messages_of(body: Body) -> list[Any]:
    return next(body[key] for key in ("messages", "input", "contents") if key in body)


def results_of(body: Body) -> tuple[list[Any], int]:
    """The list that holds the two results, and where they start."""
    messages = messages_of(body)
    last = messages[-1]
    within = last.get("parts") or (last["content"] if isinstance(last.get("content"), list) else None)
    return (within, 0) if within else (messages, len(messages) - 2)


def _key(wire: Wire) -> str:
    return {Wire.OPENAI_RESPONSES: "input", Wire.GEMINI: "contents"}.get(wire, "messages")


@each_dialect
def test_a_right_conversation_is_answered(call: SdkCall) -> None:
    assert judged(call, request(call)) == ""


def lose_a_result(body: Body) -> None:
    results, start = results_of(body)
    del results[start]


def repeat_a_result(body: Body) -> None:
    results, start = results_of(body)
    results.append(results[start])


def swap_the_results(body: Body) -> None:
    results, start = results_of(body)
    results[start:] = results[: start - 1 if start else None : -1]


def answer_somebody_else(body: Body) -> None:
    results, start = results_of(body)
    named = results[start].get("functionResponse", results[start])
    for key in ("tool_use_id", "tool_call_id", "call_id", "id", "name"):
        if key in named:
            named[key] = "nobody"


def lose_all_results(body: Body) -> None:
    results, start = results_of(body)
    del results[start:]
    if not results:
        messages_of(body).pop()


def speak_before_the_results(body: Body) -> None:
    messages = messages_of(body)
    results, start = results_of(body)
    messages.insert(start if results is messages else len(messages) - 1, messages[0])


def lose_the_models_turn(body: Body) -> None:
    messages = messages_of(body)
    results, start = results_of(body)
    del messages[1 : start if results is messages else len(messages) - 1]


def change_what_the_model_asked(body: Body) -> None:
    text = json.dumps(messages_of(body)).replace("Brest", "Toulon")
    messages_of(body)[:] = json.loads(text)


def go_on_without_the_user(body: Body) -> None:
    del messages_of(body)[0]


def forget_the_tools(body: Body) -> None:
    body["tools"] = []


def send_a_tool_twice(body: Body) -> None:
    body["tools"] = body["tools"] * 2


def send_what_is_no_message(body: Body) -> None:
    messages_of(body)[0] = {"role": "user", "content": 7, "parts": 7}


SPOILT: list[tuple[Callable[[Body], None], str]] = [
    (lose_a_result, "no result for"),
    (repeat_a_result, r"1 result\(s\) too many"),
    (swap_the_results, "in another order"),
    (answer_somebody_else, "too many for 'nobody'"),
    (lose_all_results, "the last turn is the model's own"),
    (speak_before_the_results, "user can't speak after model"),
    (lose_the_models_turn, "tools can't speak after user"),
    (change_what_the_model_asked, "and it came back as"),
    (go_on_without_the_user, "model can't speak after nobody"),
    (forget_the_tools, "no tools were sent"),
    (send_a_tool_twice, "sent twice"),
    (send_what_is_no_message, "not a message that the SDK knows"),
]


@pytest.mark.parametrize(("spoil", "said"), SPOILT, ids=[spoil.__name__ for spoil, _ in SPOILT])
@each_dialect
def test_a_spoilt_conversation_is_refused(call: SdkCall, spoil: Callable[[Body], None], said: str) -> None:
    body = request(call)
    spoil(body)
    assert re.search(said, judged(call, body))


@each_dialect
async def test_a_refusal_reaches_whoever_uses_the_sdk_as_an_error(call: SdkCall) -> None:
    with ProviderServer(call.dialect(), SCRIPT) as server, pytest.raises(ERRORS, match="no tools were sent"):
        await call.ask(call.async_client(server.url), Menu(family_of(MODEL), (), ()), [call.opening], False)


def test_anthropic_results_come_before_anything_else_in_their_message() -> None:
    call = SDK_CALLS[0]
    body = request(call)
    results, _ = results_of(body)
    results.insert(0, {"type": "text", "text": "By the way:"})
    assert "user can't speak after model" in judged(call, body)


def test_a_script_ends() -> None:
    call = SDK_CALLS[0]
    with ProviderServer(call.dialect(), SCRIPT[:1]) as server:
        assert server.turn_for(request(call)) == "the script is over"
