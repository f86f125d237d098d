from __future__ import annotations

import json
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import pytest
from wire_answers import arguments_of
from wire_samples import (
    CAT,
    LS,
    anthropic,
    anthropic_use,
    chat,
    chat_call,
    gemini,
    gemini_call,
    neutral,
    responses,
    responses_call,
)
from wire_streams import STREAMING, chunk, stream

from handrail.errors import WireError
from handrail.wire import Wire, decode, read

CHUNKS = stream(Wire.OPENAI_CHAT, [LS, CAT], [3, 9], [0, 1, 1, 0])
EXPECTED = (decode(CHUNKS),)
ONE = json.dumps(neutral(LS))


@dataclass(frozen=True)
class Saved:
    id: str
    text: str


SAVED = [
    Saved("event-stream", "".join(f"data: {json.dumps(event)}\n\n" for event in CHUNKS) + "data: [DONE]\n\n"),
    Saved("no-last-blank-line", "\n\n".join(f"data: {json.dumps(event)}" for event in CHUNKS)),
    Saved("no-space", "".join(f"data:{json.dumps(event)}\n\n" for event in CHUNKS)),
    Saved("no-blank-lines", "".join(f"data: {json.dumps(event)}\n" for event in CHUNKS)),
    Saved("carriage-returns", "".join(f"data: {json.dumps(event)}\r\r" for event in CHUNKS)),
    Saved("windows", "".join(f"event: chunk\r\ndata: {json.dumps(event)}\r\n\r\n" for event in CHUNKS)),
    Saved("indented-field", "".join(f" data: {json.dumps(event)}\n\n" for event in CHUNKS)),
    Saved("ids-and-retries", "".join(f"id: 7\nretry: 10\ndata: {json.dumps(event)}\n\n" for event in CHUNKS)),
    Saved("comments", ": hello\n\n" + "".join(f"data: {json.dumps(e)}\n:ping\n\n" for e in CHUNKS)),
    Saved(
        "several-data-lines",
        "".join(
            "".join(f"data: {line}\n" for line in json.dumps(event, indent=1).splitlines()) + "\n" for event in CHUNKS
        ),
    ),
    Saved("marked-and-spaced", "\ufeff\n\n" + "".join(f"data: {json.dumps(event)}\n\n" for event in CHUNKS)),
    Saved("list", json.dumps(CHUNKS, indent=2)),
    Saved("list-with-end-marker", json.dumps([*CHUNKS, "[DONE]"])),
    Saved("lines", "\n".join(map(json.dumps, CHUNKS))),
    Saved("lines-with-blank-ones", "\ufeff\n" + "\n\n".join(map(json.dumps, CHUNKS)) + "\n"),
    Saved("lines-of-lists-after-an-event", "\n".join(map(json.dumps, [CHUNKS[0], CHUNKS[1:3], *CHUNKS[3:]]))),
    Saved("recorded", json.dumps({"events": [{"event": "x", "data": event} for event in CHUNKS]})),
    Saved("recorded-as-text", json.dumps({"events": [{" data": json.dumps(event)} for event in CHUNKS]})),
    Saved("recorded-lines", "\n".join(json.dumps({"data": event}) for event in CHUNKS)),
]


@pytest.mark.parametrize("saved", SAVED, ids=attrgetter("id"))
def test_a_stream_is_read_however_it_was_saved(saved: Saved) -> None:
    assert read(saved.text) == EXPECTED
    assert read(saved.text, Wire.OPENAI_CHAT) == EXPECTED


def test_a_line_separator_inside_a_string_ends_no_line() -> None:
    call = ("a", "say", {"text": "one\u2028two\u2029three\x85four"})
    text = "\n".join(json.dumps(neutral(call), ensure_ascii=False) for _ in range(2))

    assert [arguments_of(response.calls[0]) for response in read(text)] == [call[2]] * 2


