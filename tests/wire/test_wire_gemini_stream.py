from __future__ import annotations

from typing import Any

import pytest
from wire_answers import found, problems
from wire_samples import gemini
from wire_streams import ENDED

from handrail.wire import decode

A, B = ("a", "ls", {"path": "x"}), ("b", "cat", {"path": "y"})


def partial(*values: dict[str, Any], goes_on: bool = True, **call: Any) -> dict[str, Any]:
    if values:
        call["partialArgs"] = list(values)
    return gemini({"functionCall": call | ({"willContinue": True} if goes_on else {})}, finish=None)


def at(path: str, goes_on: bool = False, **value: Any) -> dict[str, Any]:
    return {"jsonPath": path, **value} | ({"willContinue": True} if goes_on else {})


END = partial(goes_on=False)


def test_streamed_values_are_put_where_their_paths_lead() -> None:
    events = [
        gemini({"functionCall": {"name": "draw", "willContinue": True}, "thoughtSignature": "c2ln"}, finish=None),
        partial(at("$.title", goes_on=True, stringValue="Hou")),
        partial(at("$.title", stringValue="se"), at("$.size.width", numberValue=3)),
        partial(at("$.points[0].x", numberValue=1.5), at("$.points[1].x", nullValue="NULL_VALUE")),
        partial(at("$['odd key'][\"a.b\"]", boolValue=True)),
        END,
        gemini({"text": ""}),
    ]
    right = {
        "title": "House",
        "size": {"width": 3},
        "points": [{"x": 1.5}, {"x": None}],
        "odd key": {"a.b": True},
    }

    response = decode(events)

    assert found(response) == [("", "draw", right)]
    assert response.assistant == (
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "draw", "args": right}, "thoughtSignature": "c2ln"}],
        },
    )


def test_streamed_calls_are_told_apart_by_id() -> None:
    events = [
        partial(name="ls", id="a"),
        partial(name="cat", id="b"),
        partial(at("$.path", stringValue="x"), id="a"),
        partial(at("$.path", stringValue="y"), id="b"),
        partial(id="a", goes_on=False),
        partial(id="b", goes_on=False),
    ]

    assert found(decode(events)) == [A, B]


@pytest.mark.parametrize("path", ["", "$", "path", "$.", "$[5]", "$.a[1000000]", "$..x", "$.*", "$.a.b"])
def test_a_streamed_value_without_a_place_makes_the_call_unusable(path: str) -> None:
    events = [partial(at("$.a", stringValue="text"), name="ls"), partial(at(path, stringValue="x")), END]

    assert "has no place" in problems(decode(events))[0]


def test_a_streamed_call_that_never_ended_does_not_run() -> None:
    events = [partial(name="ls"), partial(at("$.path", stringValue="x"))]

    assert problems(decode(events)) == [ENDED]
    assert found(decode([*events, END])) == [("", "ls", {"path": "x"})]


def test_text_is_joined_only_where_no_signature_is_lost() -> None:
    parts: list[dict[str, Any]] = [
        {"text": "Look", "thought": True},
        {"text": " first.", "thought": True},
        {"text": "I "},
        {"text": "look."},
        {"text": "", "thoughtSignature": "one"},
        {"text": " Around", "thoughtSignature": "two"},
        {"text": ". Yes."},
        {"text": ""},
    ]

    response = decode([gemini(part, finish=None) for part in parts])

    assert response.assistant == (
        {
            "role": "model",
            "parts": [
                {"text": "Look first.", "thought": True},
                {"text": "I look."},
                {"text": "", "thoughtSignature": "one"},
                {"text": " Around", "thoughtSignature": "two"},
                {"text": ". Yes."},
            ],
        },
    )
    assert (response.text, response.thinking) == ("I look. Around. Yes.", "Look first.")


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({"promptFeedback": {"blockReason": "SAFETY"}}, "SAFETY"),
        (
            {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed: ls(."}]},
            "Malformed: ls(.",
        ),
        ({"candidates": [{"finishReason": "RECITATION"}]}, "RECITATION"),
    ],
)
def test_why_gemini_said_nothing_is_told(document: Any, says: str) -> None:
    response = decode(document)

    assert says in response.text
    assert (response.calls, response.assistant) == ((), ())
