from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import pytest
from sdk_types import MESSAGES, problem
from wire_answers import bad_answers, good_answers
from wire_samples import (
    CAT,
    LS,
    NOTHING,
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

from handrail.contract.results import (
    AudioPart,
    CallFault,
    ErrorKind,
    ImagePart,
    JsonPart,
    Part,
    ResourcePart,
    TextPart,
    ToolResult,
)
from handrail.wire import Answer, Response, Wire, decode, encode

PNG = b"\x89PNG\r\n"
PNG64 = base64.b64encode(PNG).decode()
IMAGE = ImagePart(PNG, "image/png")
OWN_TOOLS = next(sample for sample in SAMPLES if sample.id == "openai-responses-own-tools")
ONE_CALL: dict[Wire, Any] = {
    Wire.ANTHROPIC: anthropic(anthropic_use(LS)),
    Wire.OPENAI_CHAT: chat(tool_calls=[chat_call(LS)]),
    Wire.OPENAI_RESPONSES: responses(responses_call(LS)),
    Wire.GEMINI: gemini(gemini_call(LS)),
    Wire.NEUTRAL: neutral(LS),
}


def answered(document: Any, result: ToolResult, fault: CallFault | None = None) -> Any:
    """What the results of the response's calls look like."""
    response = decode(document)
    messages = encode(response, [Answer(call, result, fault) for call in response.calls])
    for message in messages:
        assert response.wire is Wire.NEUTRAL or problem(message, MESSAGES[response.wire]) == ""
    return list(messages[len(response.assistant) :])


def parts(*values: Part) -> ToolResult:
    return ToolResult(values)


TEXT = ToolResult.of_text("done")
FAULT = CallFault(ErrorKind.FAILED, "no such folder")


@pytest.mark.parametrize(
    ("wire", "good", "bad"),
    [
        (
            Wire.ANTHROPIC,
            [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "done"}]}],
            [
                {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "a", "content": "done", "is_error": True}],
                }
            ],
        ),
        (
            Wire.OPENAI_CHAT,
            [{"role": "tool", "tool_call_id": "a", "content": "done"}],
            [{"role": "tool", "tool_call_id": "a", "content": "done"}],
        ),
        (
            Wire.OPENAI_RESPONSES,
            [{"type": "function_call_output", "call_id": "a", "output": "done"}],
            [{"type": "function_call_output", "call_id": "a", "output": "done"}],
        ),
        (
            Wire.GEMINI,
            [
                {
                    "role": "user",
                    "parts": [
                        {"functionResponse": {"id": "a", "name": LS[1], "response": {"output": "done"}}},
                    ],
                }
            ],
            [
                {
                    "role": "user",
                    "parts": [
                        {"functionResponse": {"id": "a", "name": LS[1], "response": {"error": "done"}}},
                    ],
                }
            ],
        ),
        (
            Wire.NEUTRAL,
            [{"results": [{"id": "a", "name": LS[1], "result": "done", "error": None}]}],
            [
                {
                    "results": [
                        {
                            "id": "a",
                            "name": LS[1],
                            "result": "done",
                            "error": {"kind": "failed", "message": "no such folder"},
                        }
                    ]
                }
            ],
        ),
    ],
)
def test_a_result_has_the_form_of_its_wire(wire: Wire, good: Any, bad: Any) -> None:
    assert answered(ONE_CALL[wire], TEXT) == good
    assert answered(ONE_CALL[wire], TEXT, FAULT) == bad
    assert answered(ONE_CALL[wire], replace(TEXT, fault=FAULT)) == bad


RICH = parts(TextPart("see"), IMAGE, AudioPart(b"la", "audio/wav"), ResourcePart("file:///a"), JsonPart({"n": 1}))
SEEN = "see\n[image image/png, 6 bytes]\n[audio audio/wav, 2 bytes]\n[resource file:///a]\n" + '{"n": 1}'


