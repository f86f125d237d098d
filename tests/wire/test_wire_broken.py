"""A stream that breaks off leaves the calls that were whole, and a turn that the provider takes back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wire_answers import good_answers
from wire_samples import CAT, LS, Call
from wire_streams import STREAMING, stream

from corpus_files import corpus
from handrail.contract.calls import ObjectArguments
from handrail.wire import Response, StreamReader, Wire, encode
from paired import unpaired

STREAMED = [row for row in corpus("provider_responses") if row["streaming"]]


def broken_after(events: list[Any], wire: Wire | None) -> tuple[Response, list[Any]]:
    reader = StreamReader(wire)
    early = [request for event in events for request in reader.feed(event)]
    return reader.broken_off(), early


def check(response: Response) -> None:
    """Every call may run, and the conversation is well paired with one result for each."""
    assert all(isinstance(call.arguments, ObjectArguments) for call in response.calls)
    own = {call.wire_id or call.name for call in response.calls}
    assert unpaired(encode(response, good_answers(response)), response.wire, own) == []


@pytest.mark.parametrize("wire", STREAMING)
@given(
    calls=st.lists(st.sampled_from([LS, CAT]), max_size=4).map(
        lambda found: [(f"id_{place}", name, value) for place, (_, name, value) in enumerate(found)]
    ),
    cuts=st.lists(st.integers(0, 30), max_size=4),
    turns=st.lists(st.integers(0, 3), max_size=8),
    data=st.data(),
)
@settings(max_examples=60)
def test_wherever_a_stream_breaks_off_its_whole_calls_stay_and_no_other(
    wire: Wire, calls: list[Call], cuts: list[int], turns: list[int], data: st.DataObject
) -> None:
    events = stream(wire, calls, cuts, turns)
    response, early = broken_after(events[: data.draw(st.integers(0, len(events)))], wire)

    assert list(response.calls) == early
    check(response)


@pytest.mark.parametrize("row", STREAMED, ids=[row["id"] for row in STREAMED])
def test_recorded_streams_may_break_off_anywhere(row: dict[str, Any]) -> None:
    events = [event.get("data") for event in row["response"]["events"]]
    step = max(1, len(events) // 25)
    for end in range(0, len(events), step):
        response, early = broken_after(events[:end], None)
        assert len(response.calls) <= len(early)
        check(response)


def test_what_was_said_and_thought_before_the_break_stays_where_the_provider_takes_it_back() -> None:
    events: list[Any] = [
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "s"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "I look"}},
    ]

    assert broken_after(events[:5], None)[0].assistant == ()
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    said = {"type": "text", "text": "I look"}
    assert broken_after(events, None)[0].assistant == ({"role": "assistant", "content": [thought, said]},)


def test_of_nothing_nothing_is_left() -> None:
    assert broken_after([], Wire.ANTHROPIC)[0] == Response(Wire.ANTHROPIC, (), (), "", "")
