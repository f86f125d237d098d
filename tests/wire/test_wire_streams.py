from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_answers import found, problems
from wire_samples import (
    CAT,
    LS,
    NOTHING,
    Call,
    anthropic,
    anthropic_use,
    chat,
    chat_call,
    gemini,
    gemini_call,
    responses,
    responses_call,
)
from wire_streams import ENDED, STREAMING, chunk, stream

from handrail.contract.calls import UnusableArguments
from handrail.wire import Wire, decode, read

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
arguments = st.dictionaries(st.text(max_size=5), json_values, max_size=3)
calls = st.lists(st.tuples(st.sampled_from(["ls", "cat"]), arguments), max_size=4).map(
    lambda found: [(f"id_{place}", name, value) for place, (name, value) in enumerate(found)]
)
places = st.lists(st.integers(0, 200), max_size=12)

LIMIT = "the response was cut off at its length limit, so the call may be incomplete"


@pytest.mark.parametrize("wire", STREAMING)
@given(calls=calls, cuts=places, turns=places)
@settings(max_examples=60)
def test_any_cutting_and_interleaving_gives_the_same_calls(
    wire: Wire, calls: list[Call], cuts: list[int], turns: list[int]
) -> None:
    response = decode(stream(wire, calls, cuts, turns), wire)

    assert found(response) == calls


@pytest.mark.parametrize("wire", STREAMING)
@given(calls=calls, cuts=places, turns=places, end=st.integers(0, 60))
@settings(max_examples=60)
def test_a_cut_stream_runs_whole_calls_or_none(
    wire: Wire, calls: list[Call], cuts: list[int], turns: list[int], end: int
) -> None:
    response = decode(stream(wire, calls, cuts, turns)[:end], wire)

    assert [call for call in found(response) if not isinstance(call[2], UnusableArguments)] == [
        call for call in calls if call in found(response)
    ]


@given(st.text())
def test_a_character_cut_in_half_is_whole_again(text: str) -> None:
    units = [half for char in text for half in _halves(char)]
    events = [chunk(content=unit) for unit in units]

    response = decode([*events, chunk("stop")])

    assert response.assistant[0]["content"] == text if units else response.text == ""


def _halves(char: str) -> list[str]:
    data = char.encode("utf-16-le", "surrogatepass")
    return [data[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(data), 2)]


# Where a stream ends


def test_a_chat_stream_without_any_end_runs_nothing() -> None:
    whole = stream(Wire.OPENAI_CHAT, [LS, CAT], [], [])

    assert problems(decode(whole)) == ["", ""]
    assert problems(decode(whole[:-1])) == [ENDED, ENDED]
    assert problems(decode([*whole[:-1], "[DONE]"])) == ["", ""]


@pytest.mark.parametrize("wire", [Wire.ANTHROPIC, Wire.OPENAI_RESPONSES])
def test_a_cut_stream_still_runs_the_calls_that_came_whole(wire: Wire) -> None:
    events = stream(wire, [LS, CAT], [4], [])
    stops = [place for place, event in enumerate(events) if event["type"].endswith((".done", "_stop"))]

    assert problems(decode(events[: stops[0] + 1])) == ["", ENDED]


LIMITED = [
    (anthropic(anthropic_use(LS), anthropic_use(CAT), stop_reason="max_tokens"), ["", LIMIT]),
    (anthropic(anthropic_use(LS), {"type": "text", "text": "And"}, stop_reason="max_tokens"), [""]),
    (anthropic(anthropic_use(LS), stop_reason="model_context_window_exceeded"), [LIMIT]),
    (chat("length", tool_calls=[chat_call(LS), chat_call(NOTHING)]), ["", LIMIT]),
    (responses(responses_call(LS), responses_call(CAT, status="incomplete"), status="incomplete"), ["", LIMIT]),
    (responses(responses_call(LS), responses_call(CAT, status="in_progress"), status="incomplete"), ["", LIMIT]),
    (responses(responses_call(LS), responses_call(CAT, status="in_progress")), ["", ""]),
    (gemini(gemini_call(LS), gemini_call(CAT), finish="MAX_TOKENS"), ["", LIMIT]),
    (gemini(gemini_call(LS), {"text": "And"}, finish="MAX_TOKENS"), [""]),
]


@pytest.mark.parametrize(("document", "right"), LIMITED)
def test_the_call_at_which_the_length_limit_struck_does_not_run(document: Any, right: list[str]) -> None:
    assert problems(decode(document)) == right


def test_half_a_block_is_not_given_back_unless_it_is_text() -> None:
    events = [
        {"type": "message_start", "message": {"id": "msg", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "I thi"}},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "thinking_delta", "thinking": "Hm"}},
        {
            "type": "content_block_start",
            "index": 2,
            "content_block": {"type": "server_tool_use", "id": "s", "name": "web_search"},
        },
        {"type": "content_block_start", "index": 3, "content_block": {"type": "tool_use", "id": "a", "name": "ls"}},
    ]

    assert decode(events).assistant == (
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "I thi"},
                {"type": "tool_use", "id": "a", "name": "ls", "input": {}},
            ],
        },
    )


# Several messages in one stream


def start(id: str) -> dict[str, Any]:
    return {"type": "message_start", "message": {"id": id, "role": "assistant", "content": []}}


def test_a_message_that_broke_off_and_was_repeated_is_dropped() -> None:
    first = stream(Wire.ANTHROPIC, [LS, CAT], [3], [])[1:6]
    second = stream(Wire.ANTHROPIC, [CAT], [3], [])[1:]

    (response,) = read(json.dumps([start("one"), *first, start("two"), *second]))

    assert found(response) == [CAT]


