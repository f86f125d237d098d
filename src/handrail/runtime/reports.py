"""A call as JSON, for programs: what `handrail exec --json` and events have in common. Pure."""

from __future__ import annotations

from handrail.contract.basics import Json
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallState,
    Cancelled,
    Completed,
    Executing,
    Failed,
    FreeText,
    Interrupted,
    ObjectArguments,
    Pending,
    Rejected,
    SettledState,
    UnusableArguments,
)
from handrail.contract.decision import Decision
from handrail.contract.results import CallFault

_STATES: dict[type, str] = {
    Pending: "pending",
    AwaitingApproval: "awaiting_approval",
    Approved: "approved",
    Executing: "executing",
    Completed: "completed",
    Failed: "failed",
    Rejected: "rejected",
    Cancelled: "cancelled",
    Interrupted: "interrupted",
}


def call_json(call: CallState) -> dict[str, Json]:
    """All of a call that both reports tell, but its id: each knows it by another."""
    settled = call if isinstance(call, SettledState) else None
    report: dict[str, Json] = {
        "name": call.request.name,
        "tool": tool_name(call),
        "arguments": _arguments(call),
        "state": state_name(call),
        "decision": _decision(None if isinstance(call, Pending) else call.decision),
        "error": _error(settled.fault) if settled else None,
        "result": settled.result.text if settled else None,
        "duration_ms": duration_ms(call),
    }
    if isinstance(call, AwaitingApproval):
        report["approval"] = call.approval
    return report


def state_name(call: CallState) -> str:
    return _STATES[type(call)]


def duration_ms(call: CallState) -> float | None:
    """Milliseconds it ran; from the request on for a call that never started; None while it is open."""
    if not isinstance(call, SettledState):
        return None
    began = call.started_at if call.started_at is not None else call.requested_at
    return round(max(0.0, call.settled_at - began) * 1000, 3)


def tool_name(call: CallState) -> str | None:
    """By which rules and people know what was called, whatever the model calls it; None where nothing was found."""
    if call.invocation is not None:
        return call.invocation.tool.name
    return (call.tool or None) if isinstance(call, (Pending, Failed)) else None


def _arguments(call: CallState) -> Json:
    match call.request.arguments:
        case ObjectArguments(value):
            return value
        case FreeText(text):
            return text
        case UnusableArguments(preview=preview):
            return preview


def _decision(decision: Decision | None) -> Json:
    if decision is None:
        return None
    rule = decision.rule
    return {
        "outcome": decision.outcome.value,
        "source": str(decision.source),
        "rule": {"source": rule.source, "line": rule.line, "text": rule.text} if rule else None,
        "reason": decision.reason,
    }


def _error(fault: CallFault | None) -> Json:
    return {"kind": fault.kind.value, "message": fault.message} if fault else None
