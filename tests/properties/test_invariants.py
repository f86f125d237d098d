"""The design's seven invariants, save what they say of hooks and crashes."""

from __future__ import annotations

import asyncio
import tempfile
from itertools import combinations, pairwise
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
from handrail.session import Parts, Session, Turn
from handrail.wire import Wire


@settings(max_examples=300, deadline=None)
@given(
    batch=st.lists(plans(), min_size=1, max_size=6),
    cancel_after=st.one_of(st.none(), st.integers(0, 30)),
    victim=st.integers(0, 5),
    limit=st.integers(1, 4),
)
def test_the_invariants_hold_for_random_calls_approvals_cancellations_and_faults(
    batch: list[Plan], cancel_after: int | None, victim: int, limit: int
) -> None:
    asyncio.run(_check(batch, cancel_after, victim % len(batch), limit))


async def _check(batch: list[Plan], cancel_after: int | None, victim: int, limit: int) -> None:
    world = World()
    with tempfile.TemporaryDirectory() as root:
        parts = Parts(tools=[world.tool(), world.leaf()], asker=world, journal=world.journal, at_once=limit)
        workspace = folder_with(Path(root))
        async with Session.open(workspace, mode="bypass", parts=parts) as session:
            response = {
                "calls": [
                    {"id": f"c{i}", "name": "plan" if plan.children else "leaf", "arguments": plan.arguments()}
                    for i, plan in enumerate(batch)
                ]
            }
            canceller = asyncio.create_task(_cancel_later(session, cancel_after, CallId(f"c{victim}")))
            turn = await session.run(response, Wire.NEUTRAL)
            await canceller
    calls = [CallId(f"c{i}") for i in range(len(batch))]
    _one_result_for_each_in_the_order_of_the_requests(turn, calls)
    _only_legal_and_durable(world)
    _conflicting_calls_kept_their_order(world, calls)
    _an_edited_call_was_decided_again(world)
    _nobody_suffered_from_a_sibling(turn, batch, cancelled=victim if cancel_after is not None else None)
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
            assert type(after) in allowed[type(before)].values(), (call, before, after)


def _conflicting_calls_kept_their_order(world: World, calls: list[CallId]) -> None:
    spans = list(world.spans.values())
    for one, other in combinations(spans, 2):
        if conflicting(one, other) and not _related(one, other):
            assert one.ended < other.began or other.ended < one.began, f"{one} ran beside {other}"
    top = [world.spans[call] for call in calls if call in world.spans]
    for earlier, later in combinations(top, 2):
        if conflicting(earlier, later) and not earlier.edited:
            assert earlier.ended < later.began, f"{later} passed {earlier}"


def _related(one: Span, other: Span) -> bool:
    return one.call.startswith(f"{other.call}.") or other.call.startswith(f"{one.call}.")


def _an_edited_call_was_decided_again(world: World) -> None:
    for call, span in world.spans.items():
        if span.edited:
            history = world.journal.history[call]
            assert [type(state) for state in history[:4]] == [Pending, AwaitingApproval, Pending, Approved]
            written = {path.named.name for path in span.effects.writes}
            assert span.effects.certainty == "unknown" or written == {"edited"}


def _nobody_suffered_from_a_sibling(turn: Turn, batch: list[Plan], cancelled: int | None) -> None:
    for i, (state, plan) in enumerate(zip(turn.calls, batch, strict=True)):
        if i == cancelled:
            continue
        match plan.ask, plan.fault:
            case (("no" | "nobody"), _):
                assert isinstance(state, Rejected)
            case "cancel", _:
                assert isinstance(state, Cancelled)
            case _, "":
                assert isinstance(state, Completed)
            case _:
                assert isinstance(state, Failed)
