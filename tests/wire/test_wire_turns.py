from __future__ import annotations

from typing import Any

import pytest
from wire_answers import good_answers
from wire_samples import (
    LS,
    SAMPLES,
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

from handrail.wire import Wire, decode, encode

OWN_TOOLS = next(sample for sample in SAMPLES if sample.id == "openai-responses-own-tools")


# Ids


MENDED: list[tuple[Wire, Any]] = [
    (Wire.ANTHROPIC, anthropic(*[anthropic_use((id, "ls", {})) for id in ("x", "x", "", None, "call_3")])),
    (Wire.OPENAI_CHAT, chat(tool_calls=[chat_call((id, "ls", {})) for id in ("x", "x", "", None, "call_3")])),
    (
        Wire.OPENAI_RESPONSES,
        responses(*[responses_call((id, "ls", {})) for id in ("x", "x", "", None, "call_3")]),
    ),
    (Wire.NEUTRAL, neutral(*[(id, "ls", {}) for id in ("x", "x", "", None, "call_3")])),
]
RIGHT_IDS = ["x", "call_2", "call_3_2", "call_4", "call_3"]


@pytest.mark.parametrize(("wire", "document"), MENDED, ids=[wire for wire, _ in MENDED])
def test_missing_empty_and_repeated_ids_are_mended_in_the_turn_too(wire: Wire, document: Any) -> None:
    response = decode(document)
    turn, results = given_ids(wire, encode(response, good_answers(response)), len(response.assistant))

    assert [call.id for call in response.calls] == [call.wire_id for call in response.calls] == RIGHT_IDS
    assert turn == results == RIGHT_IDS


def given_ids(wire: Wire, messages: Any, turn: int) -> tuple[list[str], list[str]]:
    match wire:
        case Wire.ANTHROPIC:
            return [b["id"] for b in messages[0]["content"]], [b["tool_use_id"] for b in messages[1]["content"]]
        case Wire.OPENAI_CHAT:
            return [c["id"] for c in messages[0]["tool_calls"]], [m["tool_call_id"] for m in messages[1:]]
        case Wire.OPENAI_RESPONSES:
            return [i["call_id"] for i in messages[:turn]], [i["call_id"] for i in messages[turn:]]
        case _:
            return [c["id"] for c in messages[0]["calls"]], [r["id"] for r in messages[1]["results"]]


def test_gemini_calls_without_an_id_are_answered_without_one() -> None:
    document = gemini(gemini_call(("", "ls", {})), gemini_call(("x", "ls", {})), gemini_call(("x", "ls", {})))
    response = decode(document)
    turn, results = encode(response, good_answers(response))

    assert [call.id for call in response.calls] == ["call_1", "x", "call_3"]
    assert [call.wire_id for call in response.calls] == ["", "x", "call_3"]
    assert turn["parts"][0] == gemini_call(("", "ls", {}))
    assert [part["functionCall"].get("id") for part in turn["parts"]] == [None, "x", "call_3"]
    assert [part["functionResponse"].get("id") for part in results["parts"]] == [None, "x", "call_3"]


def test_a_mended_id_is_not_that_of_a_server_side_block() -> None:
    server = {"type": "server_tool_use", "id": "call_1", "name": "web_search", "input": {}}

    assert decode(anthropic(server, anthropic_use(("", "ls", {})))).calls[0].id == "call_1_2"


# The turn


def test_the_assistants_turn_goes_back_as_it_came() -> None:
    for sample in SAMPLES:
        if sample.wire is Wire.ANTHROPIC:
            assert decode(sample.document).assistant == ({"role": "assistant", "content": sample.document["content"]},)
        if sample.wire is Wire.GEMINI:
            assert decode(sample.document).assistant == (sample.document["candidates"][0]["content"],)


def test_only_what_no_provider_takes_is_left_out_of_a_chat_turn() -> None:
    message: dict[str, Any] = {
        "content": "Hi",
        "refusal": None,
        "annotations": [],
        "audio": {"id": "au", "data": "eHh4", "transcript": "Hi"},
        "reasoning": "Look first.",
        "function_call": {"name": "", "arguments": ""},
        "vendor_state": {"a": 1},
    }

    assert decode(chat("stop", **message)).assistant == (
        {
            "role": "assistant",
            "content": "Hi",
            "reasoning": "Look first.",
            "vendor_state": {"a": 1},
            "audio": {"id": "au"},
        },
    )


def test_blank_anthropic_text_is_not_given_back_because_the_provider_refuses_it() -> None:
    document = anthropic({"type": "text", "text": " \n"}, anthropic_use(LS))

    assert decode(document).assistant == ({"role": "assistant", "content": [anthropic_use(LS)]},)
    assert decode(anthropic()).assistant == ()


def test_output_only_fields_of_items_are_not_given_back() -> None:
    item = responses_call(LS, created_by="somebody")
    reasoning = {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "eHh4", "status": None}

    assert decode(responses(reasoning, item)).assistant == (
        {"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "eHh4"},
        responses_call(LS),
    )


# Which calls are the client's

SHELL: dict[str, Any] = {"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}}
CUSTOM: dict[str, Any] = {"type": "custom_tool_call", "call_id": "x", "name": "x_find", "input": "{}"}
SERVER_SIDE: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("in-a-container", [SHELL | {"environment": {"type": "container_reference", "container_id": "c"}}], {}),
    ("answered-already", [SHELL, {"type": "shell_call_output", "call_id": "s", "output": []}], {}),
    ("tool-search", [{"type": "tool_search_call", "execution": "server", "arguments": {}}], {}),
    ("step-of-a-hosted-tool", [CUSTOM], {"tools": [{"type": "x_search"}]}),
    ("web-search", [{"type": "web_search_call", "id": "ws", "action": {}}], {}),
    ("mcp", [{"type": "mcp_call", "id": "m", "name": "a", "server_label": "s", "arguments": "{}"}], {}),
    ("unknown", [{"type": "teleport_call", "call_id": "t", "arguments": "{}"}], {}),
]


@pytest.mark.parametrize(("output", "more"), [case[1:] for case in SERVER_SIDE], ids=[case[0] for case in SERVER_SIDE])
def test_server_side_calls_are_given_back_and_not_run(output: list[Any], more: dict[str, Any]) -> None:
    response = decode(responses(*output, **more))

    assert response.calls == ()
    assert list(response.assistant) == output


def test_a_declared_custom_tool_beside_a_hosted_one_is_the_clients() -> None:
    tools = [{"type": "x_search"}, {"type": "namespace", "name": "n", "tools": [{"type": "custom", "name": "x_find"}]}]

    assert [call.name for call in decode(responses(CUSTOM, tools=tools)).calls] == ["x_find"]
    assert [call.name for call in decode(responses(CUSTOM, tools=[])).calls] == ["x_find"]


def test_a_hosted_servers_approval_request_names_the_server() -> None:
    assert decode(OWN_TOOLS.document).calls[-1].server == "tracker"
