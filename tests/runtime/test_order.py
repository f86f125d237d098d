from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.effects import Effects, PathEffect
from handrail.runtime.order import Order, Ticket


def read(path: str, scope: str = "file") -> Effects:
    return Effects(reads=frozenset([PathEffect(Path(path), Path(path), scope)]))


def write(path: str, scope: str = "file") -> Effects:
    return Effects(writes=frozenset([PathEffect(Path(path), Path(path), scope)]))


NOTHING, ANYTHING = Effects.none(), Effects.unknown()


async def entered(order: Order, *effects: Effects, parent: Ticket | None = None, caller: bool = False) -> list[Ticket]:
    tickets = [order.enter(parent) for _ in effects]
    for ticket, effect in zip(tickets, effects, strict=True):
        order.declare(ticket, effect, caller=caller)
    return tickets


async def running(order: Order, tickets: list[Ticket]) -> list[bool]:
    """Asks for every turn in the order given and says who got it at once."""
    for ticket in tickets:
        if not ticket.running and ticket.waiter is None:
            task = asyncio.ensure_future(order.turn(ticket))
            task.add_done_callback(lambda done: done.cancelled() or done.result())
    await asyncio.sleep(0)
    return [ticket.running for ticket in tickets]


@pytest.mark.parametrize(
    ("effects", "together"),
    [
        ([NOTHING, NOTHING, NOTHING], [True, True, True]),
        ([read("/a"), read("/a")], [True, True]),
        ([write("/a"), write("/b")], [True, True]),
        ([write("/a"), write("/a")], [True, False]),
        ([write("/a"), read("/a")], [True, False]),
        ([read("/a"), write("/a"), read("/a")], [True, False, False]),
        ([read("/d", "tree"), write("/d/x")], [True, False]),
        ([write("/d/x"), read("/d", "tree")], [True, False]),
        ([ANYTHING, NOTHING, read("/a")], [True, True, False]),
        ([read("/a"), ANYTHING, read("/b")], [True, False, False]),
        ([ANYTHING, ANYTHING], [True, False]),
    ],
)
async def test_calls_run_together_unless_their_effects_conflict(effects: list[Effects], together: list[bool]) -> None:
    order = Order(10)
    assert await running(order, await entered(order, *effects)) == together


async def test_a_call_whose_effects_are_not_known_yet_holds_back_later_ones() -> None:
    order = Order(10)
    first, second = order.enter(), order.enter()
    order.declare(second, read("/a"), caller=False)
    assert await running(order, [second]) == [False]
    order.declare(first, read("/a"), caller=False)
    assert second.running


async def test_a_later_call_never_passes_an_earlier_one_that_it_conflicts_with() -> None:
    order = Order(10)
    one, two, three = await entered(order, write("/a"), write("/a"), write("/a"))
    await running(order, [three, two, one])
    assert (one.running, two.running, three.running) == (True, False, False)
    order.leave(one)
    assert (two.running, three.running) == (True, False)


async def test_no_more_than_the_limit_run_together_and_the_earliest_goes_first() -> None:
    order = Order(2)
    tickets = await entered(order, *[NOTHING] * 4)
    assert await running(order, tickets) == [True, True, False, False]
    order.leave(tickets[1])
    assert [ticket.running for ticket in tickets] == [True, False, True, False]


async def test_a_child_runs_though_its_parent_holds_everything() -> None:
    order = Order(1)
    (parent,) = await entered(order, ANYTHING, caller=True)
    (stranger,) = await entered(order, write("/a"))
    (child,) = await entered(order, write("/a"), parent=parent)
    assert await running(order, [parent, stranger, child]) == [True, False, True]
    order.leave(child)
    assert not stranger.running
    order.leave(parent)
    assert stranger.running


async def test_callers_take_no_place_so_that_their_children_can_have_it() -> None:
    order = Order(1)
    (parent,) = await entered(order, NOTHING, caller=True)
    (child,) = await entered(order, read("/a"), parent=parent)
    assert await running(order, [parent, child]) == [True, True]


async def test_what_waits_behind_a_resting_call_rests_with_it_and_goes_on_with_it() -> None:
    order = Order(10)
    asked, behind, beside = await entered(order, write("/a"), read("/a"), read("/b"))
    assert await running(order, [behind, beside]) == [False, True]
    order.rest(asked)
    assert (behind.resting, beside.resting) == (True, False)
    order.wake(asked)
    assert not behind.resting
    await running(order, [asked])
    order.leave(asked)
    assert behind.running


async def test_an_edited_call_waits_for_whoever_runs_though_it_came_earlier() -> None:
    order = Order(10)
    asked, later = await entered(order, write("/a"), write("/b"))
    assert await running(order, [later]) == [True]
    order.declare(asked, write("/b"), caller=False)
    assert await running(order, [asked]) == [False]
    order.leave(later)
    assert asked.running


PATHS = st.sampled_from(["/a", "/b", "/d", "/d/x", "/d/y"])
EFFECTS = st.one_of(
    st.just(NOTHING),
    st.just(ANYTHING),
    st.builds(read, PATHS, st.sampled_from(["file", "tree"])),
    st.builds(write, PATHS, st.sampled_from(["file", "tree"])),
    st.builds(lambda key: Effects(keys=frozenset([key])), st.sampled_from("kl")),
)


@given(
    calls=st.lists(st.tuples(EFFECTS, st.booleans(), st.integers(-1, 5)), min_size=1, max_size=9),
    limit=st.integers(1, 3),
    choices=st.randoms(use_true_random=False),
)
def test_every_call_gets_its_turn_whatever_nests_and_in_whatever_order_calls_end(calls, limit, choices) -> None:
    asyncio.run(_everybody_ends(calls, limit, choices))


async def _everybody_ends(calls, limit, choices) -> None:
    """Parents (chosen among earlier callers) leave after their children; who ends next is random."""
    order = Order(limit)
    tickets: list[Ticket] = []
    for effects, caller, parent_index in calls:
        parent = tickets[parent_index] if 0 <= parent_index < len(tickets) and tickets[parent_index].caller else None
        ticket = order.enter(parent)
        order.declare(ticket, effects, caller=caller)
        tickets.append(ticket)
    left: set[int] = set()
    while len(left) < len(tickets):
        for _ in tickets:  # a parent that starts lets its children ask
            await running(order, [t for i, t in enumerate(tickets) if i not in left and may_ask(t)])
        _nothing_conflicting_runs_together(tickets)
        ends = [
            i
            for i, t in enumerate(tickets)
            if i not in left and t.running and not any(c.parent is t for j, c in enumerate(tickets) if j not in left)
        ]
        assert ends, "nobody can go on: a deadlock"
        chosen = choices.choice(ends)
        order.leave(tickets[chosen])
        left.add(chosen)


def may_ask(ticket: Ticket) -> bool:
    return ticket.parent is None or ticket.parent.running


def _nothing_conflicting_runs_together(tickets: list[Ticket]) -> None:
    active = [t for t in tickets if t.running]
    for one in active:
        for other in active:
            kin = one is other or other in one.ancestors() or one in other.ancestors()
            assert kin or not one.effects.conflicts_with(other.effects)
