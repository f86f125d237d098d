"""The texts a model gets for a call that did not go well: what happened, and what it may do next."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from handrail.contract.basics import JsonObject
from handrail.contract.calls import CallRequest, Canceller
from handrail.contract.decision import Decision
from handrail.contract.results import CallFault, ErrorKind, TextPart, ToolResult
from handrail.contract.tool import Tool

MOST_SCHEMA = 8_000
"""Characters of a schema that an error tells."""


def faulty(kind: ErrorKind, message: str, partial: ToolResult | None = None) -> tuple[CallFault, ToolResult]:
    """The fault, and the result that tells the model; what the call gave before goes along."""
    parts = (TextPart(message), *(partial.parts if partial else ()))
    fault = CallFault(kind, message)
    return fault, ToolResult(parts, fault=fault, display=partial.display if partial else None)


def parameters_of(tool: Tool[Any]) -> str:
    """For a model that may never have seen them: it called a tool that it was to look for first."""
    schema = json.dumps(tool.parameters.schema, ensure_ascii=False)
    told = schema if len(schema) <= MOST_SCHEMA else "too long to show here; look on your menu, where it is now"
    return f"\nIts parameters, as a JSON Schema: {told}"


def denied(tool: str, decision: Decision) -> tuple[CallFault, ToolResult]:
    message = f"{tool} was not run: {decision.reason} Don't try the same by other means; say what you need and why."
    return faulty(ErrorKind.DENIED, message)


def nobody_to_ask(decision: Decision) -> str:
    """The reason of a call that was to be asked about, with nobody there."""
    return f"{decision.reason} Nobody could be asked, so it is denied."


def asker_failed(decision: Decision, why: str) -> str:
    return f"{decision.reason} The one to ask failed ({why}), so it is denied."


def person_needed(decision: Decision) -> str:
    return f"{decision.reason} This is never approved in advance, and nobody could be asked, so it is denied."


def expired(tool: str) -> tuple[CallFault, ToolResult]:
    return faulty(
        ErrorKind.EXPIRED,
        f"{tool} was not run: a person was to be asked about it, and nobody answered in time. That is no refusal: go "
        "on with what needs no approval, or make the call again when somebody is there.",
    )


def rejected(tool: str, feedback: str) -> tuple[CallFault, ToolResult]:
    said = f" They said: {feedback}" if feedback else " They gave no reason: ask them before you try again."
    return faulty(ErrorKind.REJECTED, f"A person was asked about this {tool} call and said no; it was not run.{said}")


def with_edit(result: ToolResult, arguments: JsonObject) -> ToolResult:
    """What ran is not what the model asked for: it is told so, beside the result."""
    note = TextPart(f"(A person changed the arguments before this ran: {json.dumps(arguments, ensure_ascii=False)})")
    return replace(result, parts=(*result.parts, note))


def cancelled(by: Canceller, *, started: bool, partial: str = "") -> tuple[CallFault, ToolResult]:
    how_far = (
        "It had started, and may have done a part of its work: look before you repeat it."
        if started
        else "It had not started, and changed nothing."
    )
    then = " Ask them before you make it again." if by.is_person else ""
    text = f"The call was cancelled by {by}. {how_far}{then}"
    if partial:
        text += f" Its output until then:\n{partial}"
    return faulty(ErrorKind.CANCELLED, text)


def timed_out(tool: str, seconds: float) -> tuple[CallFault, ToolResult]:
    return faulty(
        ErrorKind.TIMEOUT,
        f"{tool} was stopped after {seconds:g} s. It may have done a part of its work: look before you repeat "
        "it, and ask for less at a time.",
    )


def interrupted(tool: str, why: str) -> tuple[CallFault, ToolResult]:
    return faulty(
        ErrorKind.INTERRUPTED,
        f"{tool} had started, and nobody knows how it ended: {why}. Look at what it changed before you go on; it is "
        "not run again by itself.",
    )


def lost(tool: str) -> tuple[CallFault, ToolResult]:
    return faulty(
        ErrorKind.INTERRUPTED,
        f"{tool} was not finished before the program ended, and what it was to do is no longer kept, so it is not "
        "taken up. Look at what is there, and make the call again if it is still needed.",
    )


def result_gone(tool: str, outcome: str) -> tuple[CallFault, ToolResult]:
    return faulty(
        ErrorKind.INTERRUPTED,
        f"{tool} ended before a restart ({outcome}), and its result is no longer kept. It is not run again by itself: "
        "look at what is there before you repeat it.",
    )


def not_kept(fault: CallFault, result: ToolResult, why: str) -> tuple[CallFault, ToolResult]:
    """The same of a call that never started, whose outcome the journal does not have: it is still open there."""
    note = f"This could not be kept, and may be decided otherwise after a restart: {why}"
    told = replace(fault, message=f"{fault.message} {note}")
    return told, replace(result, parts=(*result.parts, TextPart(note)), fault=told)


def failed(tool: str, message: str, *, expected: bool) -> tuple[CallFault, ToolResult]:
    text = message if expected else f"{tool} failed by a fault of its own: {message}. Other arguments may work."
    return faulty(ErrorKind.FAILED, text)


def unusable(request: CallRequest, problem: str, preview: str) -> tuple[CallFault, ToolResult]:
    shown = f" What came: {preview}" if preview else ""
    return faulty(
        ErrorKind.INVALID_ARGUMENTS,
        f"{request.name} was not run, for its arguments can't be used: {problem}. Send them again as one JSON "
        f"object.{shown}",
    )
