"""Who may run when: calls whose effects conflict run in request order, all others together.

Every open call holds a ticket. Tickets are ordered by key: a top-level call's number, and for a child
its parent's key with its own number behind it, so a child stands where its parent stood. A ticket may
start when

1. no *running* call conflicts with it, its own ancestors aside, and
2. no *earlier* open call conflicts with it, its own ancestors aside, and those aside that must wait for
   one of its running ancestors anyway, and
3. a place is free: `limit` leaf calls run together.

Why nothing waits for ever. A call that makes other calls (a *caller*) takes no place and, if it has
effects of its own, is ordered as `unknown`. So a running caller either has no effects, and nobody waits
for it, or it runs alone, and by rule 2 its children wait for nobody outside. All other waits lead to a
smaller key or to a running leaf, which ends by itself: there is no cycle. Why nobody starves: a later
call never passes an earlier one it conflicts with, and places go to the smallest key.

A call that rests (waits for a person, or is held by the client) holds back the calls that conflict with
it; those rest with it, and are told so.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from handrail.contract.effects import Effects

Key = tuple[int, ...]


@dataclass(slots=True, eq=False)
class Ticket:
    """One open call's place in the order. `effects` is None until they are known."""

    key: Key
    parent: Ticket | None
    caller: bool = False
    effects: Effects | None = None
    running: bool = False
    resting: bool = False
    """It waits for somebody outside, itself or behind one that does."""
    waiter: asyncio.Future[None] | None = None
    rested: asyncio.Future[None] | None = None
    """Made by who wants to know of it: done when the call rests or leaves."""

    def tell_rested(self) -> None:
        if self.rested is not None and not self.rested.done():
            self.rested.set_result(None)

    def ancestors(self) -> Iterator[Ticket]:
        ticket = self.parent
        while ticket is not None:
            yield ticket
            ticket = ticket.parent


