"""Recorded conversations: what we would send is what the recorded client sent, said in another way at most."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest
from equivalence import equal_but_elided, recorded_result, same_meaning
from wire_answers import good_answers

from corpus_files import corpus
from handrail.wire import Answer, Wire, decode, encode, read

Message = dict[str, Any]
INPUTS = {
    "anthropic_messages": "messages",
    "openai_chat": "messages",
    "openai_responses": "input",
    "gemini_generate_content": "contents",
}


@dataclass(frozen=True)
class Recorded:
    """A response with calls, and what its client sent after the request that it answers."""

    id: str
    response: Message
    sent: list[Message]


def recorded_turns() -> list[Recorded]:
    turns: list[Recorded] = []
    for number, record in enumerate(corpus("provider_roundtrips")):
        key = INPUTS.get(record["wire"], "")
        for place, (turn, after) in enumerate(zip(record["turns"], record["turns"][1:], strict=False)):
            before, following = turn["request"].get(key, []), after["request"].get(key, [])
            if turn["calls"] and following[: len(before)] == before and len(following) > len(before):
                sent = following[len(before) :]
                turns.append(Recorded(f"{record['wire']}-{number}-{place}", turn["response"], sent))
    assert turns, "no recorded conversation goes on after a call"
    return turns


TURNS = recorded_turns()
EXCEPTIONS: dict[str, str] = {
    "gemini_generate_content-3-1": "the result is a file at the provider; ours goes as its address, as text",
    "openai_responses-12-0": "the client wrote the provider's own tool search anew; ours goes back as received",
    "openai_responses-13-0": "the client wrote the provider's own tool search anew; ours goes back as received",
    "openai_responses-13-2": "the client added a namespace that the provider had not sent",
}
"""Turns that we give back otherwise than the recorded client, and why that is right."""


def ours_and_theirs(turn: Recorded) -> tuple[list[Any], list[Any]]:
    (response,) = read(json.dumps(turn.response))
    wire = response.wire
    results = [recorded_result(wire, result) for result in results_of(wire, turn.sent)]
    answers = [Answer(call, result, result.fault) for call, result in zip(response.calls, results, strict=True)]
    ours = encode(response, answers)
    # What the client adds after its results is its own matter.
    named = {call.wire_id for call in response.calls}
    return same_meaning(wire, ours, named), same_meaning(wire, turn.sent[: len(ours)], named)


def results_of(wire: Wire, sent: list[Message]) -> list[Message]:
    match wire:
        case Wire.OPENAI_CHAT:
            return [message for message in sent if message["role"] == "tool"]
        case Wire.OPENAI_RESPONSES:
            return [item for item in sent if item.get("type") == "function_call_output"]
        case _:
            parts = [part for content in sent for part in content["parts"]]
            answers = [part.get("functionResponse") or part.get("function_response") for part in parts]
            return [answer for answer in answers if answer]


@pytest.mark.parametrize("turn", TURNS, ids=[turn.id for turn in TURNS])
def test_our_messages_say_what_the_recorded_client_said(turn: Recorded) -> None:
    ours, theirs = ours_and_theirs(turn)
    if turn.id in EXCEPTIONS:
        assert not equal_but_elided(ours, theirs), f"{turn.id} is no exception any more; take it off the list"
    elif not equal_but_elided(ours, theirs):
        assert ours == theirs


def test_every_exception_is_a_recorded_turn() -> None:
    assert EXCEPTIONS.keys() <= {turn.id for turn in TURNS}


def test_elided_text_is_kept_as_text() -> None:
    shortened = [turn.sent[0] for turn in TURNS if "<elided " in json.dumps(turn.sent[0])]
    assert shortened
    for content in shortened:
        response = decode({"candidates": [{"content": content, "finishReason": "STOP"}]})
        assert encode(response, good_answers(response))[0] == content
