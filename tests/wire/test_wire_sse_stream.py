"""Server-sent events as they come: the same events wherever the stream is cut into pieces."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.basics import JsonObject
from handrail.errors import WireError
from handrail.wire import sse_stream
from handrail.wire.sse import events
from handrail.wire.sse_stream import EventReader

ENDS = st.sampled_from(["\n", "\r\n", "\r"])
OBJECTS = st.dictionaries(st.text(max_size=4), st.text(max_size=12), max_size=3)


@st.composite
def streams(draw: st.DrawFn) -> tuple[str, list[JsonObject | None]]:
    """The text of a stream, and what it holds."""
    held: list[JsonObject | None] = draw(st.lists(OBJECTS | st.none(), max_size=5))
    text = draw(st.sampled_from(["", "\N{ZERO WIDTH NO-BREAK SPACE}"]))
    for event in held:
        end = draw(ENDS)
        text += draw(st.sampled_from(["", ": hello" + end, "event: x" + end, "id: 7" + end, "retry: 5" + end, end]))
        data = "[DONE]" if event is None else json.dumps(event, ensure_ascii=draw(st.booleans()))
        text += draw(st.sampled_from(["data: ", "data:"])) + data + end + end
    return text, held


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({0, len(data), *(cut % (len(data) + 1) for cut in cuts)})
    return [data[start:end] for start, end in itertools.pairwise(places)]


def read(given: list[bytes]) -> list[JsonObject | None]:
    reader = EventReader()
    return [*(event for piece in given for event in reader.feed(piece)), *reader.finish()]


@given(streams(), st.lists(st.integers(min_value=0), max_size=12))
def test_the_events_are_the_same_wherever_the_stream_is_cut(
    stream: tuple[str, list[JsonObject | None]], cuts: list[int]
) -> None:
    text, held = stream
    assert read(pieces(text.encode(), cuts)) == held


@given(streams())
def test_the_events_are_those_that_a_whole_text_holds(stream: tuple[str, list[JsonObject | None]]) -> None:
    text, held = stream
    if held:
        whole = [None if event == "[DONE]" else event for event in events(text.removeprefix("\ufeff"))]
        assert read([text.encode()]) == whole


def test_an_event_may_have_several_lines_of_data() -> None:
    assert read([b'data: {"a":\ndata: 1}\n\n']) == [{"a": 1}]


@pytest.mark.parametrize("rest", [b'data: {"b": 1}', b'data: {"b": 1}\n', b'data: {"b": 1}\r', b'data: {"b": 1}\r\n'])
def test_a_last_event_without_its_blank_line_counts_if_it_is_whole(rest: bytes) -> None:
    assert read([b'data: {"a": 1}\n\n', rest]) == [{"a": 1}, {"b": 1}]


@pytest.mark.parametrize("rest", [b'data: {"b": ', b"dat", b"data: [1]", b"event: x\n", b'data: {"b": "\xc3'])
def test_what_breaks_off_is_no_event(rest: bytes) -> None:
    assert read([b'data: {"a": 1}\n\n', rest]) == [{"a": 1}]


@pytest.mark.parametrize("bad", [b"data: {x\n\n", b"data: [1]\n\n", b'data: "x"\n\n', b"data: 7\n\n"])
def test_an_event_that_is_no_object_is_refused_behind_those_before_it(bad: bytes) -> None:
    reader = EventReader()
    found: list[JsonObject | None] = []
    with pytest.raises(WireError, match="an event of the stream is"):
        found.extend(reader.feed(b'data: {"a": 1}\n\n' + bad))  # what came before the error has been taken
    assert found == [{"a": 1}]


@pytest.mark.parametrize(
    "piece",
    [b"x" * 50, b"data: xxxxxxxxxx\n", b"data:\n" * 20 + b"data: xxxxxxxxxxxxxxxxxxxxxx\n"],
    ids=["a line", "an event", "both"],
)
def test_an_event_without_end_is_refused(monkeypatch: pytest.MonkeyPatch, piece: bytes) -> None:
    monkeypatch.setattr(sse_stream, "MOST_CHARACTERS", 1000)
    with pytest.raises(WireError, match="longer than"):
        read([piece] * 1000)


def test_a_stream_of_many_events_and_comments_is_not_held_together_for_one_event(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sse_stream, "MOST_CHARACTERS", 100)
    reader = EventReader()
    for _ in range(1000):
        assert list(reader.feed(b': keep-alive\ndata: {"a": "0123456789"}\n\n')) == [{"a": "0123456789"}]
    for _ in range(1000):
        assert list(reader.feed(b": keep-alive\n")) == []
