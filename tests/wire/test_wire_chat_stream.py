from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import pytest
from wire_answers import found
from wire_samples import (
    CAT,
    LS,
    Call,
    chat_call,
)
from wire_streams import chunk

from handrail.wire import decode


def piece(arguments: str = "", **more: Any) -> dict[str, Any]:
    name = more.pop("name", None)
    function = {"arguments": arguments} | ({"name": name} if name else {})
    return {"function": function, **more}


@dataclass(frozen=True)
class Named:
    id: str
    deltas: Sequence[dict[str, Any]]
    right: list[Call]
    because: str


A, B = ("a", "ls", {"path": "x"}), ("b", "cat", {"path": "y"})
NAMED = [
    Named(
        "no-index",
        [
            piece(id="a", name="ls"),
            piece('{"path":', id="a"),
            piece('"x"}', id="a"),
            piece('{"path":"y"}', id="b", name="cat"),
        ],
        [A, B],
        "the id alone",
    ),
    Named(
        "one-id-for-two",
        [
            piece(id="a", name="ls", index=0),
            piece('{"path":"x"}', index=0),
            piece(id="a", name="cat", index=1),
            piece('{"path":"y"}', index=1),
        ],
        [A, ("call_2", "cat", {"path": "y"})],
        "a name at another index is another call, whatever its id; it gets one of its own",
    ),
    Named(
        "same-index-for-all",
        [
            piece('{"path":"x"}', id="a", name="ls", index=0),
            piece('{"path":', id="b", name="cat", index=0),
            piece('"y"}', index=0),
        ],
        [A, B],
        "a new id and name at a known index is a new call, and what follows is its",
    ),
    Named(
        "wrong-index-later",
        [
            piece('{"path":', id="a", name="ls", index=0),
            piece("", id="b", name="cat", index=1),
            piece('"x"}', id="a", index=1),
            piece('{"path":"y"}', id="b", index=0),
        ],
        [A, B],
        "a known id wins over the index",
    ),
    Named(
        "neither-index-nor-id",
        [piece('{"path":', name="ls"), piece('"x"}'), piece('{"path":"y"}', name="cat")],
        [("call_1", *A[1:]), ("call_2", *B[1:])],
        "a name begins a call, and the rest goes to the last one",
    ),
    Named(
        "no-id",
        [piece('{"path":"x"}', name="ls", index=0), piece('{"path":"y"}', name="cat", index=1)],
        [("call_1", *A[1:]), ("call_2", *B[1:])],
        "the index alone",
    ),
    Named(
        "no-id-same-index",
        [piece('{"path":"x"}', name="ls", index=0), piece('{"path":"y"}', name="cat", index=0)],
        [("call_1", *A[1:]), ("call_2", *B[1:])],
        "arguments that are complete can't go on",
    ),
    Named(
        "new-id-with-every-fragment",
        [piece("", id="a", name="ls", index=0), piece('{"path":', id="a2", index=0), piece('"x"}', id="a3", index=0)],
        [A],
        "only a name begins a call where there is one",
    ),
    Named(
        "late-id",
        [piece('{"path":', name="ls", index=0), piece('"x"}', id="a", index=0)],
        [A],
        "the call had none yet",
    ),
    Named(
        "repeated-name",
        [piece('{"path":', id="a", name="ls", index=0), piece('"x"}', name="ls", index=0)],
        [A],
        "the same name again is the same name",
    ),
    Named(
        "out-of-order",
        [piece('{"path":"y"}', id="b", name="cat", index=1), piece('{"path":"x"}', id="a", name="ls", index=0)],
        [A, B],
        "the index is the model's order",
    ),
    Named(
        "arguments-as-an-object",
        [{"id": "a", "index": 0, "function": {"name": "ls", "arguments": {"path": "x"}}}],
        [A],
        "some servers don't write the object as text",
    ),
    Named(
        "free-text",
        [
            {"id": "q", "type": "custom", "index": 0, "custom": {"name": "sql", "input": "select "}},
            {"index": 0, "custom": {"input": "1"}},
        ],
        [("q", "sql", "select 1")],
        "a custom tool's input comes in pieces too",
    ),
    Named("nothing", [piece(id="a", name="now", index=0)], [("a", "now", {})], "no arguments at all"),
]


@pytest.mark.parametrize("case", NAMED, ids=attrgetter("id"))
def test_a_chat_fragment_finds_its_call(case: Named) -> None:
    events = [chunk(tool_calls=[delta]) for delta in case.deltas]

    assert found(decode([*events, chunk("tool_calls")])) == case.right


def test_a_legacy_function_call_is_put_together() -> None:
    events = [
        chunk(function_call={"name": "ls", "arguments": ""}),
        chunk(function_call={"arguments": '{"path":'}),
        chunk(function_call={"arguments": '"x"}'}),
        chunk("function_call"),
    ]

    assert found(decode(events)) == [("", "ls", {"path": "x"})]


def test_what_a_chat_provider_added_goes_back() -> None:
    details = [
        {"type": "reasoning.text", "index": 0, "text": "Look "},
        {"type": "reasoning.text", "index": 0, "text": "first.", "signature": "c2ln"},
        {"type": "reasoning.encrypted", "index": 1, "data": "eHh4"},
    ]
    events = [
        chunk(role="assistant", reasoning_content="Look ", reasoning_details=details[:1], channel="analysis"),
        chunk(reasoning_content="first.", reasoning_details=details[1:]),
        chunk(
            tool_calls=[
                piece("{}", id="a", name="ls", index=0, extra_content={"google": {"thought_signature": "c2ln"}})
            ]
        ),
        chunk("tool_calls"),
    ]

    assert decode(events).assistant == (
        {
            "role": "assistant",
            "reasoning_content": "Look first.",
            "reasoning_details": [
                {"type": "reasoning.text", "index": 0, "text": "Look first.", "signature": "c2ln"},
                {"type": "reasoning.encrypted", "index": 1, "data": "eHh4"},
            ],
            "tool_calls": [
                {
                    "id": "a",
                    "type": "function",
                    "function": {"name": "ls", "arguments": "{}"},
                    "extra_content": {"google": {"thought_signature": "c2ln"}},
                }
            ],
        },
    )


def test_only_the_first_choice_is_the_turn() -> None:
    def choice(index: int, call: Call) -> dict[str, Any]:
        return {"index": index, "message": {"tool_calls": [chat_call(call)]}, "finish_reason": "tool_calls"}

    whole = {"choices": [choice(1, CAT), choice(0, LS)]}
    events = [
        {"choices": [{"index": c["index"], "delta": c["message"], "finish_reason": "tool_calls"}]}
        for c in whole["choices"]
    ]

    assert found(decode(whole)) == found(decode(events)) == [LS]
