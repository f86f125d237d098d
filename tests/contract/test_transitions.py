from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from handrail.contract.basics import ApprovalId, CallId, Instant
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    CallRequest,
    Cancelled,
    Completed,
    Executing,
    Failed,
    FreeText,
    Interrupted,
    ObjectArguments,
    Pending,
    Rejected,
    renumbered,
)
from handrail.contract.confirmation import InfoConfirmation
from handrail.contract.decision import Decision, FromMode, Outcome
from handrail.contract.effects import Effects, PathEffect
from handrail.contract.results import CallFault, ErrorKind, ToolResult
from handrail.contract.tool import Tool
from handrail.contract.transitions import OPEN, SETTLED, STATES, as_table, transitions

DESIGN = {
    Pending: {AwaitingApproval, Approved, Rejected, Failed, Cancelled},
    AwaitingApproval: {Approved, Rejected, Pending, Cancelled},
    Approved: {Executing, Pending, Rejected, Failed, Cancelled},
    Executing: {Completed, Failed, Cancelled, Interrupted, Approved},
    Completed: set(),
    Failed: set(),
    Rejected: set(),
    Cancelled: set(),
    Interrupted: set(),
}

METHODS = {name for methods in transitions().values() for name in methods}


class Echo(BaseModel):
    text: str


class EchoTool(Tool[Echo]):
    name = "echo"

    async def run(self, params: Echo) -> ToolResult:
        return ToolResult.of_text(params.text)


INVOCATION = EchoTool().bind({"text": "hi"})
DECISION = Decision(Outcome.ALLOW, FromMode("default"), "The mode allows it.")
FAULT = CallFault(ErrorKind.FAILED, "It failed.")
RESULT = ToolResult.of_text("hi")
GIVEN = {
    "invocation": INVOCATION,
    "decision": DECISION,
    "approval": ApprovalId("approval-1"),
    "confirmation": InfoConfirmation("Echo", "Echo hi"),
    "effects": Effects.none(),
    "fault": FAULT,
    "result": RESULT,
    "arguments": {"text": "other"},
}


def received(at=0.0):
    return Pending.receive(CallRequest(CallId("call-1"), "echo", ObjectArguments({"text": "hi"})), Instant(at))


def take(state, method, at):
    transition = getattr(state, method)
    wanted = [name for name in transition.__annotations__ if name != "return"]
    return transition(**{name: Instant(at) if name == "at" else GIVEN[name] for name in wanted})


def test_the_table_is_the_designs():
    assert {state: set(methods.values()) for state, methods in transitions().items()} == DESIGN


def test_the_printed_table_has_a_line_for_every_state():
    lines = as_table().splitlines()[2:]
    assert [line.split("`")[1] for line in lines] == [state.__name__ for state in STATES]
    assert lines[-1] == "| `Interrupted` | — |"


def test_open_and_settled_states_are_all_states():
    assert set(OPEN) | set(SETTLED) == set(STATES)
    assert {state for state, nexts in DESIGN.items() if not nexts} == set(SETTLED)


walks = st.lists(st.integers(0, 10), max_size=30)


@given(walks)
def test_every_walk_ends_settled_or_can_go_on_and_keeps_its_request(choices):
    state = received()
    request = state.request
    for at, choice in enumerate(choices, 1):
        methods = sorted(transitions()[type(state)])
        if not methods:
            break
        method = methods[choice % len(methods)]
        expected = transitions()[type(state)][method]
        state = take(state, method, at)
        assert type(state) is expected
        assert state.request is request
        assert state.requested_at == 0.0
    assert isinstance(state, OPEN) == bool(transitions()[type(state)])


@given(walks)
def test_a_state_lacks_every_transition_that_the_table_denies_it(choices):
    state = received()
    for at, choice in enumerate(choices, 1):
        for method in METHODS - set(transitions()[type(state)]):
            with pytest.raises(AttributeError):
                getattr(state, method)
        methods = sorted(transitions()[type(state)])
        if not methods:
            break
        state = take(state, methods[choice % len(methods)], at)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_a_state_is_never_changed_in_place(state):
    made = object.__new__(state)
    for field in fields(state):
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(made, field.name, None)
    with pytest.raises((AttributeError, TypeError)):
        made.status = "executing"


def test_a_call_keeps_who_allowed_it_and_when():
    running = received(1.0).allow(INVOCATION, DECISION, Effects.none(), Instant(2.0)).start_execution(Instant(3.0))
    done = running.complete(RESULT, Instant(4.0))
    assert (running.approved_at, running.started_at, running.attempt) == (2.0, 3.0, 1)
    assert (done.requested_at, done.started_at, done.settled_at) == (1.0, 3.0, 4.0)
    assert (done.decision, done.invocation, done.effects, done.result) == (DECISION, INVOCATION, Effects.none(), RESULT)


def test_a_call_that_never_started_has_no_start():
    assert received().cancel(FAULT, RESULT, Instant(1.0)).started_at is None


def test_an_edited_call_is_pending_again_with_nothing_bound():
    waiting = take(received(), "request_approval", 1.0)
    edited = waiting.edit({"text": "other"})
    assert edited.arguments == ObjectArguments({"text": "other"})
    assert edited.invocation is None
    assert edited.request.arguments == ObjectArguments({"text": "hi"})


def test_a_call_looked_at_again_keeps_the_arguments_it_was_approved_with():
    waiting = take(received(), "request_approval", 1.0)
    approved = waiting.edit({"text": "hi"}).bind(INVOCATION).allow(INVOCATION, DECISION, Effects.none(), Instant(2.0))
    again = approved.reconsider()
    assert (again.arguments, again.invocation) == (ObjectArguments({"text": "hi"}), INVOCATION)


@pytest.mark.parametrize(
    ("effects", "may_retry"),
    [
        (Effects.none(), True),
        (Effects(reads=frozenset({PathEffect(Path("/a"), Path("/a"))})), True),
        (Effects(certainty="bounded"), False),
        (Effects(writes=frozenset({PathEffect(Path("/a"), Path("/a"))})), False),
        (Effects(connects=frozenset({"example.org"})), False),
        (Effects(keys=frozenset({"todos"})), False),
        (Effects.unknown(), False),
    ],
    ids=["none", "reads", "bounded", "writes", "connects", "keys", "unknown"],
)
def test_only_exact_reads_are_ever_tried_again(effects, may_retry):
    running = received().allow(INVOCATION, DECISION, effects, Instant(1.0)).start_execution(Instant(2.0))
    if may_retry:
        assert running.retry(Instant(3.0)).attempt == 2
    else:
        with pytest.raises(ValueError, match="call-1 may have had effects and is never rerun"):
            running.retry(Instant(3.0))


def test_a_renumbered_request_is_still_answered_to_its_wire_id():
    request = CallRequest(CallId("toolu_1"), "echo", FreeText("x"), wire_id="toolu_1")
    other = renumbered(request, CallId("toolu_1#2"))
    assert (other.id, other.wire_id, other.arguments) == ("toolu_1#2", "toolu_1", FreeText("x"))
