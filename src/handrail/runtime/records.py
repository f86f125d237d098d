"""A call state as the journal keeps it: an event for good, and a payload that may be deleted. Pure.

The event holds what accounts for the call and gives nothing away: names, who decided and why, paths,
durations. Exact arguments, what a person was shown and results go into the payload; the event has
only a salted hash of that, so that deleting the payload deletes its content and breaks no chain.
The class names of states, parts and displays, and the keys below, are a stored format: a change of
theirs is a new schema version.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import PurePath
from typing import Literal, TypeAlias, assert_never

from handrail.contract.basics import CallId, Instant
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallState,
    Cancelled,
    Completed,
    Executing,
    Failed,
    Interrupted,
    Pending,
    Rejected,
    SettledState,
)
from handrail.contract.decision import Decision
from handrail.contract.effects import Effects, PathEffect

Body: TypeAlias = dict[str, object]
PayloadKind = Literal["arguments", "confirmation", "result"]


@dataclass(frozen=True, slots=True)
class Payload:
    """What may hold secrets. `digest` stands in the event: SHA-256 of salt and content, hexadecimal."""

    kind: PayloadKind
    salt: bytes
    content: str
    digest: str


@dataclass(frozen=True, slots=True)
class Record:
    """One event, ready to be chained and written."""

    state: str
    call: str
    parent: str | None
    at: Instant
    """When the state was entered; for a pending call, when it was received."""
    body: str
    """JSON with sorted keys."""
    payload: Payload | None


def record_of(state: CallState, salt: bytes) -> Record:
    """The record of a state. `salt` is random and new for each record."""
    at, details, kind, content = _taken_apart(state)
    body: Body = {"name": state.request.name, **details}
    if state.invocation is not None:
        body["tool"] = state.invocation.tool.name
    payload = None
    if kind is not None:
        text = _encoded(content)
        payload = Payload(kind, salt, text, payload_digest(salt, text))
        body["payload"] = {"kind": kind, "sha256": payload.digest, "size": len(text)}
    parent = state.request.parent
    return Record(
        state=type(state).__name__,
        call=_storable(state.request.id),
        parent=None if parent is None else _storable(parent),
        at=Instant(float(at)),  # a clock may give whole numbers; the file gives back what was hashed
        body=canonical(body),
        payload=payload,
    )


def payload_digest(salt: bytes, content: str) -> str:
    return hashlib.sha256(salt + content.encode()).hexdigest()


def canonical(value: object) -> str:
    """JSON that is the same text for the same value: sorted keys, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _taken_apart(state: CallState) -> tuple[Instant, Body, PayloadKind | None, Body]:
    """When the state was entered, what the event says of it, and what the payload keeps."""
    match state:
        case Pending():
            request = state.request
            asked: Body = {
                "name": request.name,
                "arguments": state.arguments,
                "wire_id": request.wire_id,
                "form": request.form,
                "server": request.server,
                "notes": request.notes,
            }
            return state.requested_at, {}, "arguments", asked
        case AwaitingApproval():
            details: Body = {"decision": _decision(state.decision), "approval": state.approval}
            shown: Body = {"confirmation": state.confirmation, "part": state.decision.part}
            return state.asked_at, details, "confirmation", shown
        case Approved():
            return state.approved_at, _permitted(state), None, {}
        case Executing():
            return state.started_at, _permitted(state), None, {}
        case Completed() | Failed() | Rejected() | Cancelled() | Interrupted():
            return state.settled_at, _settled(state), "result", _outcome(state)
    assert_never(state)


def _permitted(state: Approved | Executing) -> Body:
    return {
        "decision": _decision(state.decision),
        "effects": _effects(state.effects),
        "attempt": state.attempt,
    }


def _settled(state: SettledState) -> Body:
    body: Body = {"seconds_in_all": round(state.settled_at - state.requested_at, 6)}
    if state.decision is not None:
        body["decision"] = _decision(state.decision)
    if state.started_at is not None:
        body["seconds_running"] = round(state.settled_at - state.started_at, 6)
    fault = state.fault or state.result.fault
    if fault is not None:
        body["fault"] = fault.kind
    return body


def _outcome(state: SettledState) -> Body:
    outcome: Body = {"result": state.result, "fault": state.fault}
    if state.decision is not None:
        outcome["part"] = state.decision.part
    return outcome


def _decision(decision: Decision) -> Body:
    """All but the part of the call that decided, which quotes the arguments."""
    body: Body = {"outcome": decision.outcome, "source": str(decision.source), "reason": decision.reason}
    if decision.needs_person:
        body["needs_person"] = True
    return body


def _effects(effects: Effects) -> Body:
    """Paths, hosts and programs, without their arguments; what is empty is left out."""
    body: Body = {
        "certainty": effects.certainty,
        "read_only": effects.read_only,
        "destructive": effects.destructive,
        "reads": _paths(effects.reads),
        "writes": _paths(effects.writes),
        "connects": sorted(effects.connects),
        "keys": sorted(effects.keys),
        "runs": [command.words[0] if command.words else "" for command in effects.runs],
    }
    return {key: value for key, value in body.items() if value or value is False}


def _paths(paths: frozenset[PathEffect]) -> list[str]:
    """The resolved paths; a tree ends in a slash."""
    return sorted(f"{path.resolved}/" if path.scope == "tree" else str(path.resolved) for path in paths)


def _storable(id: CallId) -> str:
    """A model can send half a surrogate pair as an id; SQLite takes only UTF-8."""
    return id.encode("utf-8", "backslashreplace").decode("utf-8")


def _encoded(content: Body) -> str:
    """The payload as JSON. What a tool returned may be anything: a result that JSON can't hold is
    kept as the reason why, since losing one result's text is better than losing the session."""
    try:
        return json.dumps(content, separators=(",", ":"), default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        return json.dumps({"not_encoded": f"{type(error).__name__}: {error}"})


def _plain(value: object) -> object:
    """What json doesn't know, one level down: dataclasses by name and fields, bytes as base64."""
    if is_dataclass(value) and not isinstance(value, type):
        return {"type": type(value).__name__} | {field.name: getattr(value, field.name) for field in fields(value)}
    match value:
        case bytes():
            return {"base64": base64.b64encode(value).decode("ascii")}
        case PurePath():
            return str(value)
        case Mapping():
            return dict(value)
        case frozenset() | set() | Sequence():
            return list(value)
    return {"not_encoded": type(value).__name__}