def test_media_go_where_a_wire_can_carry_them() -> None:
    (message,) = answered(ONE_CALL[Wire.ANTHROPIC], RICH)
    assert message["content"][0]["content"] == [
        {"type": "text", "text": "see"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG64}},
        {"type": "text", "text": "[audio audio/wav, 2 bytes]"},
        {"type": "text", "text": "[resource file:///a]"},
        {"type": "text", "text": '{"n": 1}'},
    ]

    (item,) = answered(ONE_CALL[Wire.OPENAI_RESPONSES], RICH)
    assert item["output"][:2] == [
        {"type": "input_text", "text": "see"},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG64}"},
    ]

    (content,) = answered(ONE_CALL[Wire.GEMINI], RICH)
    assert content["parts"][0]["functionResponse"] == {
        "id": "a",
        "name": LS[1],
        "response": {"output": SEEN.replace("[image image/png, 6 bytes]\n", "")},
        "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG64}}],
    }

    assert answered(ONE_CALL[Wire.OPENAI_CHAT], RICH)[0]["content"] == SEEN
    assert answered(ONE_CALL[Wire.NEUTRAL], RICH)[0]["results"][0]["result"] == SEEN


def test_a_failed_anthropic_result_holds_text_only_because_the_provider_takes_no_other() -> None:
    (message,) = answered(ONE_CALL[Wire.ANTHROPIC], RICH, FAULT)

    assert message["content"][0]["content"] == SEEN


@pytest.mark.parametrize("wire", [Wire.ANTHROPIC, Wire.GEMINI])
def test_an_image_that_the_provider_refuses_is_named_in_text(wire: Wire) -> None:
    (message,) = answered(ONE_CALL[wire], parts(ImagePart(b"<svg/>", "image/svg+xml")))

    assert "[image image/svg+xml, 6 bytes]" in str(message)


def test_gemini_gets_one_json_value_as_it_is() -> None:
    (content,) = answered(ONE_CALL[Wire.GEMINI], ToolResult.of_json({"files": 3}))

    assert content["parts"][0]["functionResponse"]["response"] == {"output": {"files": 3}}


def test_each_of_the_apis_own_calls_has_its_own_output() -> None:
    response = decode(OWN_TOOLS.document)
    tools = [{"type": "function", "name": "weather", "parameters": {}, "strict": False}]
    results = [
        TEXT,
        TEXT,
        ToolResult.of_text("done", data={"exit_code": 3}),
        parts(IMAGE),
        ToolResult.of_text("", data={"tools": tools}),
        TEXT,
    ]
    messages = encode(response, [Answer(c, r) for c, r in zip(response.calls, results, strict=True)])

    assert list(messages[6:]) == [
        {"type": "apply_patch_call_output", "call_id": "p", "status": "completed", "output": "done"},
        {"type": "local_shell_call_output", "id": "l", "call_id": "l", "output": "done"},
        {
            "type": "shell_call_output",
            "call_id": "s",
            "output": [{"stdout": "done", "stderr": "", "outcome": {"type": "exit", "exit_code": 3}}],
            "max_output_length": 500,
        },
        {
            "type": "computer_call_output",
            "call_id": "k",
            "output": {"type": "computer_screenshot", "image_url": f"data:image/png;base64,{PNG64}"},
            "status": "completed",
            "acknowledged_safety_checks": [{"id": "check", "code": "x", "message": "careful"}],
        },
        {"type": "tool_search_output", "call_id": "t", "execution": "client", "status": "completed", "tools": tools},
        {"type": "mcp_approval_response", "approval_request_id": "m", "approve": True},
    ]
    assert [problem(message, MESSAGES[Wire.OPENAI_RESPONSES]) for message in messages] == [""] * 12


def test_each_of_the_apis_own_calls_can_fail() -> None:
    response = decode(OWN_TOOLS.document)
    patch, local, shell, computer, search, approval = encode(response, bad_answers(response))[6:]

    assert (patch["status"], patch["output"]) == ("failed", "error 0")
    assert local["output"] == "error 1"
    assert shell["output"] == [{"stdout": "", "stderr": "error 2", "outcome": {"type": "exit", "exit_code": 1}}]
    assert (computer["status"], "acknowledged_safety_checks" in computer) == ("incomplete", False)
    assert (search["status"], search["tools"]) == ("incomplete", [])
    assert (approval["approve"], approval["reason"]) == (False, "error 5")


def test_a_shell_call_that_took_too_long_says_so() -> None:
    response = decode(OWN_TOOLS.document)
    shell: Any = encode(response, bad_answers(response, ErrorKind.TIMEOUT))[8]

    assert shell["output"][0]["outcome"] == {"type": "timeout"}


PRINTED: dict[str, Any] = {"output": "0123456789\n", "notes": "[1 process was stopped.]", "exit_code": 3}


