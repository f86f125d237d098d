"""Transitions that nobody may write: a type checker finds an error of the named code on each marked line.

Read by `test_transitions_typecheck.py`; never run. Each function takes a call in one state and tries
every transition that this state doesn't have.
"""

from __future__ import annotations

from handrail.contract.basics import Instant
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
from handrail.contract.effects import Effects
from handrail.contract.results import ToolResult
from handrail.contract.tool import Invocation


def from_pending(call: Pending) -> None:
    call.approve()  # error: attr-defined
    call.edit()  # error: attr-defined
    call.reconsider()  # error: attr-defined
    call.start_execution()  # error: attr-defined
    call.complete()  # error: attr-defined
    call.interrupt()  # error: attr-defined
    call.retry()  # error: attr-defined


def from_awaiting_approval(call: AwaitingApproval) -> None:
    call.allow()  # error: attr-defined
    call.fail()  # error: attr-defined
    call.request_approval()  # error: attr-defined
    call.reconsider()  # error: attr-defined
    call.start_execution()  # error: attr-defined
    call.complete()  # error: attr-defined
    call.interrupt()  # error: attr-defined
    call.retry()  # error: attr-defined


def from_approved(call: Approved) -> None:
    call.allow()  # error: attr-defined
    call.request_approval()  # error: attr-defined
    call.approve()  # error: attr-defined
    call.edit()  # error: attr-defined
    call.complete()  # error: attr-defined
    call.interrupt()  # error: attr-defined
    call.retry()  # error: attr-defined


def from_executing(call: Executing) -> None:
    call.allow()  # error: attr-defined
    call.reject()  # error: attr-defined
    call.request_approval()  # error: attr-defined
    call.approve()  # error: attr-defined
    call.edit()  # error: attr-defined
    call.reconsider()  # error: attr-defined
    call.start_execution()  # error: attr-defined


def from_completed(call: Completed) -> None:
    call.allow()  # error: attr-defined
    call.cancel()  # error: attr-defined
    call.fail()  # error: attr-defined
    call.reject()  # error: attr-defined
    call.request_approval()  # error: attr-defined
    call.approve()  # error: attr-defined
    call.edit()  # error: attr-defined
    call.reconsider()  # error: attr-defined
    call.start_execution()  # error: attr-defined
    call.complete()  # error: attr-defined
    call.interrupt()  # error: attr-defined
    call.retry()  # error: attr-defined


def from_failed(call: Failed) -> None:
    call.allow()  # error: attr-defined
    call.cancel()  # error: attr-defined
    call.fail()  # error: attr-defined
    call.reject()  # error: attr-defined
    call.request_approval()  # error: attr-defined
    call.approve()  # error: attr-defined
    call.edit()  # error: attr-defined
    call.reconsider()  # error: attr-defined
    call.start_execution()  # error: attr-defined
    call.complete()  # error: attr-defined
    call.interrupt()  # error: attr-defined
    call.retry()  # error: attr-defined


def from_rejected(call: Rejected) -> None:
    call.allow()  # error: attr-defined
    call.cancel()  # error: attr-defined
    call.fail()  # error: attr-defined
    call.reject()  # error: attr-defined
    call.request_approval()  # error: attr-defined
    call.approve()  # error: attr-defined
    call.edit()  # error: attr-defined
    call.reconsider()  # error: attr-defined
    call.start_execution()  # error: attr-defined
    call.complete()  # error: attr-defined
    call.interrupt()  # error: attr-defined
    call.retry()  # error: attr-defined


def from_cancelled(call: Cancelled) -> None:
    call.allow()  # error: attr-defined
    call.cancel()  # error: attr-defined
    call.fail()  # error: attr-defined
    call.reject()  # error: attr-defined
    call.request_approval()  # error: attr-defined
    call.approve()  # error: attr-defined
    call.edit()  # error: attr-defined
    call.reconsider()  # error: attr-defined
    call.start_execution()  # error: attr-defined
    call.complete()  # error: attr-defined
    call.interrupt()  # error: attr-defined
    call.retry()  # error: attr-defined


def from_interrupted(call: Interrupted) -> None:
    call.allow()  # error: attr-defined
    call.cancel()  # error: attr-defined
    call.fail()  # error: attr-defined
    call.reject()  # error: attr-defined
    call.request_approval()  # error: attr-defined
    call.approve()  # error: attr-defined
    call.edit()  # error: attr-defined
    call.reconsider()  # error: attr-defined
    call.start_execution()  # error: attr-defined
    call.complete()  # error: attr-defined
    call.interrupt()  # error: attr-defined
    call.retry()  # error: attr-defined


def skips_a_state(pending: Pending, invocation: Invocation, decision: Decision, effects: Effects, at: Instant) -> None:
    running: Executing = pending.allow(invocation, decision, effects, at)  # error: assignment
    done: Completed = running.fail  # error: assignment
    print(done)


def leaves_out_who_decided(pending: Pending, waiting: AwaitingApproval, invocation: Invocation, at: Instant) -> None:
    pending.allow(invocation, at=at)  # error: call-arg
    waiting.approve(at=at)  # error: call-arg


def completes_without_a_result(running: Executing, at: Instant) -> None:
    running.complete(None, at)  # error: arg-type


def takes_any_state_for_the_right_one(call: CallState, result: ToolResult, at: Instant) -> None:
    call.complete(result, at)  # error: union-attr


def asks_a_settled_call_to_go_on(call: SettledState, at: Instant) -> None:
    call.start_execution(at)  # error: union-attr


def changes_a_state_in_place(approved: Approved, at: Instant) -> None:
    approved.approved_at = at  # error: misc
    approved.attempt += 1  # error: misc
    approved.status = "executing"  # error: attr-defined
