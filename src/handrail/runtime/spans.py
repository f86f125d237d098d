"""Calls as OpenTelemetry spans, after the conventions for generative AI: one `execute_tool` span for each. Pure.

https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/#execute-tool-span (status: development). What
they have no name for is under `handrail.`. Arguments are the redacted view that events hold; results are left out.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from handrail.contract.basics import Instant, Json, JsonObject, SessionId
from handrail.runtime.histories import CallHistory

Attributes: TypeAlias = Mapping[str, "str | int | float | bool"]

_INTERNAL = 1
"""`SPAN_KIND_INTERNAL`: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding has enums as numbers."""
_ERROR = 2
"""`STATUS_CODE_ERROR`."""


def span_name(call: CallHistory) -> str:
    return f"execute_tool {_tool(call)}"


def attributes_of(call: CallHistory, session: str) -> Attributes:
    decision = call.latest("decision") or {}
    known = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": _tool(call),
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call.call,
        "gen_ai.tool.call.arguments": _as_text(call.latest("arguments")),
        "gen_ai.conversation.id": session,
        "error.type": error_of(call),
        "handrail.call.state": state_name(call.state),
        "handrail.decision.outcome": decision.get("outcome"),
        "handrail.decision.source": decision.get("source"),
        "handrail.decision.reason": decision.get("reason"),
        "handrail.attempt": call.latest("attempt"),
    }
    return {name: value for name, value in known.items() if value not in (None, "")}


def error_of(call: CallHistory) -> str | None:
    """The kind of what went wrong, as in `error.kind` of the other reports."""
    return call.steps[-1].body.get("fault")


def state_name(state: str) -> str:
    """`AwaitingApproval` as the other reports write it: `awaiting_approval`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", state).lower()


def nanoseconds(at: Instant) -> int:
    return round(at * 1_000_000) * 1_000


def otlp(sessions: Iterable[tuple[SessionId, Sequence[CallHistory]]], version: str) -> JsonObject:
    """The body of an OTLP/HTTP request in JSON: one trace for each session."""
    spans = [_span(session, call) for session, calls in sessions for call in calls]
    resource: JsonObject = {"attributes": _listed({"service.name": "handrail", "service.version": version})}
    scope: JsonObject = {"scope": {"name": "handrail", "version": version}, "spans": spans}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [scope]}]}


def _span(session: SessionId, call: CallHistory) -> JsonObject:
    """A call that is not settled ends, for now, with its last event; its state says that it is open."""
    error = error_of(call)
    return {
        "traceId": _id(session, length=32),
        "spanId": _id(session, call.call, length=16),
        **({"parentSpanId": _id(session, call.parent, length=16)} if call.parent else {}),
        "name": span_name(call),
        "kind": _INTERNAL,
        "startTimeUnixNano": str(nanoseconds(call.steps[0].at)),
        "endTimeUnixNano": str(nanoseconds(call.steps[-1].at)),
        "attributes": _listed(attributes_of(call, session)),
        "events": [
            {"name": state_name(step.state), "timeUnixNano": str(nanoseconds(step.at)), "attributes": []}
            for step in call.steps
        ],
        "status": {"code": _ERROR, "message": error} if error else {},
    }


def _tool(call: CallHistory) -> str:
    """The tool's own name; for a call of a tool that is unknown, what the model called it."""
    return str(call.latest("tool") or call.latest("name"))


def _as_text(arguments: Json) -> str:
    return "" if arguments is None else json.dumps(arguments)


def _id(*parts: str, length: int) -> str:
    """The same for the same session and call, in every export: hexadecimal, never all zeros."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:length]


def _listed(attributes: Attributes) -> list[Json]:
    return [{"key": name, "value": _typed(value)} for name, value in attributes.items()]


def _typed(value: str | float) -> JsonObject:
    match value:
        case bool():
            return {"boolValue": value}
        case int():
            return {"intValue": str(value)}
        case float():
            return {"doubleValue": value}
        case _:
            return {"stringValue": value}