def test_lines_hold_responses_of_any_wire_and_form() -> None:
    documents: list[Any] = [
        anthropic(anthropic_use(LS)),
        CHUNKS,
        gemini(gemini_call(LS)),
        stream(Wire.ANTHROPIC, [CAT], [2], []),
        {"events": [{"data": event} for event in CHUNKS]},
        neutral(CAT),
    ]

    wires = [response.wire for response in read("\n".join(map(json.dumps, documents)))]

    assert wires == [
        Wire.ANTHROPIC,
        Wire.OPENAI_CHAT,
        Wire.GEMINI,
        Wire.ANTHROPIC,
        Wire.OPENAI_CHAT,
        Wire.NEUTRAL,
    ]


def test_responses_need_no_line_of_their_own() -> None:
    assert len(read(json.dumps(neutral(LS), indent=2) + json.dumps(neutral(CAT)))) == 2


@dataclass(frozen=True)
class Unreadable:
    id: str
    text: str
    says: list[str]
    because: str
    wire: Wire | None = None


UNREADABLE = [
    Unreadable("empty", "", ["empty", "expected"], "nothing is no response"),
    Unreadable("blank", "\ufeff \n\t", ["empty", "expected"], "nothing is no response"),
    Unreadable("prose", "I can't do that.", ["line 1, column 1", "not JSON"], "no JSON at all"),
    Unreadable("cut", '{"calls": [{"id": "a"', ["line 1", "not JSON"], "a response cut in the middle"),
    Unreadable("late", '{"calls": [\n1,\n}', ["line 3, column 1"], "the line that is wrong, not the first"),
    Unreadable("bad-line", f"{ONE}\n{{]\n{ONE}", ["line 2, column 2", "not JSON"], "one line of many"),
    Unreadable("last-line-cut", f'{ONE}\n{{"calls"', ["line 2", "not JSON"], "a response cut in the middle"),
    Unreadable("garbage-after", f"{ONE} x", ["line 1", "not JSON"], "what follows belongs to nothing"),
    Unreadable("number", "5", ["a number", "expected"], "JSON of no known shape"),
    Unreadable("string", '"hello"', ["a string", "expected"], "JSON of no known shape"),
    Unreadable("null", "null", ["null", "expected"], "JSON of no known shape"),
    Unreadable("other-object", '{"b": 1, "a": 2}', ["`a`, `b`", "`choices`", "`candidates`"], "no known shape"),
    Unreadable("empty-object", "{}", ["no keys", "expected"], "no known shape"),
    Unreadable("empty-list", "[]", ["no event", "expected"], "no known shape"),
    Unreadable("unknown-events", '[{"type": "x"}]', ["no event", "expected"], "no known shape"),
    Unreadable("number-among-events", "[5]", ["event 1", "a number"], "no event"),
    Unreadable("text-among-events", '["x"]', ["event 1", "not JSON"], "no event"),
    Unreadable("other-line", f'{ONE}\n{{"a": 1}}', ["line 2", "`a`"], "one line of many"),
    Unreadable("bad-event", 'data: {"a"\n\ndata: {"type": "ping"}\n\n', ["line 1", "not JSON"], "not the last event"),
    Unreadable("only-event-cut", 'data: {"a"\n\n', ["line 1", "not JSON"], "nothing was received"),
    Unreadable("only-comments", ": hello\n\n: there\n\n", ["no event", "expected"], "nothing was received"),
    Unreadable("neutral-call", '{"calls": [{}, 5]}', ["calls[1]", "a number"], "our own form is taken strictly"),
    Unreadable("deep", '{"calls": ' + "[" * 500 + "]" * 500 + "}", ["line 1", "nested deeper"], "no tool reads on"),
    Unreadable("endless", "[" * 100_000, ["line 1", "nested deeper"], "Python raises RecursionError here"),
    Unreadable("not-anthropic", ONE, ["not an anthropic response", "`content`"], "forced", Wire.ANTHROPIC),
    Unreadable("not-chat", ONE, ["not an openai-chat response", "`choices`"], "forced", Wire.OPENAI_CHAT),
    Unreadable("not-responses", ONE, ["not an openai-responses", "`output`"], "forced", Wire.OPENAI_RESPONSES),
    Unreadable("not-gemini", ONE, ["not a gemini response", "`candidates`"], "forced", Wire.GEMINI),
    Unreadable("not-neutral", '{"choices": []}', ["not a neutral document", "`calls`"], "forced", Wire.NEUTRAL),
]


