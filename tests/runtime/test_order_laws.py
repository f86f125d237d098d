"""Random worlds of tickets: somebody can always go on, and nothing conflicting runs together."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from handrail.contract.effects import Effects
from handrail.runtime.held import Held
from handrail.runtime.order import Order
from handrail.runtime.tickets import Gate, Ticket
from ordering import ANYTHING, NOTHING, read, running, write

PATHS = st.sampled_from(["/a", "/b", "/d", "/d/x", "/d/y"])
EFFECTS = st.one_of(
    st.just(NOTHING),
    st.just(ANYTHING),
    st.builds(read, PATHS, st.sampled_from(["file", "tree"])),
    st.builds(write, PATHS, st.sampled_from(["file", "tree"])),
    st.builds(lambda key: Effects(keys=frozenset([key])), st.sampled_from("kl")),
)


@dataclass(frozen=True)
class Wish:
    """One call of a random world."""

    effects: Effects
    caller: bool = False
    parent: int = -1
    """Which earlier caller made it; none where there is no such."""
    waits: bool = False
    """It waits for all earlier ones of its batch."""
    gated: bool = False
    tool: str = ""
    hands_on: bool = False
    leaves_job: bool = False


WISHES = st.builds(
    Wish,
    effects=EFFECTS,
    caller=st.booleans(),
    parent=st.integers(-1, 5),
    waits=st.booleans(),
    gated=st.booleans(),
    tool=st.sampled_from(["", "shell", "other"]),
    hands_on=st.booleans(),
    leaves_job=st.booleans(),
)


@given(
    wishes=st.lists(WISHES, min_size=1, max_size=9),
    limit=st.integers(1, 3),
    limits=st.fixed_dictionaries({}, optional={name: st.integers(1, 2) for name in ("shell", "k", "l")}),
    choices=st.randoms(use_true_random=False),
)
def test_every_call_gets_its_turn_whatever_nests_and_in_whatever_order_calls_end(
    wishes, limit, limits, choices
) -> None:
    asyncio.run(Play(Order(limit, limits), choices).play(wishes))


class Play:
    """Enters all calls, and ends one that runs, or a job, until all have ended; fails where nothing can go on."""

    def __init__(self, order: Order, choices: Any) -> None:
        self.order = order
        self.choices = choices
        self.gate = Gate()
        self.open: dict[Ticket, Wish] = {}
        self.jobs: list[Held] = []

    async def play(self, wishes: list[Wish]) -> None:
        tickets: list[Ticket] = []
        for wish in wishes:
            tickets.append(self.enter(wish, tickets))
        self.order.shut(self.gate)
        while self.open or self.jobs:
            for _ in range(len(self.open)):  # a parent that starts lets its children ask
                await running(self.order, [t for t in self.open if t.parent is None or t.parent.running])
            _nothing_conflicting_runs_together(list(self.open))
            self.end_one()

    def enter(self, wish: Wish, tickets: list[Ticket]) -> Ticket:
        parents = [t for t in tickets[wish.parent : wish.parent + 1] if t.caller] if wish.parent >= 0 else []
        parent = parents[0] if parents else None
        ticket = self.order.enter(parent, self.gate if wish.gated and parent is None else None)
        after = tuple(t for t in tickets if t.parent is parent) if wish.waits else ()
        self.order.declare(ticket, wish.effects, caller=wish.caller, tool=wish.tool, after=after)
        self.open[ticket] = wish
        return ticket

    def end_one(self) -> None:
        ends = [t for t in self.open if t.running and not any(child.parent is t for child in self.open)]
        assert ends or self.jobs, "nobody can go on: a deadlock"
        chosen = self.choices.choice([*ends, *self.jobs])
        if isinstance(chosen, Held):
            self.jobs.remove(chosen)
            self.order.release(chosen)
            return
        wish = self.open[chosen]
        if wish.leaves_job:
            self.jobs.append(self.order.hold(chosen, "job"))
        if wish.hands_on:
            following = self.order.enter(chosen)
            self.order.hand_on(chosen)
            self.order.declare(following, wish.effects, caller=False, tool=wish.tool)
            self.open[following] = Wish(wish.effects)
            self.open[chosen] = Wish(NOTHING, caller=True)
            return
        self.order.leave(chosen)
        del self.open[chosen]


def _nothing_conflicting_runs_together(tickets: list[Ticket]) -> None:
    active = [t for t in tickets if t.running]
    for one in active:
        for other in active:
            kin = one is other or other in one.ancestors() or one in other.ancestors()
            assert kin or not one.effects.conflicts_with(other.effects)
