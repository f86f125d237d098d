"""Every transition there is, used rightly: a type checker finds nothing here.

Read by `test_transitions_typecheck.py`; never run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never, assert_type

from handrail.contract.basics import ApprovalId, Instant
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallRequest,
    CallState,
    Cancelled,
    Completed,
    Executing,
    Failed,
    Interrupted,
    Pending,
    Rejected,
)
from handrail.contract.confirmation import Confirmation
from handrail.contract.decision import Decision
from handrail.contract.effects import Effects
from handrail.contract.results import CallFault, ToolResult
from handrail.contract.tool import Invocation


@dataclass(frozen=True)
class Given:
    invocation: Invocation
    decision: Decision
    effects: Effects
    confirmation: Confirmation
    approval: ApprovalId
    fault: CallFault
    result: ToolResult
    at: Instant


def from_pending(request: CallRequest, g: Given) -> None:
    call = Pending.receive(request, g.at).bind(g.invocation)
    assert_type(call, Pending)
    assert_type(
        call.request_approval(g.invocation, g.decision, g.approval, g.confirmation, g.at),
        AwaitingApproval,
    )
    assert_type(call.allow(g.invocation, g.decision, g.effects, g.at), Approved)
    assert_type(call.reject(g.decision, g.fault, g.result, g.at), Rejected)
    assert_type(call.fail(g.fault, g.result, g.at), Failed)
    assert_type(call.cancel(g.fault, g.result, g.at), Cancelled)


def from_awaiting_approval(call: AwaitingApproval, g: Given) -> None:
    assert_type(call.approve(g.decision, g.effects, g.at), Approved)
    assert_type(call.edit({"file_path": "other.txt"}), Pending)
    assert_type(call.reject(g.decision, g.fault, g.result, g.at), Rejected)
    assert_type(call.cancel(g.fault, g.result, g.at), Cancelled)


def from_approved(call: Approved, g: Given) -> None:
    assert_type(call.start_execution(g.at), Executing)
    assert_type(call.reconsider(), Pending)
    assert_type(call.reject(g.decision, g.fault, g.result, g.at), Rejected)
    assert_type(call.fail(g.fault, g.result, g.at), Failed)
    assert_type(call.cancel(g.fault, g.result, g.at), Cancelled)


def from_executing(call: Executing, g: Given) -> None:
    assert_type(call.complete(g.result, g.at), Completed)
    assert_type(call.fail(g.fault, g.result, g.at), Failed)
    assert_type(call.cancel(g.fault, g.result, g.at), Cancelled)
    assert_type(call.interrupt(g.fault, g.result, g.at), Interrupted)
    assert_type(call.retry(g.at), Approved)


def names_every_state(call: CallState) -> str:
    match call:
        case Pending():
            return "received"
        case AwaitingApproval():
            return str(call.approval)
        case Approved() | Executing():
            return call.decision.reason
        case Completed():
            return call.result.text
        case Failed() | Rejected() | Cancelled() | Interrupted():
            return call.fault.message
    assert_never(call)
