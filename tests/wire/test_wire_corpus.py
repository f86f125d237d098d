from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from sdk_types import BETA, MESSAGES, problem
from wire_answers import arguments_of, bad_answers, found, good_answers

from corpus_files import corpus
from handrail.wire import Response, Wire, encode, read

WIRES = {
    "anthropic_messages": Wire.ANTHROPIC,
    "openai_chat": Wire.OPENAI_CHAT,
    "openai_responses": Wire.OPENAI_RESPONSES,
    "gemini_generate_content": Wire.GEMINI,
}
ROWS = corpus("provider_responses")
STREAMED = [row for row in ROWS if row["streaming"]]
every_row = pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
every_stream = pytest.mark.parametrize("row", STREAMED, ids=[row["id"] for row in STREAMED])

Row = dict[str, Any]
Calls = list[tuple[str, str, Any]]


def extracted(row: Row) -> Calls:
    """What the script found, server-side calls aside."""
    calls = [call for call in row["calls"] if not call.get("server_side")]
    return [(call["id"] or "", call["name"], call["arguments"]) for call in calls]


def none(_: Row) -> Calls:
    return []


def the_first(row: Row) -> Calls:
    return extracted(row)[:1]


def with_an_internal_id(row: Row) -> Calls:
    return [("call_1", name, arguments) for _, name, arguments in extracted(row)]


def without_arguments(row: Row) -> Calls:
    return [(id, name, {}) for id, name, _ in extracted(row)]


def client_tool_searches(row: Row) -> Calls:
    response = row["response"]["events"][-1]["data"]["response"] if row["streaming"] else row["response"]
    searches = [item for item in response["output"] if item["type"] == "tool_search_call"]
    assert {item["execution"] for item in searches} == {"client"}
    return [(item["call_id"], "tool_search", item["arguments"]) for item in searches]


def in_message_starts_too(row: Row) -> Calls:
    starts = [event["data"] for event in row["response"]["events"] if event["data"]["type"] == "message_start"]
    blocks = [block for start in starts for block in start["message"]["content"] if block["type"] == "tool_use"]
    return extracted(row) + [(block["id"], block["name"], block["input"]) for block in blocks]


BY_EYE: dict[str, tuple[Callable[[Row], Calls], str]] = {
    "anthropic__anthropic_messages__stream__005": (
        the_first,
        "the stream's first message broke off and was repeated; the script mixed the two and found one call twice",
    ),
    "anthropic__anthropic_messages__stream__015": (
        in_message_starts_too,
        "15 messages in one stream; 13 of them hold their call in `message_start`, where the script did not look",
    ),
    "google_gemini__openai_chat__json__001": (
        with_an_internal_id,
        "the id is empty: the call gets one, and so does the turn that is given back",
    ),
    "openai__openai_responses__json__005": (
        none,
        "the shell call ran in the provider's container, and its output is in the same response",
    ),
    "openai__openai_responses__stream__007": (
        none,
        "both shell calls ran in the provider's container, and their outputs are in the same response",
    ),
    "openai__openai_responses__json__009": (client_tool_searches, "`execution` is `client`: the model waits for it"),
    "openai__openai_responses__json__037": (client_tool_searches, "`execution` is `client`: the model waits for it"),
    "openai__openai_responses__stream__010": (client_tool_searches, "`execution` is `client`: the model waits for it"),
    "openai__openai_responses__stream__021": (client_tool_searches, "`execution` is `client`: the model waits for it"),
    "openrouter__openai_chat__json__001": (without_arguments, "no arguments at all mean an empty object"),
    "snowflake__openai_chat__json__004": (none, "a legacy `function_call` without a name is no call"),
    "snowflake__openai_chat__json__006": (none, "a legacy `function_call` without a name is no call"),
    "xai__openai_responses__stream__001": (
        none,
        "the custom calls are steps of the hosted `x_search`: nobody declared them, and the answer that uses "
        "what they found is in the same response",
    ),
}
"""Where the script that extracted the corpus's `calls` and the eye disagree: what is right, and why."""

RENAMED = {
    "apply_patch_call": "apply_patch",
    "local_shell_call": "local_shell",
    "shell_call": "shell",
}
"""The script gives the type of the item; the API's own tools are looked up by their own names."""

SEVERAL = {
    "anthropic__anthropic_messages__stream__015": 15,
    "azure__openai_responses__stream__003": 4,
}
"""Streams that hold several whole responses."""

NEEDS_BETA = {
    "anthropic__anthropic_messages__json__004": "advisor",
    "anthropic__anthropic_messages__json__005": "advisor",
    "anthropic__anthropic_messages__stream__006": "advisor",
    "anthropic__anthropic_messages__stream__007": "advisor",
    "anthropic__anthropic_messages__stream__014": "mcp_tool_use",
    "anthropic__anthropic_messages__stream__021": "advisor",
    "anthropic__anthropic_messages__stream__023": "mcp_tool_use",
}
"""Turns with server-side blocks that only the SDK's beta types know."""

NOT_OPENAI = {
    ("xai__openai_responses__json__001", "code_interpreter_call"): "xAI sends `arguments` instead of `code`",
    ("xai__openai_responses__json__005", "x_search_call"): "xAI's own item",
    ("xai__openai_responses__json__005", "message"): "xAI's citations have no `title` and no place",
    ("xai__openai_responses__stream__001", "message"): "xAI's citations have no `title` and no place",
    ("xai__openai_responses__stream__003", "web_search_call"): "xAI sends `arguments` instead of `action`",
    ("xai__openai_responses__stream__003", "message"): "xAI's citations have no `title` and no place",
}
"""Server-side items that OpenAI's types can't know: they go back to their provider as they came."""


