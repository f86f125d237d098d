"""A carried-out turn as the JSON of `handrail exec --json`: `docs/reference/exec.schema.json`."""

from __future__ import annotations

from handrail.contract.basics import JsonObject
from handrail.contract.calls import Approved, CallState, Pending
from handrail.runtime import reports
from handrail.runtime.turns import Turn

VERSION = 1


def turn_json(turn: Turn) -> JsonObject:
    return {
        "version": VERSION,
        "wire": turn.response.wire.value,
        "calls": [
            _call_json(call, request.wire_id) for call, request in zip(turn.calls, turn.response.calls, strict=True)
        ],
        "messages": list(turn.messages),
        "done": turn.done,
    }


def resting_state_name(call: CallState) -> str:
    """The state once the turn rests: a call that is held back by one that awaits approval awaits it too."""
    return "awaiting_approval" if isinstance(call, (Pending, Approved)) else reports.state_name(call)


def _call_json(call: CallState, wire_id: str) -> JsonObject:
    return {"id": wire_id or call.request.id, **reports.call_json(call), "state": resting_state_name(call)}
