"""A call state as the journal keeps it: an event for good, and a payload that may be deleted. Pure.

The event holds what accounts for the call: names, who decided and why, paths, durations, and a short view of
the arguments, all of it without secrets (`settings.redaction`). Exact arguments, what a person was shown and
results go into the payload; the event has only a salted hash of that, so that deleting the payload deletes
its content and breaks no chain. The class names of states, parts and displays, and the keys below, are a
stored format: a change of theirs is a new schema version.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal, TypeAlias, assert_never
from weakref import WeakKeyDictionary

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
from handrail.contract.secret import marks_secrets
from handrail.contract.tool import Invocation, Tool
from handrail.contract.values import value
from handrail.runtime.redacted_view import redactor_for, view_of
from handrail.runtime.stored import encoded
from handrail.settings.redaction import Redactor

Body: TypeAlias = dict[str, object]
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"))

PayloadKind = Literal["arguments", "confirmation", "result"]


@value
class Payload:
    """What may hold secrets. `digest` stands in the event: SHA-256 of salt and content, hexadecimal."""

    kind: PayloadKind
    salt: bytes
    content: str
    digest: str


@value
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


class Recorder:
    """Makes the records of one session's states."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._marking: WeakKeyDictionary[Tool[Any], bool] = WeakKeyDictionary()
        """Whether a tool marks any of its parameters as secret."""

    def record_of(self, state: CallState, salt: bytes) -> Record:
        """The record of a state. `salt` is random and new for each record."""
        at, body, kind, content = self._taken_apart(state)
        payload = None
        if kind is not None:
            text = encoded(content)
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

    def told(self, state: CallState) -> tuple[Instant, Body]:
        """When the state was entered, and what its event says, but for the payload's hash: for telemetry."""
        at, body, _, _ = self._taken_apart(state)
        return at, body

    def _taken_apart(self, state: CallState) -> tuple[Instant, Body, PayloadKind | None, Body]:
        redactor = self._redactor_for(state.invocation)
        at, details, kind, content = _taken_apart(state, redactor)
        body: Body = {"name": redactor.text(state.request.name), **details}
        if state.invocation is not None:
            body["tool"] = state.invocation.tool.name
        return at, body, kind, content

    def _redactor_for(self, invocation: Invocation | None) -> Redactor:
        """One that also knows what the tool marks as secret among its arguments."""
        if invocation is None:
            return self._redactor
        tool = invocation.tool
        marks = self._marking.get(tool)
        if marks is None:
            marks = self._marking[tool] = marks_secrets(tool.parameters.schema)
        return redactor_for(invocation, self._redactor) if marks else self._redactor


def payload_digest(salt: bytes, content: str) -> str:
    return hashlib.sha256(salt + content.encode()).hexdigest()


def canonical(value: object) -> str:
    """JSON that is the same text for the same value: sorted keys, no spaces, ASCII."""
    return _CANONICAL.encode(value)


def _taken_apart(state: CallState, redactor: Redactor) -> tuple[Instant, Body, PayloadKind | None, Body]:
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
            details: Body = {
                "decision": _decision(state.decision, redactor),
                "approval": state.approval,
                "arguments": view_of(state.invocation.arguments, redactor),
            }
            shown: Body = {
                "arguments": state.invocation.arguments,
                "confirmation": state.confirmation,
                "decision": state.decision,
                "offers": state.offers,
                "expires_at": state.expires_at,
            }
            return state.asked_at, details, "confirmation", shown
        case Approved():
            view = view_of(state.invocation.arguments, redactor)
            return state.approved_at, {**_permitted(state, redactor), "arguments": view}, None, {}
        case Executing():
            return state.started_at, _permitted(state, redactor), None, {}
        case Completed() | Failed() | Rejected() | Cancelled() | Interrupted():
            return state.settled_at, _settled(state, redactor), "result", _outcome(state)
    assert_never(state)


def _permitted(state: Approved | Executing, redactor: Redactor) -> Body:
    return {
        "decision": _decision(state.decision, redactor),
        "effects": _effects(state.effects, redactor),
        "attempt": state.attempt,
    }


def _settled(state: SettledState, redactor: Redactor) -> Body:
    body: Body = {"seconds_in_all": round(state.settled_at - state.requested_at, 6)}
    if state.decision is not None:
        body["decision"] = _decision(state.decision, redactor)
    if state.started_at is None and state.invocation is not None:  # else the event of its start has them
        body["arguments"] = view_of(state.invocation.arguments, redactor)
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


def _decision(decision: Decision, redactor: Redactor) -> Body:
    """All but the part of the call that decided, which quotes the arguments; the reason may, too."""
    body: Body = {
        "outcome": decision.outcome,
        "source": redactor.text(str(decision.source)),
        "reason": redactor.text(decision.reason),
    }
    if decision.needs_person:
        body["needs_person"] = True
    return body


def _effects(effects: Effects, redactor: Redactor) -> Body:
    """Paths, hosts and programs, without their arguments; what is empty is left out."""
    body: Body = {
        "certainty": effects.certainty,
        "read_only": effects.read_only,
        "destructive": effects.destructive,
        "reads": _paths(effects.reads, redactor),
        "writes": _paths(effects.writes, redactor),
        "connects": sorted(map(redactor.text, effects.connects)),
        "keys": sorted(map(redactor.text, effects.keys)),
        "runs": [redactor.text(command.words[0]) if command.words else "" for command in effects.runs],
    }
    return {key: value for key, value in body.items() if value or value is False}


def _paths(paths: frozenset[PathEffect], redactor: Redactor) -> list[str]:
    """The resolved paths; a tree ends in a slash."""
    return sorted(redactor.text(f"{path.resolved}/" if path.scope == "tree" else str(path.resolved)) for path in paths)


def _storable(id: CallId) -> str:
    """A model can send half a surrogate pair as an id; SQLite takes only UTF-8."""
    return id.encode("utf-8", "backslashreplace").decode("utf-8")
