"""Events as JSON, version 1, for surfaces in other processes: `docs/reference/events.schema.json`. Pure."""

from __future__ import annotations

from dataclasses import fields
from pathlib import PurePath
from typing import cast

from handrail.contract.basics import Json, JsonObject
from handrail.contract.calls import Approved, AwaitingApproval, CallState, Executing, Pending
from handrail.contract.confirmation import (
    Confirmation,
    EditConfirmation,
    ExecConfirmation,
    InfoConfirmation,
    McpConfirmation,
    PatchConfirmation,
    PlanConfirmation,
    QuestionConfirmation,
    SandboxConfirmation,
)
from handrail.contract.effects import SimpleCommand
from handrail.contract.events import (
    CallChanged,
    Event,
    NoticeGiven,
    OutputArrived,
    ProgressMade,
    SourceChanged,
    TopicSet,
)
from handrail.runtime.reports import call_json

VERSION = 1

_CONFIRMATIONS: dict[type, str] = {
    EditConfirmation: "edit",
    PatchConfirmation: "patch",
    ExecConfirmation: "exec",
    McpConfirmation: "mcp",
    InfoConfirmation: "info",
    QuestionConfirmation: "question",
    PlanConfirmation: "plan",
    SandboxConfirmation: "sandbox",
}


def event_json(event: Event) -> JsonObject:
    """The event, and under `version` what its form is called: it goes up when a field changes or goes away."""
    match event:
        case CallChanged(state):
            return {"version": VERSION, "type": "call_changed", "call": _call(state)}
        case OutputArrived(call, text):
            return {"version": VERSION, "type": "output_arrived", "call": call, "text": text}
        case ProgressMade(call, fraction, message):
            about: JsonObject = {"call": call, "fraction": fraction, "message": message}
            return {"version": VERSION, "type": "progress_made", **about}
        case NoticeGiven(about_call, message):
            return {"version": VERSION, "type": "notice_given", "call": about_call, "message": message}
        case TopicSet(call, title, intent, summary):
            said: JsonObject = {"call": call, "title": title, "intent": intent, "summary": summary}
            return {"version": VERSION, "type": "topic_set", **said}
        case SourceChanged(status):
            stands: JsonObject = {"name": status.name, "condition": status.condition.value, "detail": status.detail}
            return {"version": VERSION, "type": "source_changed", **stands, "problems": list(status.problems)}


def _call(state: CallState) -> JsonObject:
    request = state.request
    report: dict[str, Json] = {
        "id": request.id,
        "wire_id": request.wire_id,
        "parent": request.parent,
        "at": _entered_at(state),
        **call_json(state),
    }
    if isinstance(state, AwaitingApproval):
        report["confirmation"] = confirmation_json(state.confirmation)
        report["offers"] = [offer.label for offer in state.offers]
        report["expires_at"] = state.expires_at
    return report


def _entered_at(state: CallState) -> float:
    match state:
        case Pending():
            return state.requested_at
        case AwaitingApproval():
            return state.asked_at
        case Approved():
            return state.approved_at
        case Executing():
            return state.started_at
        case _:
            return state.settled_at


def confirmation_json(shown: Confirmation) -> JsonObject:
    """What a person is shown, by its kind and its own fields."""
    return {"kind": _CONFIRMATIONS[type(shown)]} | {
        field.name: _plain(getattr(shown, field.name)) for field in fields(shown)
    }


def _plain(value: object) -> Json:
    match value:
        case PurePath():
            return str(value)
        case SimpleCommand(text, words, literal):
            return {"text": text, "words": list(words), "literal": literal}
        case EditConfirmation():
            return confirmation_json(value)
        case tuple():
            return [_plain(item) for item in value]
        case _:
            return cast(Json, value)