@pytest.mark.parametrize("case", UNREADABLE, ids=attrgetter("id"))
def test_what_cannot_be_read_is_refused_in_one_line_that_says_where(case: Unreadable) -> None:
    with pytest.raises(WireError) as refusal:
        read(case.text, case.wire)

    message = str(refusal.value)
    assert [part for part in case.says if part not in message] == []
    assert "\n" not in message
    assert len(message) < 400


def test_an_event_that_is_cut_ends_the_stream() -> None:
    events = [json.dumps(event) for event in CHUNKS]
    as_stream = "".join(f"data: {event}\n\n" for event in events[:-1]) + "data: " + events[-1][:20]
    as_lines = "\n".join([*events[:-1], events[-1][:20]])

    for text in (as_stream, as_lines):
        (response,) = read(text)
        assert [arguments_of(call).problem for call in response.calls] == [
            "the stream ended before the call was complete"
        ] * 2


def test_a_list_of_several_responses_is_for_read_alone() -> None:
    events = stream(Wire.ANTHROPIC, [LS], [], []) + stream(Wire.ANTHROPIC, [CAT], [], [])

    assert len(read(json.dumps(events))) == 2
    with pytest.raises(WireError, match="2 responses"):
        decode(events)


ERRORS = [
    (Wire.ANTHROPIC, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
    (Wire.OPENAI_CHAT, {"error": {"message": "Overloaded", "type": "server_error", "code": "overloaded_error"}}),
    (Wire.OPENAI_CHAT, {"error": "Overloaded (overloaded_error)"}),
    (Wire.GEMINI, {"error": {"code": 503, "message": "Overloaded", "status": "overloaded_error"}}),
    (
        Wire.OPENAI_RESPONSES,
        {
            "object": "response",
            "status": "failed",
            "output": [],
            "error": {"code": "overloaded_error", "message": "Overloaded"},
        },
    ),
    (Wire.OPENAI_RESPONSES, {"type": "error", "code": "overloaded_error", "message": "Overloaded"}),
]


@pytest.mark.parametrize(("wire", "document"), ERRORS)
def test_an_error_is_a_response_without_calls_that_says_what_happened(wire: Wire, document: Any) -> None:
    (response,) = read(json.dumps(document))

    assert response.wire is wire
    assert (response.calls, response.assistant) == ((), ())
    assert "overloaded_error" in response.text
    assert "Overloaded" in response.text


def test_an_error_among_lines_is_a_response_of_its_own() -> None:
    first, second = read(json.dumps(ERRORS[0][1]) + "\n" + json.dumps(anthropic(anthropic_use(LS))))

    assert (len(first.calls), len(second.calls)) == (0, 1)


@pytest.mark.parametrize("wire", STREAMING)
def test_an_error_in_the_middle_of_a_stream_is_told(wire: Wire) -> None:
    error: dict[str, Any] = {"type": "error", "error": {"type": "server_error", "message": "Overloaded"}}
    (response,) = read(json.dumps([*stream(wire, [LS], [], [])[:2], error]))

    assert response.text == "server_error: Overloaded"


def test_the_name_of_a_model_decides_nothing() -> None:
    document = chat(tool_calls=[chat_call(LS)]) | {"model": "claude-opus-4", "provider": "google"}

    assert decode(document).wire is Wire.OPENAI_CHAT
    assert decode([chunk("stop", content="x") | {"model": "gemini"}]).wire is Wire.OPENAI_CHAT


WHOLE = [anthropic(anthropic_use(LS)), chat(tool_calls=[chat_call(LS)]), responses(responses_call(LS)), neutral(LS)]


@pytest.mark.parametrize("document", WHOLE, ids=["anthropic", "chat", "responses", "neutral"])
def test_a_list_of_whole_responses_loses_none_of_their_calls(document: dict[str, Any]) -> None:
    assert [len(response.calls) for response in read(json.dumps([document, document]))] == [1, 1]
