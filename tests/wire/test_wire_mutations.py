from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sdk_types import MESSAGES, problem
from wire_answers import bad_answers, good_answers
from wire_samples import (
    CAT,
    LS,
    SAMPLES,
    anthropic,
    anthropic_use,
    chat,
    gemini,
    gemini_call,
    responses,
    responses_call,
)
from wire_streams import STREAMING, stream

from handrail.errors import WireError
from handrail.wire import Response, Wire, decode, encode, read

DOCUMENTS: list[Any] = [
    *(sample.document for sample in SAMPLES),
    *(stream(wire, [LS, CAT], [3, 9, 12], [0, 1, 0]) for wire in STREAMING),
    {"events": [{"event": "x", "data": event} for event in stream(Wire.ANTHROPIC, [LS], [4], [])]},
]
ODD = st.sampled_from(
    [None, True, 0, -1, 10**30, 1.5, float("nan"), float("inf"), "", "x", "\ud83d", [], [None], [[]], {}, {"type": "x"}]
)


@st.composite
def mangled(draw: st.DrawFn) -> Any:
    """A document in which some values were dropped, replaced, doubled or moved."""
    document = copy.deepcopy(draw(st.sampled_from(DOCUMENTS)))
    for _ in range(draw(st.integers(1, 6))):
        found = places(document)
        if not found:
            break
        holder, key = found[draw(st.integers(0, len(found) - 1))]
        what = draw(st.sampled_from(["drop", "replace", "double", "move"]))
        if what == "drop":
            del holder[key]
        elif what == "double" and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        elif what == "move":
            other, source = found[draw(st.integers(0, len(found) - 1))]
            holder[key] = copy.deepcopy(other[source])
        else:
            holder[key] = copy.deepcopy(draw(ODD))
    return document


def places(document: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else []
        found += [(node, key) for key in keys]
        waiting += [node[key] for key in keys]
    return found


def check(response: Response) -> None:
    ids = [call.id for call in response.calls]
    assert len(set(ids)) == len(ids)
    assert all(id.strip() and id.encode() for id in ids)
    assert (response.text + response.thinking).encode() is not None
    for answers in (good_answers(response), bad_answers(response)):
        messages = encode(response, answers)
        assert len(messages) >= len(response.assistant)
        json.dumps(messages)


@given(document=mangled(), wire=st.none() | st.sampled_from(list(Wire)))
@settings(max_examples=600)
def test_a_mangled_document_is_decoded_or_refused_and_nothing_else(document: Any, wire: Wire | None) -> None:
    try:
        response = decode(document, wire)
    except WireError:
        return
    check(response)


@given(st.sampled_from(DOCUMENTS), st.integers(0, 400), st.integers(0, 400), st.text(max_size=9))
@settings(max_examples=300)
def test_mangled_text_is_read_or_refused_and_nothing_else(document: Any, start: int, gone: int, put: str) -> None:
    text = json.dumps(document)
    if isinstance(document, list) and start % 2:
        text = "".join(f"data: {json.dumps(event)}\n\n" for event in document)
    place = start * 7 % len(text)
    refusal = ""
    responses: tuple[Response, ...] = ()
    try:
        responses = read(text[:place] + put + text[place + gone :])
    except WireError as error:
        refusal = str(error)

    assert "\n" not in refusal
    for response in responses:
        check(response)


def odd_collections(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner) | st.dictionaries(st.text(), inner)


@given(st.recursive(ODD | st.integers() | st.text(), odd_collections, max_leaves=9))
def test_any_json_is_decoded_or_refused(document: Any) -> None:
    for wire in (None, *Wire):
        try:
            response = decode(document, wire)
        except WireError:
            continue
        check(response)


def with_odd_calls(wire: Wire, calls: list[tuple[Any, Any, Any]]) -> Any:
    match wire:
        case Wire.ANTHROPIC:
            return anthropic(*map(anthropic_use, calls))
        case Wire.OPENAI_CHAT:
            functions = [(id, {"name": name, "arguments": value}) for id, name, value in calls]
            return chat(tool_calls=[{"id": id, "function": function} for id, function in functions])
        case Wire.OPENAI_RESPONSES:
            items = [responses_call(call) | {"arguments": call[2]} for call in calls]
            custom = [{"type": "custom_tool_call", "call_id": a, "name": b, "input": c} for a, b, c in calls]
            return responses(*items, *custom)
        case _:
            return gemini(*map(gemini_call, calls))


@pytest.mark.parametrize("wire", list(MESSAGES))
@given(calls=st.lists(st.tuples(ODD, ODD, ODD), min_size=1, max_size=3))
def test_odd_calls_are_given_back_and_answered_in_the_official_form(wire: Wire, calls: list[Any]) -> None:
    response = decode(with_odd_calls(wire, calls))

    assert len(response.calls) == len(calls) * (2 if wire is Wire.OPENAI_RESPONSES else 1)
    for answers in (good_answers(response), bad_answers(response)):
        assert [problem(message, MESSAGES[wire]) for message in encode(response, answers)] == [""] * len(
            encode(response, answers)
        )
