"""Small responses of every wire, written here, with the calls that they hold."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from handrail.wire import Wire

Call = tuple[str, str, Any]
"""Identifier, name, arguments."""

LS: Call = ("a", "list_directory", {"path": "src"})
CAT: Call = ("b", "read_file", {"file_path": "src/päth 😀.py", "lines": [1, 2.5, None, True]})
NOTHING: Call = ("c", "now", {})


@dataclass(frozen=True)
class Sample:
    id: str
    wire: Wire
    document: Any
    calls: list[Call]
    text: str = ""
    thinking: str = ""


def anthropic_use(call: Call, **more: Any) -> dict[str, Any]:
    id, name, arguments = call
    return {"type": "tool_use", "id": id, "name": name, "input": arguments, **more}


def anthropic(*blocks: Any, stop_reason: str = "tool_use") -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(blocks), "stop_reason": stop_reason}


def chat_call(call: Call, **more: Any) -> dict[str, Any]:
    id, name, arguments = call
    return {"id": id, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}, **more}


def chat(finish_reason: str | None = "tool_calls", **message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", **message}}
    return {"object": "chat.completion", "choices": [choice]}


def responses_call(call: Call, **more: Any) -> dict[str, Any]:
    id, name, arguments = call
    return {
        "type": "function_call",
        "id": f"fc_{id}",
        "call_id": id,
        "name": name,
        "arguments": json.dumps(arguments),
        "status": "completed",
        **more,
    }


def responses(*output: Any, status: str = "completed", **more: Any) -> dict[str, Any]:
    return {"object": "response", "id": "resp_1", "status": status, "output": list(output), **more}


def gemini_call(call: Call, **more: Any) -> dict[str, Any]:
    id, name, arguments = call
    return {"functionCall": {**({"id": id} if id else {}), "name": name, "args": arguments}, **more}


def gemini(*parts: Any, finish: str | None = "STOP", **more: Any) -> dict[str, Any]:
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": list(parts)}}
    return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], **more}


def neutral(*calls: Call) -> dict[str, Any]:
    return {"calls": [{"id": id, "name": name, "arguments": arguments} for id, name, arguments in calls]}


SAMPLES = [
    Sample(
        "anthropic",
        Wire.ANTHROPIC,
        anthropic(
            {"type": "thinking", "thinking": "Look first.", "signature": "c2ln"},
            {"type": "redacted_thinking", "data": "eHh4"},
            {"type": "text", "text": "I look "},
            {"type": "text", "text": "around."},
            anthropic_use(LS),
            {"type": "server_tool_use", "id": "srv", "name": "web_search", "input": {"query": "x"}},
            {"type": "web_search_tool_result", "tool_use_id": "srv", "content": []},
            anthropic_use(CAT, caller={"type": "code_execution_20250825", "tool_id": "srv"}),
        ),
        [LS, CAT],
        "I look around.",
        "Look first.",
    ),
    Sample(
        "openai-chat",
        Wire.OPENAI_CHAT,
        chat(
            content="I look around.",
            reasoning_content="Look first.",
            refusal=None,
            annotations=[],
            tool_calls=[
                chat_call(LS, index=0, extra_content={"google": {"thought_signature": "c2ln"}}),
                {"id": "q", "type": "custom", "custom": {"name": "sql", "input": "select 1"}},
                chat_call(CAT),
            ],
        ),
        [LS, ("q", "sql", "select 1"), CAT],
        "I look around.",
        "Look first.",
    ),
    Sample(
        "openai-chat-legacy",
        Wire.OPENAI_CHAT,
        chat("function_call", content=None, function_call={"name": "now", "arguments": ""}),
        [("", "now", {})],
    ),
    Sample(
        "openai-responses",
        Wire.OPENAI_RESPONSES,
        responses(
            {
                "type": "reasoning",
                "id": "rs_1",
                "summary": [{"type": "summary_text", "text": "Look first."}],
                "encrypted_content": "eHh4",
                "status": None,
            },
            {
                "type": "message",
                "id": "msg_1",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "I look around.", "annotations": []}],
            },
            {
                "type": "web_search_call",
                "id": "ws_1",
                "status": "completed",
                "action": {"type": "search", "query": "x"},
            },
            responses_call(LS),
            {"type": "custom_tool_call", "id": "ctc_1", "call_id": "q", "name": "sql", "input": "select 1"},
            responses_call(CAT, caller={"type": "program", "caller_id": "p"}),
        ),
        [LS, ("q", "sql", "select 1"), CAT],
        "I look around.",
        "Look first.",
    ),
    Sample(
        "openai-responses-own-tools",
        Wire.OPENAI_RESPONSES,
        responses(
            {
                "type": "apply_patch_call",
                "id": "apc",
                "call_id": "p",
                "status": "completed",
                "operation": {"type": "delete_file", "path": "old.txt"},
                "created_by": "somebody",
            },
            {
                "type": "local_shell_call",
                "id": "lsh",
                "call_id": "l",
                "status": "completed",
                "action": {"type": "exec", "command": ["ls"], "env": {}},
            },
            {
                "type": "shell_call",
                "id": "sh",
                "call_id": "s",
                "status": "completed",
                "action": {"commands": ["ls"], "timeout_ms": None, "max_output_length": 500},
                "environment": {"type": "local"},
            },
            {
                "type": "computer_call",
                "id": "cc",
                "call_id": "k",
                "status": "completed",
                "action": {"type": "screenshot"},
                "pending_safety_checks": [{"id": "check", "code": "x", "message": "careful"}],
            },
            {
                "type": "tool_search_call",
                "id": "ts",
                "call_id": "t",
                "status": "completed",
                "execution": "client",
                "arguments": {"goal": "weather"},
            },
            {
                "type": "mcp_approval_request",
                "id": "m",
                "server_label": "tracker",
                "name": "create_issue",
                "arguments": '{"title": "x"}',
            },
        ),
        [
            ("p", "apply_patch", {"type": "delete_file", "path": "old.txt"}),
            ("l", "local_shell", {"type": "exec", "command": ["ls"], "env": {}}),
            ("s", "shell", {"commands": ["ls"], "timeout_ms": None, "max_output_length": 500}),
            ("k", "computer", {"type": "screenshot"}),
            ("t", "tool_search", {"goal": "weather"}),
            ("m", "create_issue", {"title": "x"}),
        ],
    ),
    Sample(
        "gemini",
        Wire.GEMINI,
        gemini(
            {"text": "Look first.", "thought": True},
            {"text": "I look around."},
            gemini_call(("", *LS[1:]), thoughtSignature="c2ln"),
            {"executableCode": {"language": "PYTHON", "code": "1"}},
            {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
            gemini_call(CAT),
        ),
        [("", *LS[1:]), CAT],
        "I look around.",
        "Look first.",
    ),
    Sample("neutral", Wire.NEUTRAL, neutral(LS, CAT, NOTHING), [LS, CAT, NOTHING]),
]
