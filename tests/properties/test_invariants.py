"""The design's seven invariants, save what they say of crashes."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations, groupby, pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from world import Plan, Span, World, conflicting, folder_with, plans, settled_durably

from handrail.contract.basics import CallId
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    Cancelled,
    Completed,
    Failed,
    Pending,
    Rejected,
    SettledState,
)
from handrail.contract.transitions import transitions
from handrail.runtime.parts import Parts
from handrail.runtime.turns import Turn
from handrail.session import Session
from handrail.wire import Wire


@dataclass(frozen=True)
class Bounds:
    """How much of a batch may run together."""

    at_once: int
    limits: Mapping[str, int]
    gated: bool


@settings(max_examples=300, deadline=None)
@given(
    batch=st.lists(plans(), min_size=1, max_size=6),
    cancel_after=st.one_of(st.none(), st.integers(0, 30)),
    victim=st.integers(0, 5),
    bounds=st.builds(Bounds, st.integers(1, 4), st.sampled_from([{}, {"tab": 1}, {"leaf": 1}]), st.booleans()),
)
def test_the_invariants_hold_for_random_calls_approvals_cancellations_and_faults(
    batch: list[Plan], cancel_after: int | None, victim: int, bounds: Bounds
) -> None:
    asyncio.run(_check(batch, cancel_after, victim % len(batch), bounds))


async def _check(batch: list[Plan], cancel_after: int | None, victim: int, bounds: Bounds) -> None:
    world = World(limits=bounds.limits)
    with tempfile.TemporaryDirectory() as root:
        parts = Parts(
            tools=[world.tool(), world.leaf()],
            asker=world,
            journal=world.journal,
            at_once=bounds.at_once,
            limits=bounds.limits,
            gate_batch=bounds.gated,
        )
        workspace = folder_with(Path(root))
        async with Session.open(workspace, mode="bypass", parts=parts) as session:
            session.before_tool(world.before)
            calls = [{"id": f"c{i}", "name": plan.tool, "arguments": plan.arguments()} for i, plan in enumerate(batch)]
            response = {"calls": calls}
            canceller = asyncio.create_task(_cancel_later(session, cancel_after, CallId(f"c{victim}")))
            turn = await session.run(response, Wire.NEUTRAL)
            await canceller
    _check_all(world, turn, batch, victim if cancel_after is not None else None)


def _check_all(world: World, turn: Turn, batch: list[Plan], cancelled: int | None) -> None:
    calls = [CallId(f"c{i}") for i in range(len(batch))]
    _one_result_for_each_in_the_order_of_the_requests(turn, calls)
    _only_legal_and_durable(world)
    _conflicting_calls_kept_their_order(world, calls)
    _who_asked_to_wait_waited(world, batch)
    _what_a_job_writes_was_left_to_it(world)
    _an_edited_call_was_decided_again(world)
    _nobody_suffered_from_a_sibling(turn, batch, cancelled)
    assert not world.violations


async def _cancel_later(session: Session, steps: int | None, call: CallId) -> None:
    if steps is None:
        return
    for _ in range(steps):
        await asyncio.sleep(0)
    await session.cancel(call, "changed my mind")


def _one_result_for_each_in_the_order_of_the_requests(turn: Turn, calls: list[CallId]) -> None:
    assert [state.request.id for state in turn.calls] == calls
    assert all(isinstance(state, SettledState) for state in turn.calls)
    answered = [result["id"] for result in turn.messages[-1]["results"]]
    assert answered == calls


def _only_legal_and_durable(world: World) -> None:
    allowed = transitions()
    for call, history in world.journal.history.items():
        assert settled_durably(world.journal, call)
        for before, after in pairwise(history):
            if isinstance(before, Pending) and isinstance(after, Pending):
                assert before.arguments != after.arguments, call  # a hook changed them
                continue
            assert type(after) in allowed[type(before)].values(), (call, before, after)


def _conflicting_calls_kept_their_order(world: World, calls: list[CallId]) -> None:
    spans = list(world.spans.values())
    for one, other in combinations(spans, 2):
        if conflicting(one, other) and not _related(one, other):
            assert not one.overlaps(other), f"{one} ran beside {other}"
    top = [world.spans[call] for call in calls if call in world.spans]
    for earlier, later in combinations(top, 2):
        if conflicting(earlier, later) and not earlier.edited:
            assert earlier.ended < later.began, f"{later} passed {earlier}"


def _who_asked_to_wait_waited(world: World, batch: list[Plan]) -> None:
    for i, plan in enumerate(batch):
        span = world.spans.get(CallId(f"c{i}"))
        if plan.waits and span is not None:
            earlier = [s for s in world.spans.values() if int(s.call.split(".")[0][1:]) < i]
            assert all(other.ended < span.began for other in earlier), f"{span} did not wait"


def _what_a_job_writes_was_left_to_it(world: World) -> None:
    for job in world.jobs:
        for span in world.spans.values():
            if span.call != job.call and not _related(span, job) and job.effects.writes_meet(span.effects):
                assert not job.overlaps(span), f"{span} ran beside {job}"


def _related(one: Span, other: Span) -> bool:
    return one.call.startswith(f"{other.call}.") or other.call.startswith(f"{one.call}.")


def _an_edited_call_was_decided_again(world: World) -> None:
    for call, span in world.spans.items():
        if span.edited:
            history = [state for state, _ in groupby(map(type, world.journal.history[call]))]
            assert history[:4] == [Pending, AwaitingApproval, Pending, Approved]
            written = {path.named.name for path in span.effects.writes}
            assert span.effects.certainty == "unknown" or written in ({"edited"}, {"b"})


def _nobody_suffered_from_a_sibling(turn: Turn, batch: list[Plan], cancelled: int | None) -> None:
    for i, (state, plan) in enumerate(zip(turn.calls, batch, strict=True)):
        if i == cancelled:
            continue
        assert type(state) is _expected(plan)


def _expected(plan: Plan) -> type:
    if plan.hook == "block":
        return Rejected
    match plan.ask, plan.fault:
        case (("no" | "nobody"), _):
            return Rejected
        case "cancel", _:
            return Cancelled
        case _, "":
            followed = plan.following is None or _expected(plan.following) is Completed
            return Completed if followed else Failed
        case _:
            return Failed


def test_the_world_expects_the_follow_up_to_speak_for_its_call() -> None:
    assert _expected(Plan(following=Plan(hook="block"))) is Failed
    assert _expected(Plan(following=Plan(following=Plan()))) is Completed
