"""The whole body of a request, on each wire: what the official SDKs take for one, with marks for caches."""

from __future__ import annotations

import json
from typing import Any, get_type_hints

import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from google.genai.types import Content, GenerationConfig, Tool
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from sdk_types import problem
from wire_answers import bad_answers, good_answers

from handrail.wire import Habits, Question, Wire, decode, encode, encode_menu, encode_request
from handrail.wire.user import encode_user
from servers.provider_server import DIALECTS
from servers.script import Use, numbered, says

WIRES = [wire for wire in Wire if wire is not Wire.NEUTRAL]
BODIES: dict[Wire, Any] = {
    Wire.ANTHROPIC: MessageCreateParamsStreaming,
    Wire.OPENAI_CHAT: CompletionCreateParamsStreaming,
    Wire.OPENAI_RESPONSES: ResponseCreateParamsStreaming,
}
TOOLS = [
    ("now", "What time it is.", {"type": "object", "properties": {}}),
    ("tide", "When.", {"type": "object", "properties": {"port": {"type": "string"}}}),
]
TURN = says("Two at once.", Use("now", {}), Use("tide", {"port": "Brest"}), thinking="Both, then.")
MARK = {"type": "ephemeral"}
each_wire = pytest.mark.parametrize("wire", WIRES)


def question(wire: Wire, turns: int = 1, *, bad: bool = False, **said: Any) -> Question:
    """A conversation of so many turns with results."""
    messages = [encode_user("Look around.", wire)]
    for turn in numbered([TURN] * turns):
        response = decode(DIALECTS[wire]().whole(turn), wire)
        messages += encode(response, (bad_answers if bad else good_answers)(response))
    given: dict[str, Any] = {"system": "You help.", "tools": encode_menu(TOOLS, wire), "max_tokens": 1000, **said}
    return Question("big", messages=tuple(messages), **given)


def wrong(body: Any, wire: Wire) -> str:
    """What the SDK has against a body; empty for nothing."""
    if wire is not Wire.GEMINI:
        unknown = set(body) - set(get_type_hints(BODIES[wire]))
        return problem(body, BODIES[wire]) or (f"unknown keys {unknown}" if unknown else "")
    parts = {
        "contents": list[Content],
        "systemInstruction": Content,
        "tools": list[Tool],
        "generationConfig": GenerationConfig,
    }
    return "; ".join(filter(None, (problem(value, parts[key]) for key, value in body.items())))


@pytest.mark.parametrize("habits", [Habits(), Habits("max_completion_tokens", cache_key=True, asks_usage=False)])
@pytest.mark.parametrize("said", [{}, {"system": ""}, {"tools": []}, {"max_tokens": 0}], ids=str)
@pytest.mark.parametrize("turns", [0, 1, 3])
@each_wire
def test_a_body_is_one_that_the_sdk_takes(wire: Wire, turns: int, said: dict[str, Any], habits: Habits) -> None:
    if wire is Wire.OPENAI_RESPONSES:
        habits = Habits(cache_key=habits.cache_key, sealed_thinking=True)
    if wire is Wire.ANTHROPIC:
        said = {key: value for key, value in said.items() if key != "max_tokens"}  # it must be told
    body = encode_request(question(wire, turns, habits=habits, **said), wire)
    assert wrong(body, wire) == ""
    json.dumps(body)


@each_wire
def test_a_body_with_failed_calls_is_one_that_the_sdk_takes(wire: Wire) -> None:
    assert wrong(encode_request(question(wire, 2, bad=True), wire), wire) == ""


def test_the_neutral_wire_has_no_provider() -> None:
    with pytest.raises(ValueError, match="neutral"):
        encode_request(Question("m", "", (), ()), Wire.NEUTRAL)


def marks(value: Any) -> int:
    return json.dumps(value).count('"cache_control"')


@pytest.mark.parametrize("turns", [1, 2, 3, 5])
def test_anthropic_gets_four_marks_at_the_ends_of_what_stays(turns: int) -> None:
    body: Any = encode_request(question(Wire.ANTHROPIC, turns), Wire.ANTHROPIC)
    assert marks(body) == 4
    assert body["tools"][-1]["cache_control"] == MARK
    assert body["system"][-1]["cache_control"] == MARK
    by_user = [message for message in body["messages"] if message["role"] == "user"]
    assert all(message["content"][-1]["cache_control"] == MARK for message in by_user[-2:])


def test_the_first_request_is_marked_at_its_end() -> None:
    body: Any = encode_request(question(Wire.ANTHROPIC, 0, system="", tools=[]), Wire.ANTHROPIC)
    content = [{"type": "text", "text": "Look around.", "cache_control": MARK}]
    assert body["messages"] == [{"role": "user", "content": content}]


@pytest.mark.parametrize("last", [{"type": "text", "text": ""}, {"type": "thinking", "thinking": "x"}, "odd"])
def test_what_may_carry_no_mark_gets_none(last: Any) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "x"}, last]}
    body = encode_request(Question("m", "", (message,), (), 1), Wire.ANTHROPIC)
    assert body["messages"] == [message]


@each_wire
def test_a_request_changes_nothing_of_what_it_is_made_of(wire: Wire) -> None:
    asked = question(wire, 2)
    before = json.dumps([asked.messages, asked.tools])
    encode_request(asked, wire)
    assert json.dumps([asked.messages, asked.tools]) == before


def unmarked(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: unmarked(each) for key, each in value.items() if key != "cache_control"}
    return [unmarked(each) for each in value] if isinstance(value, list) else value


@each_wire
def test_a_longer_conversation_begins_as_the_shorter_one_so_that_caches_hold(wire: Wire) -> None:
    key = {Wire.OPENAI_RESPONSES: "input", Wire.GEMINI: "contents"}.get(wire, "messages")
    bodies: list[Any] = [unmarked(encode_request(question(wire, turns), wire)) for turns in (2, 3)]
    shorter, longer = (body.pop(key) for body in bodies)
    assert bodies[0] == bodies[1]
    as_text = [[{**m, "content": str(m.get("content"))} for m in messages] for messages in (shorter, longer)]
    assert as_text[1][: len(as_text[0])] == as_text[0]


def test_the_key_of_openais_cache_is_that_of_the_conversation() -> None:
    habits = Habits(cache_key=True)
    keys = [
        encode_request(question(wire, turns, habits=habits, **said), wire)["prompt_cache_key"]
        for wire in (Wire.OPENAI_CHAT, Wire.OPENAI_RESPONSES)
        for turns in (1, 2)
        for said in ({}, {"system": "Another."})
    ]
    assert len(set(keys)) == 2
    assert all("Another" not in str(key) and len(str(key)) == 32 for key in keys)


def test_servers_are_sent_what_they_know_alone() -> None:
    plain = encode_request(question(Wire.OPENAI_CHAT, habits=Habits(asks_usage=False)), Wire.OPENAI_CHAT)
    assert set(plain) == {"model", "messages", "stream", "tools", "max_tokens"}
    asking = encode_request(question(Wire.OPENAI_CHAT), Wire.OPENAI_CHAT)
    assert asking["stream_options"] == {"include_usage": True}
    sealed = encode_request(question(Wire.OPENAI_RESPONSES, habits=Habits(sealed_thinking=True)), Wire.OPENAI_RESPONSES)
    assert (sealed["include"], sealed["store"]) == (["reasoning.encrypted_content"], False)
