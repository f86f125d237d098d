"""Whether a conversation is well paired: each call is followed by exactly one result, and no result lacks its call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from handrail.wire import Wire

_CALLS = frozenset(
    {
        "function_call",
        "custom_tool_call",
        "mcp_approval_request",
        "apply_patch_call",
        "local_shell_call",
        "shell_call",
        "tool_search_call",
    }
)


def unpaired(messages: Sequence[Any], wire: Wire, own: set[str] | None = None) -> list[str]:
    """What is wrong, a line each; empty for a conversation that every provider takes.

    `own`: the ids of calls that are the client's; None where all are.
    """
    problems: list[str] = []
    waiting: list[str] = []
    for place, (calls, results, goes_on) in enumerate(_steps(messages, wire)):
        for result in results:
            if result in waiting:
                waiting.remove(result)
            elif own is None or result in own:
                problems.append(f"message {place}: result {result!r} has no call before it")
        if waiting and goes_on:
            problems.append(f"message {place}: calls {waiting} have no result when the conversation goes on")
            waiting = []
        waiting += [call for call in calls if own is None or call in own]
    return problems + ([f"at the end: calls {waiting} have no result"] if waiting else [])


def _steps(messages: Sequence[Any], wire: Wire) -> Iterator[tuple[list[str], list[str], bool]]:
    """Of each message: the ids of its calls, those of its results, and whether all calls before must be answered."""
    for message in messages:
        match wire:
            case Wire.ANTHROPIC:
                content = message["content"]
                blocks = [] if isinstance(content, str) else content
                results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
                yield [block["id"] for block in blocks if block["type"] == "tool_use"], results, True
            case Wire.OPENAI_CHAT:
                legacy = ["legacy"] if message.get("function_call") else []
                results = {"tool": [message.get("tool_call_id")], "function": ["legacy"]}.get(message["role"], [])
                yield [call["id"] for call in message.get("tool_calls") or []] + legacy, results, not results
            case Wire.OPENAI_RESPONSES:
                kind = str(message.get("type", "message"))
                ids = [str(message[key]) for key in ("call_id", "approval_request_id", "id") if key in message][:1]
                answers = kind.endswith("_output") or kind == "mcp_approval_response"
                yield ids if kind in _CALLS else [], ids if answers else [], message.get("role") == "user"
            case Wire.GEMINI:
                calls = [part["functionCall"] for part in message["parts"] if "functionCall" in part]
                given = [part["functionResponse"] for part in message["parts"] if "functionResponse" in part]
                yield (
                    [call.get("id") or call["name"] for call in calls],
                    [g.get("id") or g["name"] for g in given],
                    True,
                )
            case Wire.NEUTRAL:
                given = [result["id"] for result in message.get("results", [])]
                yield [call["id"] for call in message.get("calls", [])], given, True