def right_calls(row: Row) -> Calls:
    if row["id"] in BY_EYE:
        return BY_EYE[row["id"]][0](row)
    return [(id, RENAMED.get(name, name), arguments) for id, name, arguments in extracted(row)]


@every_row
def test_every_recorded_response_is_recognised_by_its_structure(row: Row) -> None:
    assert {response.wire for response in read(json.dumps(row["response"]))} == {WIRES[row["wire"]]}


@every_row
def test_every_recorded_response_gives_exactly_the_right_calls(row: Row) -> None:
    responses = read(json.dumps(row["response"]))

    assert [call for response in responses for call in found(response)] == right_calls(row)
    assert len(responses) == SEVERAL.get(row["id"], 1)


@every_row
def test_forcing_the_wire_changes_nothing(row: Row) -> None:
    text = json.dumps(row["response"])

    assert read(text, WIRES[row["wire"]]) == read(text)


def test_every_exception_to_the_extracted_calls_is_needed() -> None:
    rows = {row["id"]: row for row in ROWS}

    assert [id for id in BY_EYE if right_calls(rows[id]) == extracted(rows[id])] == []


def answered(row: Row) -> Iterator[tuple[Response, tuple[Any, ...]]]:
    """Each response, and the messages that answer it: with results first, then with errors."""
    for response in read(json.dumps(row["response"])):
        for answers_of in (good_answers, bad_answers):
            yield response, encode(response, answers_of(response))


@every_row
def test_each_call_gets_exactly_one_result_in_order(row: Row) -> None:
    for response, messages in answered(row):
        results = messages[len(response.assistant) :]

        assert messages[: len(response.assistant)] == response.assistant
        assert ids_answered(response.wire, results) == [call.wire_id for call in response.calls]


def ids_answered(wire: Wire, results: Sequence[Any]) -> list[str]:
    match wire:
        case Wire.ANTHROPIC:
            return [block["tool_use_id"] for message in results for block in message["content"]]
        case Wire.OPENAI_CHAT:
            return [message.get("tool_call_id", "") for message in results]
        case Wire.OPENAI_RESPONSES:
            return [item.get("call_id") or item["approval_request_id"] for item in results]
        case _:
            return [part["functionResponse"].get("id", "") for content in results for part in content["parts"]]


@every_row
def test_every_message_fits_the_official_type(row: Row) -> None:
    for response, messages in answered(row):
        judge = BETA if row["id"] in NEEDS_BETA else MESSAGES[response.wire]
        for message in messages:
            if (row["id"], message.get("type")) not in NOT_OPENAI:
                assert problem(message, judge) == ""


def test_every_exception_to_the_official_types_is_needed() -> None:
    rows = {row["id"]: row for row in ROWS}
    for id in NEEDS_BETA:
        (response,) = read(json.dumps(rows[id]["response"]))
        assert any(problem(message, MESSAGES[response.wire]) for message in response.assistant), id
    for id, kind in NOT_OPENAI:
        (response,) = read(json.dumps(rows[id]["response"]))
        assert any(problem(item, MESSAGES[response.wire]) for item in response.assistant if item["type"] == kind), id


@every_stream
def test_a_stream_reads_the_same_however_it_was_saved(row: Row) -> None:
    recorded = row["response"]["events"]
    data = [next(value for key, value in event.items() if key.strip() == "data") for event in recorded]
    texts = [event if isinstance(event, str) else json.dumps(event) for event in data]
    objects = [json.loads(text) for text in texts if text != "[DONE]"]
    expected = read(json.dumps(row["response"]))

    assert read("".join(f"data: {text}\n\n" for text in texts)) == expected
    assert read("\r\n\r\n".join(f": note\r\nevent: x\r\ndata: {text}" for text in texts)) == expected
    assert read(json.dumps(data)) == expected
    assert read(json.dumps(objects)) == expected
    assert read("\n".join(json.dumps(event) for event in recorded)) == expected
    assert read("\ufeff\n\n" + "\n".join(map(json.dumps, objects)) + "\n") == expected


def test_json_lines_hold_many_responses_in_order() -> None:
    lines = [json.dumps(row["response"]) for row in ROWS if not row["streaming"]]
    expected = [response for line in lines for response in read(line)]

    assert list(read("\n".join(lines))) == expected
    assert len(expected) == len(lines)


def test_a_line_may_be_a_list_of_events() -> None:
    streams = [[event["data"] for event in row["response"]["events"] if "data" in event] for row in STREAMED]
    text = "\n".join(json.dumps(stream) for stream in streams)

    assert list(read(text)) == [response for stream in streams for response in read(json.dumps(stream))]


@pytest.mark.parametrize("row", [r for r in STREAMED if r["id"] not in SEVERAL], ids=lambda row: row["id"])
def test_a_stream_cut_anywhere_runs_no_call_that_the_whole_one_does_not_hold(row: Row) -> None:
    whole = [json.dumps(call, sort_keys=True) for call in right_calls(row)]
    events = row["response"]["events"]
    for end in range(1, len(events), max(1, len(events) // 40)):
        for response in read(json.dumps({"events": events[:end]})):
            for call in response.calls:
                arguments = arguments_of(call)
                if isinstance(arguments, dict | str):
                    assert json.dumps((call.wire_id, call.name, arguments), sort_keys=True) in whole
