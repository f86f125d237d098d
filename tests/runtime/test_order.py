from __future__ import annotations

import asyncio
import sys

import pytest

from handrail.contract.effects import Effects
from handrail.errors import UsageError
from handrail.runtime.order import Order
from handrail.runtime.tickets import Gate, Ticket
from ordering import ANYTHING, NOTHING, entered, read, running, write


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


async def test_a_class_of_calls_has_its_own_limit_and_holds_nobody_else_up() -> None:
    order = Order(10, {"browser": 1, "shell": 2})
    tabs = [order.enter() for _ in range(2)]
    for number, ticket in enumerate(tabs):
        order.declare(ticket, Effects(keys=frozenset([f"browser:{number}"])), caller=False)
    shells = [order.enter() for _ in range(3)]
    for ticket in shells:
        order.declare(ticket, NOTHING, caller=False, tool="shell")
    (free,) = await entered(order, NOTHING)
    assert await running(order, [*tabs, *shells, free]) == [True, False, True, True, False, True]
    order.leave(shells[1])
    assert shells[2].running
    order.leave(tabs[0])
    assert tabs[1].running


async def test_a_place_in_a_class_goes_to_the_earliest_that_waits_for_it() -> None:
    order = Order(10, {"a": 1, "b": 1})

    def declared(*keys: str) -> Ticket:
        ticket = order.enter()
        order.declare(ticket, Effects(keys=frozenset(keys)), caller=False)
        return ticket

    one, both, other = declared("a:1"), declared("a:2", "b:1"), declared("b:2")
    assert await running(order, [one, both, other]) == [True, False, False]
    order.leave(one)
    assert (both.running, other.running) == (True, False)
    order.leave(both)
    assert other.running


async def test_a_cancelled_call_in_line_keeps_nobody_from_a_place() -> None:
    order = Order(10, {"a": 1, "b": 1})
    tickets = [order.enter() for _ in range(3)]
    for ticket, keys in zip(tickets, (["a:1"], ["a:2", "b:1"], ["b:2"]), strict=True):
        order.declare(ticket, Effects(keys=frozenset(keys)), caller=False)
    await running(order, tickets[:1])
    waits = asyncio.create_task(order.turn(tickets[1]))
    await asyncio.sleep(0)
    waits.cancel()
    await asyncio.wait([waits])
    order.leave(tickets[1])
    assert await running(order, [tickets[2]]) == [True]


@pytest.mark.parametrize("limits", [{"at_once": 0}, {"at_once": 3, "limits": {"shell": 0}}])
def test_a_limit_that_lets_nothing_run_is_refused(limits) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        Order(**limits)


async def test_a_call_that_asked_to_waits_for_all_earlier_ones_whatever_they_touch() -> None:
    order = Order(10)
    first, last = order.enter(), order.enter()
    order.declare(first, NOTHING, caller=False)
    order.declare(last, NOTHING, caller=False, after=(first,))
    assert await running(order, [last]) == [False]
    order.rest(first)
    assert last.resting
    order.wake(first)
    order.leave(first)
    assert last.running


async def test_no_call_of_a_gated_batch_starts_before_each_is_decided() -> None:
    order, gate = Order(10), Gate()
    asked, allowed, settled = (order.enter(gate=gate) for _ in range(3))
    for ticket in (asked, allowed, settled):
        order.declare(ticket, NOTHING, caller=False)
    assert await running(order, [allowed]) == [False]
    order.leave(settled)
    order.shut(gate)
    assert not allowed.running
    order.rest(asked)
    assert allowed.resting
    order.wake(asked)
    assert not allowed.resting
    assert await running(order, [asked]) == [True]
    assert allowed.running


async def test_a_gate_stays_shut_while_more_calls_may_come() -> None:
    order, gate = Order(10), Gate()
    ticket = order.enter(gate=gate)
    order.declare(ticket, NOTHING, caller=False)
    assert await running(order, [ticket]) == [False]
    order.shut(gate)
    assert ticket.running


async def test_a_call_that_is_decided_again_does_not_shut_the_gate() -> None:
    order, gate = Order(10), Gate()
    one, other = (order.enter(gate=gate) for _ in range(2))
    order.shut(gate)
    for ticket in (one, other):
        order.declare(ticket, NOTHING, caller=False)
    assert await running(order, [one, other]) == [True, True]
    order.step_back(one)
    order.rest(one)
    assert not other.resting


async def test_a_call_that_hands_on_gives_its_place_to_the_next_and_lets_nobody_between() -> None:
    order = Order(1)
    (first,) = await entered(order, write("/a"))
    (later,) = await entered(order, write("/b"))
    assert await running(order, [first, later]) == [True, False]
    following = order.enter(first)
    order.hand_on(first)
    assert not later.running, "the one that follows may write the same"
    order.declare(following, write("/b"), caller=False)
    assert await running(order, [following]) == [True]
    assert not later.running
    order.leave(following)
    assert later.running, "the first call holds nothing any more"
    order.leave(first)


async def test_a_caller_rests_when_all_its_children_do() -> None:
    order = Order(10)
    (parent,) = await entered(order, NOTHING, caller=True)
    await running(order, [parent])
    one, other = await entered(order, write("/a"), write("/b"), parent=parent)
    order.rest(one)
    assert not parent.resting
    order.rest(other)
    assert parent.resting
    order.wake(one)
    assert not parent.resting
    order.leave(one)
    assert parent.resting, "the other still rests"
    order.enter(parent)
    assert not parent.resting


async def test_more_rest_behind_one_that_does_than_functions_may_call_each_other() -> None:
    order = Order(10)
    first, *behind = await entered(order, *[ANYTHING] * (sys.getrecursionlimit() + 200))
    order.rest(first)
    await running(order, behind)
    assert all(ticket.resting for ticket in behind)
    order.wake(first)
    assert not any(ticket.resting for ticket in behind)


# Background jobs


async def test_a_job_holds_what_its_call_writes_against_writers_alone() -> None:
    order = Order(10)
    (starter,) = await entered(order, write("/a"))
    await running(order, [starter])
    held = order.hold(starter, "build")
    order.leave(starter)
    writer, reader, elsewhere, unknown = await entered(order, write("/a"), read("/a"), write("/b"), ANYTHING)
    order.leave(unknown)
    assert await running(order, [writer, elsewhere]) == [False, True]
    assert order.jobs.beside(read("/a")) == ("build",)
    assert order.jobs.beside(read("/b")) == ()
    order.leave(writer)
    assert await running(order, [reader]) == [True]
    (again,) = await entered(order, write("/a", "tree"))
    order.leave(reader)
    assert await running(order, [again]) == [False]
    order.release(held)
    assert again.running
    assert order.jobs.beside(read("/a")) == ()


async def test_a_job_that_may_touch_anything_stops_nobody_and_is_told_of() -> None:
    order = Order(10)
    (starter,) = await entered(order, ANYTHING)
    order.hold(starter, "server")
    order.leave(starter)
    assert await running(order, await entered(order, write("/a"), read("/b"))) == [True, True]
    assert order.jobs.beside(write("/a")) == ("server",)
    assert order.jobs.beside(NOTHING) == ()


async def test_a_call_waits_for_no_job_of_its_own() -> None:
    order = Order(10)
    (parent,) = await entered(order, ANYTHING, caller=True)
    await running(order, [parent])
    parent.declared = write("/a")
    order.hold(parent, "build")
    (child,) = await entered(order, write("/a"), parent=parent)
    assert await running(order, [child]) == [True]