class Order:
    """The open calls of one session. Not thread-safe: all methods run on the session's loop."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._numbers = itertools.count()
        self._changing: dict[Key, Ticket] = {}
        """Open tickets that may conflict with a reader: all but empty and known read-only ones."""
        self._reading: dict[Key, Ticket] = {}
        self._blockers: dict[Ticket, set[Ticket]] = {}
        """Ticket → whom it waits for, as of the last look; only tickets that wait."""
        self._dependents: dict[Ticket, set[Ticket]] = {}
        """The same relation from the other side."""
        self._ready: list[tuple[Key, Ticket]] = []
        """A heap of tickets that wait for nothing but a place."""
        self._places_taken = 0

    def enter(self, parent: Ticket | None = None) -> Ticket:
        """A ticket behind all earlier ones. Until `declare`, it holds back every later call with effects."""
        key = (*(parent.key if parent else ()), next(self._numbers))
        ticket = Ticket(key, parent)
        self._changing[key] = ticket
        return ticket

    def declare(self, ticket: Ticket, effects: Effects, *, caller: bool) -> None:
        """The call's effects are known, or known anew after an edit."""
        self._forget(ticket)
        ticket.caller = caller
        ticket.effects = Effects.unknown() if caller and not effects.is_empty else effects
        if not effects.is_empty:
            (self._reading if ticket.effects.read_only else self._changing)[ticket.key] = ticket
        self._look_again_at_dependents(ticket)

    async def turn(self, ticket: Ticket) -> None:
        """Returns when the call may start; it counts as running from then until `leave` or `step_back`."""
        if self._start_if_free(ticket):
            return
        ticket.waiter = asyncio.get_running_loop().create_future()
        self._rest_if_held(ticket)
        try:
            await ticket.waiter
        finally:
            ticket.waiter = None

    def step_back(self, ticket: Ticket) -> None:
        """It had its turn, but must be decided again before it takes another."""
        self._stop(ticket)
        self._look_again_at_dependents(ticket)
        self._fill_places()

    def rest(self, ticket: Ticket) -> None:
        """The call waits for somebody outside; so do all that it holds back."""
        if ticket.resting:
            return
        ticket.resting = True
        ticket.tell_rested()
        for other in self._waiting_for(ticket):
            self.rest(other)

    def wake(self, ticket: Ticket) -> None:
        """The call goes on; those it held back may still be held by others."""
        if not ticket.resting:
            return
        ticket.resting = False
        ticket.rested = None
        for other in self._waiting_for(ticket):
            if not self._is_held(other):
                self.wake(other)

    def leave(self, ticket: Ticket) -> None:
        """The call is settled, or given up."""
        self.wake(ticket)
        self._stop(ticket)
        self._forget(ticket)
        self._unlink(ticket)
        for other in self._waiting_for(ticket):
            self._blockers[other].discard(ticket)
            if not self._blockers[other] and not self._start_if_free(other):
                self._rest_if_held(other)
        self._dependents.pop(ticket, None)
        ticket.tell_rested()
        self._fill_places()

    def _start_if_free(self, ticket: Ticket) -> bool:
        """Looks at all that could hold it back, and starts it, or links it to what does."""
        self._unlink(ticket)
        if ticket.effects is not None and not ticket.effects.is_empty:
            blockers = set(self._conflicting(ticket, ticket.effects))
            if blockers:
                self._link(ticket, blockers)
                return False
        if not ticket.caller:
            if self._places_taken >= self._limit:
                heapq.heappush(self._ready, (ticket.key, ticket))
                return False
            self._places_taken += 1
        ticket.running = True
        if ticket.waiter is not None and not ticket.waiter.done():
            ticket.waiter.set_result(None)
        return True

    def _fill_places(self) -> None:
        while self._ready and self._places_taken < self._limit:
            _, ticket = heapq.heappop(self._ready)
            if ticket.waiter is not None and not ticket.waiter.done():
                self._start_if_free(ticket)

    def _look_again_at_dependents(self, ticket: Ticket) -> None:
        for other in self._waiting_for(ticket):
            if not self._start_if_free(other):
                self._rest_if_held(other)

    def _stop(self, ticket: Ticket) -> None:
        if ticket.running and not ticket.caller:
            self._places_taken -= 1
        ticket.running = False

    def _forget(self, ticket: Ticket) -> None:
        self._changing.pop(ticket.key, None)
        self._reading.pop(ticket.key, None)

    def _link(self, ticket: Ticket, blockers: set[Ticket]) -> None:
        self._blockers[ticket] = blockers
        for blocker in blockers:
            self._dependents.setdefault(blocker, set()).add(ticket)

    def _unlink(self, ticket: Ticket) -> None:
        for blocker in self._blockers.pop(ticket, ()):
            self._dependents[blocker].discard(ticket)

    def _waiting_for(self, ticket: Ticket) -> list[Ticket]:
        """Who waits for this ticket, in request order."""
        dependents = self._dependents.get(ticket)
        return sorted(dependents, key=lambda t: t.key) if dependents else []

    def _is_held(self, ticket: Ticket) -> bool:
        return any(blocker.resting for blocker in self._blockers.get(ticket, ()))

    def _rest_if_held(self, ticket: Ticket) -> None:
        if self._is_held(ticket):
            self.rest(ticket)

    def _conflicting(self, ticket: Ticket, effects: Effects) -> Iterator[Ticket]:
        """Tickets that this one must wait for: running or earlier, and in conflict with it."""
        kin = set(ticket.ancestors())
        running_kin = [t for t in kin if t.running and t.effects is not None and not t.effects.is_empty]
        candidates = [self._changing] if effects.read_only else [self._changing, self._reading]
        for other in itertools.chain.from_iterable(tickets.values() for tickets in candidates):
            if other is ticket or other in kin or ticket in other.ancestors():
                continue
            ahead = other.running or other.key < ticket.key
            if ahead and _conflict(other, effects) and not _waits_for_one_of(running_kin, other):
                yield other


def _conflict(other: Ticket, effects: Effects) -> bool:
    return other.effects is None or other.effects.conflicts_with(effects)


def _waits_for_one_of(running: list[Ticket], other: Ticket) -> bool:
    """True when `other` can't start before one of these running calls ends."""
    return not other.running and any(
        other not in call.ancestors() and call.effects is not None and _conflict(other, call.effects)
        for call in running
        if call not in other.ancestors()
    )
