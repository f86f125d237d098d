"""What the model is told beside a result: who changed the arguments, what hooks add, which jobs were at work."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from handrail.contract.basics import JsonObject
from handrail.contract.results import TextPart, ToolResult
from handrail.runtime.hook_outcome import Note


def with_rewrite(result: ToolResult, hooks: Sequence[str], arguments: JsonObject) -> ToolResult:
    """What ran is not what the model asked for."""
    who = f"The hook {hooks[0]}" if len(hooks) == 1 else f"The hooks {', '.join(hooks)}"
    ran = json.dumps(arguments, ensure_ascii=False)
    return _with(result, f"({who} changed the arguments before this ran: {ran})")


def with_context(result: ToolResult, notes: Sequence[Note]) -> ToolResult:
    for note in notes:
        result = _with(result, f"(From the hook {note.hook}: {note.text})")
    return result


def beside_jobs(result: ToolResult, jobs: Sequence[str]) -> ToolResult:
    named = ", ".join(jobs)
    verb = "A background job was" if len(jobs) == 1 else "Background jobs were"
    return _with(result, f"({verb} running meanwhile and may be writing there: {named}. What is there may yet change.)")


def result_withheld(tool: str, reason: str) -> str:
    return f"{tool} ran, but its result is withheld. {reason} Don't run it again for that."


def endless_follow_ups(tool: str, following: str, most: int) -> str:
    return (
        f"{tool} ran and asked for {following} to follow, but {most} calls have followed each other already. "
        f"Call {following} yourself if you need it."
    )


def follow_up_failed(tool: str, following: str, message: str) -> str:
    return f"{tool} ran, and handed on to {following}, which did not go well. {message}"


def _with(result: ToolResult, text: str) -> ToolResult:
    return replace(result, parts=(*result.parts, TextPart(text)))
