"""Answers to the calls of a response, as the runtime would give them."""

from __future__ import annotations

from typing import Any

from handrail.contract.calls import CallRequest, FreeText, ObjectArguments, UnusableArguments
from handrail.contract.results import CallFault, ErrorKind, ToolResult
from handrail.wire import Answer, Response


def good_answers(response: Response) -> list[Answer]:
    return [Answer(call, ToolResult.of_text(f"result {place}")) for place, call in enumerate(response.calls)]


def bad_answers(response: Response, kind: ErrorKind = ErrorKind.DENIED) -> list[Answer]:
    fault = CallFault(kind, "not this time")
    return [Answer(call, ToolResult.of_text(f"error {place}"), fault) for place, call in enumerate(response.calls)]


def arguments_of(call: CallRequest) -> Any:
    match call.arguments:
        case ObjectArguments(value):
            return value
        case FreeText(text):
            return text
        case unusable:
            return unusable


def found(response: Response) -> list[tuple[str, str, Any]]:
    """Identifier, name and arguments of each call."""
    return [(call.wire_id, call.name, arguments_of(call)) for call in response.calls]


def problems(response: Response) -> list[str]:
    """What is wrong with each call's arguments; empty for a call that may run."""
    sent = [call.arguments for call in response.calls]
    return [value.problem if isinstance(value, UnusableArguments) else "" for value in sent]
