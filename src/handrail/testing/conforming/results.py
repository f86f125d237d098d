"""Whether what a call gave back can be sent, kept and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import get_args

from handrail.contract.calls import Completed, SettledState
from handrail.contract.results import (
    AudioPart,
    DiffDisplay,
    Display,
    ImagePart,
    JsonPart,
    Part,
    PatchDisplay,
    ResourcePart,
    TerminalDisplay,
    TextDisplay,
    TextPart,
    TodoDisplay,
    ToolResult,
)
from handrail.testing.conforming.report import Problem
from handrail.testing.conforming.trial import Trial


def run_problems(trial: Trial) -> Iterator[Problem]:
    """Whether the run came to a good end, with a result that the contract allows."""
    if trial.lost:
        yield Problem("run", f"{trial.example} has no result: {trial.lost}.")
        return
    settled = trial.settled
    if len(settled) != 1:
        yield Problem("run", f"{trial.example} was settled {len(settled)} times; a call is settled once.")
    yield from _ending_problems(trial, settled[-1])
    yield from (Problem("run", f"{trial.example} {what}") for what in still_running(trial))
    for fault in _faults(settled[-1].result):
        yield Problem("result", f"{trial.example} {fault}")


def still_running(trial: Trial) -> Iterator[str]:
    """What the call started and left behind."""
    if trial.left_tasks:
        yield f"left tasks running: {', '.join(trial.left_tasks)}. Cancel and await them, as asyncio.TaskGroup does."
    if trial.left_processes:
        names = ", ".join(f"{child.name} ({child.pid})" for child in trial.left_processes)
        yield f"left child processes running: {names}. Take the Launcher, which ends them."


def _ending_problems(trial: Trial, state: SettledState) -> Iterator[Problem]:
    if not isinstance(state, Completed):
        ending = type(state).__name__.lower()
        yield Problem(
            "run",
            f"{trial.example} ended as {ending}: {state.fault.message} Give an example that works in the workspace, "
            "or mend the tool: what a call touches is only seen where it succeeds.",
        )


def _faults(result: ToolResult) -> Iterator[str]:
    for number, part in enumerate(result.parts, 1):
        for fault in _part_faults(part):
            yield f"gave a result whose part {number} {fault}"
    if result.display is not None:
        yield from (f"gave a display that {fault}" for fault in _display_faults(result.display))
    if result.data is not None and (fault := _json_fault(result.data)):
        yield f"gave data that {fault}"


def _part_faults(part: Part) -> list[str]:
    fields: list[tuple[str, object, type]]
    match part:
        case TextPart(text):
            fields = [("text", text, str)]
        case ImagePart(data, media_type) | AudioPart(data, media_type):
            fields = [("data", data, bytes), ("media_type", media_type, str)]
        case ResourcePart(uri, media_type, text):
            fields = [("uri", uri, str), ("media_type", media_type, str), ("text", text, str)]
        case JsonPart(value):
            return [fault] if (fault := _json_fault(value)) else []
    return [fault for name, value, wanted in fields if (fault := _field_fault(name, value, wanted))]


def _display_faults(display: object) -> list[str]:
    if not isinstance(display, get_args(Display)):
        return [f"is of type {type(display).__name__}. Use the displays of handrail.contract.results."]
    texts: list[object] = []
    match display:
        case TextDisplay(text):
            texts = [text]
        case DiffDisplay(old=old, new=new):
            texts = [old or "", new or ""]
        case PatchDisplay(files):
            texts = [text or "" for file in files for text in (file.old, file.new)]
        case TerminalDisplay(command, output):
            texts = [command, output]
        case TodoDisplay(items):
            texts = [item.text for item in items]
    return [fault for text in texts if (fault := _field_fault("its text", text, str))]


def _field_fault(name: str, value: object, wanted: type) -> str:
    if not isinstance(value, wanted):
        return f"has {name} of type {type(value).__name__}, not {wanted.__name__}."
    return f"has {name} with {fault}" if isinstance(value, str) and (fault := _text_fault(value)) else ""


def _json_fault(value: object) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        return f"is no JSON: {error}."
    return f"has {fault}" if (fault := _text_fault(text)) else ""


def _text_fault(text: str) -> str:
    """Half a surrogate pair is no character: it can't be written as UTF-8."""
    at = next((i for i, character in enumerate(text) if "\ud800" <= character <= "\udfff"), None)
    if at is None:
        return ""
    return f"half of a surrogate pair at character {at}, which can't be sent. Decode with errors='replace'."
