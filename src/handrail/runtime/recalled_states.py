"""States of `contract.calls` from what the journal keeps of a call. Pure.

Events hold a redacted view: the decisions and effects made from it are good enough for accounts and for telling what
may be retried; nothing is run by them. What runs is bound and judged anew.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from handrail.contract.basics import Instant, JsonObject
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    Cancelled,
    Completed,
    Executing,
    Failed,
    Interrupted,
    OpenState,
    Pending,
    Rejected,
    SettledState,
)
from handrail.contract.decision import (
    Decision,
    FromCheck,
    FromGrant,
    FromHook,
    FromMode,
    FromPerson,
    FromRule,
    FromTool,
    Outcome,
    RuleRef,
    Source,
)
from handrail.contract.effects import Effects, PathEffect
from handrail.contract.results import CallFault, ToolResult
from handrail.contract.tool import Invocation
from handrail.runtime import wording
from handrail.runtime.recalled import RecalledCall
from handrail.runtime.stored import revived

_FAULTY = {state.__name__: state for state in (Failed, Rejected, Cancelled, Interrupted)}
_NAMED: Mapping[str, Callable[[str], Source]] = {
    "mode": FromMode,
    "grant": FromGrant,
    "hook": FromHook,
    "person": FromPerson,
    "check": FromCheck,
}


def settled_state(call: RecalledCall, invocation: Invocation | None) -> SettledState:
    """With the result that was journaled, which is never computed again; where it is gone, one that says so."""
    outcome = _outcome_in(call.content)
    if outcome is None:
        fault, result = wording.result_gone(call.request.name, call.state.__name__.lower())
        return Interrupted.lost(call.request, call.requested_at, fault, result, call.entered_at)
    result, fault_ = outcome
    decision = decision_in(call.body, str(json.loads(call.content or "{}").get("part", "")))
    ran = call.body.get("seconds_running")
    started = Instant(call.entered_at - ran) if isinstance(ran, int | float) else None
    request, asked, ended = call.request, call.requested_at, call.entered_at
    if call.state is Completed or fault_ is None:
        began = ended if started is None else started
        return Completed(request, asked, ended, result, decision, invocation, began, Effects.none())
    tool = str(call.body.get("tool", ""))
    return _FAULTY[call.state.__name__](request, asked, ended, result, decision, invocation, fault_, started, tool)


def open_state(call: RecalledCall, invocation: Invocation | None) -> OpenState:
    """The state it was in, or Pending where it can't be in it any more: its tool is gone, or takes other arguments."""
    pending = Pending(call.request, call.requested_at, call.arguments)
    if invocation is None:
        return pending
    if call.state is AwaitingApproval and call.approval is not None and call.shown is not None:
        shown = call.shown
        asked = pending.request_approval(invocation, shown.decision, call.approval, shown.confirmation, call.entered_at)
        return asked.offering(shown.offers, shown.expires_at)
    decision = decision_in(call.body)
    if call.state in (Approved, Executing) and decision is not None:
        return _permitted(call, invocation, decision)
    return pending


def _permitted(call: RecalledCall, invocation: Invocation, decision: Decision) -> Approved | Executing:
    attempt = call.body.get("attempt")
    number = attempt if isinstance(attempt, int) else 1
    effects = effects_in(call.body.get("effects"))
    approved = Approved(call.request, call.requested_at, invocation, decision, effects, call.entered_at, attempt=number)
    return approved if call.state is Approved else approved.start_execution(call.entered_at)


def decision_in(body: JsonObject, part: str = "") -> Decision | None:
    """The decision of an event's body; None where none was made."""
    plain: Any = body.get("decision")
    if plain is None:
        return None
    return Decision(
        Outcome(plain["outcome"]),
        _source_in(plain["source"]),
        plain["reason"],
        part,
        needs_person=plain.get("needs_person", False),
    )


def effects_in(plain: Any) -> Effects:
    """The effects that an event tells of: the paths are the resolved ones."""
    if not isinstance(plain, dict):
        return Effects.unknown()
    return Effects(
        reads=_paths_in(plain.get("reads", ())),
        writes=_paths_in(plain.get("writes", ())),
        connects=frozenset(plain.get("connects", ())),
        keys=frozenset(plain.get("keys", ())),
        destructive=plain.get("destructive", True),
        certainty=plain.get("certainty", "unknown"),
    )


def _paths_in(paths: Any) -> frozenset[PathEffect]:
    return frozenset(
        PathEffect(Path(path), Path(path), "tree" if path.endswith("/") else "file") for path in map(str, paths)
    )


def _source_in(text: str) -> Source:
    """What `str(source)` gave; a rule's own text is not kept."""
    kind, _, rest = text.partition(":")
    if kind == "rule":
        source, _, line = rest.rpartition(":")
        return FromRule(RuleRef(source, int(line) if line.isdecimal() else 0, ""))
    return _NAMED[kind](rest) if kind in _NAMED else FromTool()


def _outcome_in(content: str | None) -> tuple[ToolResult, CallFault | None] | None:
    """None where the payload is gone, or holds a result that could not be written."""
    try:
        plain = json.loads(content or "")
        return revived(ToolResult, plain["result"]), revived(CallFault | None, plain["fault"])
    except (ValueError, KeyError, TypeError):
        return None
