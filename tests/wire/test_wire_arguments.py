from __future__ import annotations

import json
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import pytest
from sdk_types import MESSAGES, problem
from wire_answers import arguments_of, bad_answers
from wire_samples import anthropic, anthropic_use, chat, chat_call, gemini, gemini_call, neutral, responses_call
from wire_samples import responses as responses_document

from handrail.contract.calls import CallRequest, UnusableArguments
from handrail.wire import Wire, encode, read

UNWRAPPED = ("arguments were a JSON string that held an object",)


@dataclass(frozen=True)
class Sent:
    """Arguments as the text that stands in the JSON of a provider."""

    id: str
    text: str
    right: Any
    """The arguments, or a part of what is wrong with them."""
    because: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Bad:
    part: str


USABLE_TEXT = [
    Sent("an-object", '{"a": 1}', {"a": 1}, "the ordinary case"),
    Sent("empty-object", "{}", {}, "the ordinary case without arguments"),
    Sent("nothing", "", {}, "none at all means none"),
    Sent("blank", " \n", {}, "none at all means none"),
    Sent("null", "null", {}, "none at all means none"),
    Sent("wrapped", json.dumps('{"a": 1}'), {"a": 1}, "a string that holds an object is unwrapped once", UNWRAPPED),
    Sent("wrapped-nothing", '""', {}, "an empty string holds no arguments"),
    Sent("whole-pair", r'{"a": "\ud83d\ude00"}', {"a": "😀"}, "both halves make one character"),
    Sent("long-integer", '{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}, "JSON has it"),
    Sent("deep-enough", '{"a": ' + "[" * 98 + "]" * 98 + "}", {"a": json.loads("[" * 98 + "]" * 98)}, "100 levels"),
]
UNUSABLE_TEXT = [
    Sent("not-json", "rm -rf build", Bad("read as JSON"), "no object can be guessed from it"),
    Sent("cut", '{"a": "b', Bad("read as JSON"), "the rest is unknown"),
    Sent("two", '{"a": 1}{"a": 2}', Bad("read as JSON"), "which of the two was meant, nobody knows"),
    Sent("trailing-comma", '{"a": 1,}', Bad("read as JSON"), "strict JSON"),
    Sent("raw-newline", '{"a": "x\ny"}', Bad("read as JSON"), "strict JSON"),
    Sent("array", "[1]", Bad("got an array"), "arguments have names"),
    Sent("number", "5", Bad("got a number"), "arguments have names"),
    Sent("boolean", "true", Bad("got a boolean"), "arguments have names"),
    Sent("string", '"hello"', Bad("got a string"), "it holds no object"),
    Sent("wrapped-twice", json.dumps(json.dumps('{"a": 1}')), Bad("got a string"), "unwrapped once, not again"),
    Sent("wrapped-array", json.dumps("[1]"), Bad("got a string"), "it holds no object"),
    Sent("nan", '{"a": NaN}', Bad("JSON can't carry"), "other readers refuse it"),
    Sent("infinity", '{"a": [-Infinity]}', Bad("JSON can't carry"), "other readers refuse it"),
    Sent("overflow", '{"a": 1e999}', Bad("JSON can't carry"), "it reads as an infinity"),
    Sent("endless-integer", '{"a": ' + "9" * 5000 + "}", Bad("JSON can't carry"), "Python can't convert it"),
    Sent("same-key-twice", '{"a": 1, "a": 2}', Bad("more than once"), "readers disagree on which one counts"),
    Sent("same-key-inside", '{"a": [{"b": 1, "b": 1}]}', Bad("more than once"), "inside is no better"),
    Sent("half-a-pair", r'{"a": "\ud83d"}', Bad("surrogate"), "no file and no terminal takes it"),
    Sent("half-a-pair-in-a-key", r'{"\udc00": 1}', Bad("surrogate"), "no file and no terminal takes it"),
    Sent("too-deep", '{"a": ' + "[" * 100 + "]" * 100 + "}", Bad("nested deeper"), "readers give up at some depth"),
]
OUTRAGEOUS_TEXT = [
    Sent("endless", "[" * 100_000, Bad("nested deeper"), "Python's reader raises RecursionError"),
    Sent("endless-objects", '{"a":' * 100_000, Bad("nested deeper"), "Python's reader raises RecursionError"),
]


def as_json_text(wire: Wire, sent: str) -> str:
    """A response whose one call carries the arguments as text, as the OpenAI wires do."""
    if wire is Wire.OPENAI_CHAT:
        call = {"id": "a", "type": "function", "function": {"name": "ls", "arguments": sent}}
        return json.dumps(chat(tool_calls=[call]))
    return json.dumps(responses_document(responses_call(("a", "ls", {}), arguments=sent)))


def as_json_value(wire: Wire, sent: str) -> str:
    """A response whose one call carries the arguments as a value, as the other wires do."""
    mark = ("a", "ls", "MARK")
    document = {
        Wire.ANTHROPIC: anthropic(anthropic_use(mark)),
        Wire.GEMINI: gemini(gemini_call(mark)),
        Wire.NEUTRAL: neutral(mark),
    }[wire]
    return json.dumps(document).replace('"MARK"', sent or "null")


def the_call(text: str) -> CallRequest:
    (response,) = read(text)
    (call,) = response.calls
    return call


def check(call: CallRequest, case: Sent) -> None:
    found = arguments_of(call)
    if isinstance(case.right, Bad):
        assert isinstance(found, UnusableArguments)
        assert case.right.part in found.problem
        assert len(found.preview) < 260
        assert found.preview.encode()
    else:
        assert found == case.right
    assert call.notes == case.notes


@pytest.mark.parametrize("wire", [Wire.OPENAI_CHAT, Wire.OPENAI_RESPONSES])
@pytest.mark.parametrize("case", [*USABLE_TEXT, *UNUSABLE_TEXT, *OUTRAGEOUS_TEXT], ids=attrgetter("id"))
def test_arguments_that_came_as_text(wire: Wire, case: Sent) -> None:
    check(the_call(as_json_text(wire, case.text)), case)


NOT_AS_VALUES = {"blank", "not-json", "cut", "two", "trailing-comma", "raw-newline", "wrapped-twice"}
"""As text they are one thing; as a value they would break the document, or be another case."""


@pytest.mark.parametrize("wire", [Wire.ANTHROPIC, Wire.GEMINI, Wire.NEUTRAL])
@pytest.mark.parametrize(
    "case", [c for c in [*USABLE_TEXT, *UNUSABLE_TEXT] if c.id not in NOT_AS_VALUES], ids=attrgetter("id")
)
def test_arguments_that_came_as_a_value(wire: Wire, case: Sent) -> None:
    check(the_call(as_json_value(wire, case.text)), case)


@pytest.mark.parametrize("case", UNUSABLE_TEXT, ids=attrgetter("id"))
@pytest.mark.parametrize("wire", [Wire.OPENAI_CHAT, Wire.OPENAI_RESPONSES])
def test_a_turn_with_unusable_text_goes_back_as_it_came(wire: Wire, case: Sent) -> None:
    (response,) = read(as_json_text(wire, case.text))
    messages = encode(response, bad_answers(response))

    assert case.text in (given_text(messages[0]), json.dumps(given_text(messages[0])))
    assert [problem(message, MESSAGES[wire]) for message in messages] == ["", ""]


def given_text(message: Any) -> Any:
    return message["tool_calls"][0]["function"]["arguments"] if "tool_calls" in message else message["arguments"]


@pytest.mark.parametrize("case", [c for c in UNUSABLE_TEXT if c.id not in NOT_AS_VALUES], ids=attrgetter("id"))
@pytest.mark.parametrize("wire", [Wire.ANTHROPIC, Wire.GEMINI])
def test_a_turn_with_an_unusable_value_goes_back_with_an_empty_object(wire: Wire, case: Sent) -> None:
    (response,) = read(as_json_value(wire, case.text))
    messages: Any = encode(response, bad_answers(response))

    given = messages[0]["content"][0]["input"] if wire is Wire.ANTHROPIC else None
    assert (given or messages[0].get("parts", [{}])[0].get("functionCall", {}).get("args", {})) == {}
    assert [problem(message, MESSAGES[wire]) for message in messages] == ["", ""]


def test_one_unusable_call_leaves_its_siblings_alone() -> None:
    good = chat_call(("b", "ls", {"path": "."}))
    bad = {"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{"}}
    (response,) = read(json.dumps(chat(tool_calls=[bad, good])))

    assert [isinstance(arguments_of(call), UnusableArguments) for call in response.calls] == [True, False]


@pytest.mark.parametrize("name", [None, "", 5, ["ls"], {}])
def test_a_call_without_a_usable_name_is_still_a_call(name: Any) -> None:
    (response,) = read(json.dumps(neutral(("a", name, {}))))

    assert [(call.name, call.notes) for call in response.calls] == [("unnamed", ("the call had no usable name",))]


def test_a_name_with_half_a_character_can_be_printed() -> None:
    assert the_call(json.dumps(neutral(("a", "l\ud83ds", {})))).name == "l�s"


@pytest.mark.parametrize("wire", [Wire.OPENAI_CHAT, Wire.OPENAI_RESPONSES])
def test_free_text_is_never_parsed(wire: Wire) -> None:
    text = '{"a": NaN, "a": '
    if wire is Wire.OPENAI_CHAT:
        document = chat(tool_calls=[{"id": "a", "type": "custom", "custom": {"name": "sql", "input": text}}])
    else:
        document = responses_document({"type": "custom_tool_call", "call_id": "a", "name": "sql", "input": text})

    assert arguments_of(the_call(json.dumps(document))) == text