@pytest.mark.parametrize(
    ("text", "data", "most", "right"),
    [
        (
            "0123456789\nExit code: 3\n[1 process was stopped.]",
            {},
            None,
            ("0123456789\n", "[1 process was stopped.]", 3),
        ),
        (
            "0123456789\nSignal: 9 (SIGKILL)",
            {"exit_code": None, "signal": 9, "notes": ""},
            None,
            ("0123456789\n", "", 137),
        ),
        ("(no output)\nExit code: 3", {"output": "", "notes": ""}, None, ("", "", 3)),
        ("0123456789\nExit code: 3", {}, 15, ("0123456789\n", "[1.]", 3)),
        ("0123456789\nExit code: 3", {}, 5, ("0129\n", "", 3)),
        ("0123456789\nExit code: 3", {}, 0, ("", "", 3)),
        ("0123456789\nExit code: 3", {}, -1, ("", "", 3)),
        ("[redacted]\nExit code: 3", {}, None, ("[redacted]\nExit code: 3", "", 3)),
    ],
    ids=["apart", "signal", "nothing printed", "notes cut", "output cut", "none wanted", "negative", "changed since"],
)
def test_a_shell_call_gets_what_was_printed_apart_from_how_it_ended(
    text: str, data: dict[str, Any], most: int | None, right: tuple[str, str, int]
) -> None:
    action: dict[str, Any] = {"commands": ["x"], **({} if most is None else {"max_output_length": most})}
    document = responses({"type": "shell_call", "call_id": "s", "action": action})
    (item,) = answered(document, ToolResult.of_text(text, data={**PRINTED, **data}))

    stdout, stderr, code = right
    assert item["output"] == [
        {"stdout": stdout, "stderr": stderr, "outcome": {"type": "exit", "exit_code": code}},
    ]
    assert item.get("max_output_length") == most


@pytest.mark.parametrize(("code", "right"), [(0, 0), (127, 127), (True, 0), ("3", 0), (None, 0)])
def test_a_shell_call_without_an_exit_code_ended_well(code: Any, right: int) -> None:
    document = responses({"type": "shell_call", "call_id": "s", "action": {"commands": ["ls"]}})
    (item,) = answered(document, ToolResult.of_text("done", data={"exit_code": code}))

    assert item["output"][0]["outcome"] == {"type": "exit", "exit_code": right}
    assert "max_output_length" not in item


def test_a_result_names_the_program_or_the_toolset_that_made_the_call() -> None:
    program = {"type": "program", "caller_id": "p"}
    (item,) = answered(responses(responses_call(LS, caller=program)), TEXT)
    (message,) = answered(anthropic(anthropic_use(LS, toolset_name="browser")), TEXT)

    assert item["caller"] == program
    assert message["content"][0]["toolset_name"] == "browser"


def test_a_legacy_function_is_answered_by_name() -> None:
    document = chat("function_call", content=None, function_call={"name": "now", "arguments": "{}"}, tool_calls=None)
    messages = encode(decode(document), good_answers(decode(document)))

    assert messages == (
        {"role": "assistant", "content": None, "function_call": {"name": "now", "arguments": "{}"}},
        {"role": "function", "name": "now", "content": "result 0"},
    )


# Answers that do not fit


def two_calls() -> Response:
    return decode(neutral(CAT, NOTHING))


@pytest.mark.parametrize("pick", [[], [0], [1, 0], [0, 1, 1]], ids=str)
def test_answers_that_are_not_one_for_each_call_in_order_are_refused(pick: list[int]) -> None:
    answers = good_answers(two_calls())

    with pytest.raises(ValueError, match="do not match"):
        encode(two_calls(), [answers[place] for place in pick])


@pytest.mark.parametrize("wire", list(Wire))
def test_a_response_without_calls_gets_no_results(wire: Wire) -> None:
    empty = {
        Wire.ANTHROPIC: anthropic({"type": "text", "text": "Done."}, stop_reason="end_turn"),
        Wire.OPENAI_CHAT: chat("stop", content="Done."),
        Wire.OPENAI_RESPONSES: responses(),
        Wire.GEMINI: gemini({"text": "Done."}),
        Wire.NEUTRAL: neutral(),
    }[wire]
    response = decode(empty)

    assert encode(response, []) == response.assistant


@pytest.mark.parametrize("reason", ["pause_turn", "compaction"])
def test_a_paused_turn_is_paused(reason: str) -> None:
    assert decode(anthropic({"type": "text", "text": "Wait."}, stop_reason=reason)).paused