def test_a_repeated_start_of_the_same_message_changes_nothing() -> None:
    events = stream(Wire.ANTHROPIC, [LS], [3], [])

    assert decode([*events[:3], events[0], *events[3:]]) == decode(events)


def test_whole_messages_in_one_stream_are_responses_of_their_own() -> None:
    one, two = stream(Wire.ANTHROPIC, [LS], [], []), stream(Wire.ANTHROPIC, [CAT], [], [])

    assert [found(r) for r in read(json.dumps([*one, *two]))] == [[LS], [CAT]]


def test_responses_that_follow_each_other_are_told_apart_by_their_starts() -> None:
    one, two = stream(Wire.OPENAI_RESPONSES, [LS], [], []), stream(Wire.OPENAI_RESPONSES, [CAT], [], [])

    assert [found(r) for r in read(json.dumps([*one, *two]))] == [[LS], [CAT]]
    assert [found(r) for r in read(json.dumps([*one[:2], one[0] | {"response": {"id": "again"}}, *two[1:]]))] == [[CAT]]


def test_chat_messages_that_follow_each_other_are_told_apart_by_id_and_end_marker() -> None:
    one = [chunk(tool_calls=[chat_call(LS, index=0)]), chunk("tool_calls")]
    two = [event | {"id": "other"} for event in [chunk(tool_calls=[chat_call(CAT, index=0)]), chunk("tool_calls")]]
    usage = {"object": "chat.completion.chunk", "id": "chunk", "choices": [], "usage": {}}

    assert [found(r) for r in read(json.dumps([*one, usage, *two]))] == [[LS], [CAT]]
    assert [found(r) for r in read(json.dumps([*one, "[DONE]", *one, "[DONE]"]))] == [[LS], [LS]]


def test_ids_that_change_with_every_chunk_are_one_message() -> None:
    events = [
        event | {"id": f"chunk-{n}"} for n, event in enumerate(stream(Wire.OPENAI_CHAT, [LS, CAT], [3, 8], [0, 1]))
    ]

    assert found(decode(events)) == [LS, CAT]


# The Anthropic wire


def test_a_block_keeps_what_its_deltas_brought() -> None:
    def delta(index: int, kind: str, **value: Any) -> dict[str, Any]:
        return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **value}}

    events = [
        start("msg"),
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "thinking", "thinking": "", "signature": ""},
        },
        delta(0, "thinking_delta", thinking="Look "),
        delta(0, "thinking_delta", thinking="first."),
        delta(0, "signature_delta", signature="c2ln"),
        {"type": "content_block_stop", "index": 0},
        {
            "type": "content_block_start",
            "index": 1,
            "content_block": {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        },
        delta(1, "input_json_delta", partial_json='{"query":'),
        delta(1, "input_json_delta", partial_json='"x"}'),
        {"type": "content_block_stop", "index": 1},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": "", "citations": None}},
        delta(2, "text_delta", text="Found it."),
        delta(2, "citations_delta", citation={"type": "char_location"}),
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "pause_turn"}},
        {"type": "message_stop"},
    ]

    response = decode(events)

    assert response.assistant == (
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"},
                {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
                {"type": "text", "text": "Found it.", "citations": [{"type": "char_location"}]},
            ],
        },
    )
    assert (response.calls, response.paused) == ((), True)
    assert (response.text, response.thinking) == ("Found it.", "Look first.")


def test_a_block_without_an_index_is_the_newest_one() -> None:
    events = [{k: v for k, v in event.items() if k != "index"} for event in stream(Wire.ANTHROPIC, [LS], [3, 5], [])]

    assert found(decode(events)) == [LS]


# The Responses wire


def test_the_last_event_is_believed_over_the_others() -> None:
    events = stream(Wire.OPENAI_RESPONSES, [LS], [3], [])
    events[-1] = {"type": "response.completed", "response": responses(responses_call(CAT))}

    assert found(decode(events)) == [CAT]


def test_items_are_found_by_index_where_their_ids_change() -> None:
    events = [
        json.loads(json.dumps(event).replace('"fc_0"', f'"fc_x{n}"'))
        for n, event in enumerate(stream(Wire.OPENAI_RESPONSES, [LS], [3, 6], []))
    ]

    assert found(decode(events)) == [LS]


def test_items_are_found_by_id_where_their_index_is_missing() -> None:
    events = [
        {key: value for key, value in event.items() if key != "output_index"}
        for event in stream(Wire.OPENAI_RESPONSES, [LS, CAT], [3, 6], [0, 1, 0, 1])
    ]

    assert found(decode(events)) == [LS, CAT]


def test_a_response_that_still_runs_in_the_background_is_paused() -> None:
    assert decode(responses(status="in_progress")).paused
    assert not decode(responses(status="incomplete")).paused


def test_half_a_message_is_told_and_half_a_thought_is_not_given_back() -> None:
    events = [
        {
            "type": "response.output_item.added",
            "output_index": 0,
            "item": {"type": "reasoning", "id": "rs", "summary": []},
        },
        {
            "type": "response.output_item.added",
            "output_index": 1,
            "item": {"type": "message", "id": "m", "role": "assistant", "content": []},
        },
        {"type": "response.output_text.delta", "output_index": 1, "item_id": "m", "delta": "I thi"},
    ]

    response = decode(events)

    assert response.text == "I thi"
    assert [item["type"] for item in response.assistant] == ["message"]
