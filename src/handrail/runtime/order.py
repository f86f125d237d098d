"""Who may run when: calls whose effects conflict run in request order, all others together.

Every open call holds a ticket. Tickets are ordered by key: a top-level call's number, and for a child
its parent's key with its own number behind it, so a child stands where its parent stood. A ticket may
start when

1. no *running* call conflicts with it, its own ancestors aside, and
2. no *earlier* open call conflicts with it, its own ancestors aside, and those aside that must wait for
   one of its running ancestors anyway, and
3. every earlier open call of its batch has left, if it asked for that (`after`), and
4. no background job holds what it writes, by name, and
5. the gate of its batch is open: every call of the batch is decided, if the session gates batches, and
6. places are free: see `places`.

Why nothing waits for ever. A call that makes other calls (a *caller*) takes no place and, if it has
effects of its own, is ordered as `unknown`. So a running caller either has no effects, and nobody waits
for it by 1 or 2, or it runs alone, and by rule 2 its children wait for nobody outside. A call whose tool
has ended and left a follow-up is from then on a caller without effects (`hand_on`): it gives its place
back before the follow-up asks for one. Waits by 1 and 2 lead to a smaller key or to a running leaf; waits
by 3 lead to a smaller key; a job waits for nobody and ends by itself or is stopped, and so does a running
leaf; a gate waits for decisions alone, which wait for nobody that has to start; places are held by
running leaves only, each takes all of its own at once, and all go back when it ends. So there is no cycle.

Why nobody starves: a later call never passes an earlier one it conflicts with, places go to the smallest
key, in each class of calls too, and a gate counts each call once: one that is decided again later, when
the gate was open, does not shut it.

A call that rests (waits for a person, or is held by the client) holds back the calls that wait for it;
those rest with it, and are told so. So does a caller all of whose open children rest.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator, Mapping

from handrail.contract.effects import Effects
from handrail.runtime.held import Held, Holds
from handrail.runtime.places import Places
from handrail.runtime.tickets import Gate, Key, Ticket


class Order:
    """The open calls of one session. Not thread-safe: all methods run on the session's loop."""

    def __init__(self, at_once: int, limits: Mapping[str, int] | None = None) -> None:
        """At most `at_once` leaf calls run together, and of each class in `limits` as many as it says.

        Raises UsageError for a limit below 1.
        """
        self._places = Places(at_once, limits)
        self._numbers = itertools.count()
        self._changing: dict[Key, Ticket] = {}
        """Open tickets that may conflict with a reader: all but empty and known read-only ones."""
        self._reading: dict[Key, Ticket] = {}
        self._waits_for: dict[Ticket, Ticket] = {}
        """Ticket → one of those it waits for; looked for anew when that one goes. Only tickets that wait."""
        self._dependents: dict[Ticket, set[Ticket]] = {}
        """The same relation from the other side."""
        self.jobs = Holds()

    def enter(self, parent: Ticket | None = None, gate: Gate | None = None) -> Ticket:
        """A ticket behind all earlier ones. Until `declare`, it holds back every later call with effects."""
        key = (*(parent.key if parent else ()), next(self._numbers))
        ticket = Ticket(key, parent, gate)
        self._changing[key] = ticket
        if parent is not None:
            parent.open_children += 1
            self.wake(parent)
        if gate is not None:
            gate.undecided.add(ticket)
        return ticket

    def declare(
        self, ticket: Ticket, effects: Effects, *, caller: bool, tool: str = "", after: tuple[Ticket, ...] = ()
    ) -> None:
        """The call's effects are known, or known anew after an edit."""
        self._forget(ticket)
        ticket.caller, ticket.declared, ticket.after = caller, effects, after
        ticket.effects = Effects.unknown() if caller and not effects.is_empty else effects
        if self._places.limited:
            ticket.classes = self._places.classes_of(tool, effects.keys)
        if not effects.is_empty:
            (self._reading if ticket.effects.read_only else self._changing)[ticket.key] = ticket
        if ticket in self._dependents or self._places.lines:
            self._look_again_at_dependents(ticket)

    async def turn(self, ticket: Ticket) -> None:
        """Returns when the call may start; it counts as running from then until `leave` or `step_back`."""
        if ticket.gate is not None:
            self.decided(ticket)
        if self._start_if_free(ticket):
            return
        ticket.waiter = asyncio.get_running_loop().create_future()
        self._rest_if_held(ticket)
        self._fill_places()
        try:
            await ticket.waiter
        finally:
            ticket.waiter = None

    def step_back(self, ticket: Ticket) -> None:
        """It had its turn, but must be decided again before it takes another."""
        self._stop(ticket)
        self._look_again_at_dependents(ticket)

    def hand_on(self, ticket: Ticket) -> None:
        """Its tool has ended, and a child that has entered goes on in its place.

        The child stands where this call stood: nobody that it may conflict with comes between the two.
        """
        self._stop(ticket)
        ticket.running = True
        self.declare(ticket, Effects.none(), caller=True)

    def rest(self, ticket: Ticket) -> None:
        """The call waits for somebody outside; so do all that it holds back."""
        todo = [ticket]
        while todo:  # not by recursion: thousands may wait, each for the one before
            resting = todo.pop()
            if not resting.resting:
                resting.resting = True
                resting.tell_rested()
                todo += reversed(self._resting_with(resting))

    def wake(self, ticket: Ticket) -> None:
        """The call goes on; those it held back may still be held by others."""
        if not ticket.resting:
            return
        todo = [ticket]
        while todo:
            woken = todo.pop()
            if woken.resting:
                woken.resting = False
                woken.rested = None
                todo += reversed(self._woken_with(woken))

    def leave(self, ticket: Ticket) -> None:
        """The call is settled, or given up."""
        self.wake(ticket)
        ticket.left = True
        self._stop(ticket)
        self._forget(ticket)
        self._unlink(ticket)
        if ticket in self._dependents or self._places.lines:
            self._look_again_at_dependents(ticket)
            self._dependents.pop(ticket, None)
        ticket.tell_rested()
        if ticket.gate is not None:
            self.decided(ticket)
        if ticket.parent is not None:
            self._child_left(ticket.parent)

    def shut(self, gate: Gate) -> None:
        """No more calls come to the gate's batch."""
        gate.complete = True
        self._open_if_decided(gate)

    def decided(self, ticket: Ticket) -> None:
        """The call has been allowed or is settled: as far as it goes, the gate of its batch may open."""
        gate = ticket.gate
        if gate is not None and ticket in gate.undecided:
            gate.undecided.discard(ticket)
            self._open_if_decided(gate)
            if gate.undecided and not any(other.resting for other in gate.undecided):
                self.wake(gate.keeper)

    def hold(self, ticket: Ticket, name: str) -> Held:
        """A background job of this call goes on; what the call writes stays held until `release`."""
        return self.jobs.add(ticket, name)

    def release(self, held: Held) -> None:
        """The job has ended."""
        self.jobs.remove(held)
        self.leave(held.keeper)

    def _open_if_decided(self, gate: Gate) -> None:
        if gate.is_open and not gate.keeper.left:
            self.leave(gate.keeper)

    def _child_left(self, parent: Ticket) -> None:
        parent.open_children -= 1
        if parent.open_children and parent.resting_children == parent.open_children:
            self.rest(parent)

    def _resting_with(self, ticket: Ticket) -> list[Ticket]:
        """Whom a call that comes to rest takes along."""
        others = self._waiting_for(ticket)
        if ticket.gate is not None and ticket in ticket.gate.undecided:
            others.append(ticket.gate.keeper)
        parent = ticket.parent
        if parent is not None:
            parent.resting_children += 1
            if parent.resting_children == parent.open_children:
                others.append(parent)
        return others

    def _woken_with(self, ticket: Ticket) -> list[Ticket]:
        """Who goes on with a call that rested, as far as it alone held them."""
        others = self._waiting_for(ticket)
        gate, parent = ticket.gate, ticket.parent
        if gate is not None and ticket in gate.undecided and not any(other.resting for other in gate.undecided):
            others.append(gate.keeper)
        if parent is not None:
            parent.resting_children -= 1
            others.append(parent)
        return others

    def _start_if_free(self, ticket: Ticket, *, called: bool = False) -> bool:
        """Looks at all that could hold it back, and starts it, or links it to one that does."""
        self._unlink(ticket)
        if not _is_free(ticket) and (blockers := list(self._blockers(ticket))):
            self._link(ticket, max(blockers, key=lambda blocker: (blocker.resting, blocker.key)))
            return False
        if not ticket.caller and not self._places.take(ticket, called=called):
            return False
        ticket.running = True
        if ticket.waiter is not None and not ticket.waiter.done():
            ticket.waiter.set_result(None)
        return True

    def _fill_places(self) -> None:
        while (ticket := self._places.next()) is not None:
            self._start_if_free(ticket, called=True)

    def _look_again_at_dependents(self, ticket: Ticket) -> None:
        for other in self._waiting_for(ticket):
            if not self._start_if_free(other):
                self._rest_if_held(other)
        self._fill_places()

    def _stop(self, ticket: Ticket) -> None:
        if ticket.running and not ticket.caller:
            self._places.give_back(ticket)
        ticket.running = False

    def _forget(self, ticket: Ticket) -> None:
        self._changing.pop(ticket.key, None)
        self._reading.pop(ticket.key, None)

    def _link(self, ticket: Ticket, blocker: Ticket) -> None:
        self._waits_for[ticket] = blocker
        self._dependents.setdefault(blocker, set()).add(ticket)

    def _unlink(self, ticket: Ticket) -> None:
        if (blocker := self._waits_for.pop(ticket, None)) is not None:
            self._dependents[blocker].discard(ticket)

    def _waiting_for(self, ticket: Ticket) -> list[Ticket]:
        """Who waits for this ticket, in request order."""
        dependents = self._dependents.get(ticket)
        return sorted(dependents, key=lambda t: t.key) if dependents else []

    def _rest_if_held(self, ticket: Ticket) -> None:
        """What it waits for rests, so it does; or it waits no more for one that does."""
        blocker = self._waits_for.get(ticket)
        (self.rest if blocker is not None and blocker.resting else self.wake)(ticket)

    def _blockers(self, ticket: Ticket) -> Iterator[Ticket]:
        """Whom the ticket has to wait for, by rules 1 to 5."""
        effects = ticket.effects
        if effects is not None and not effects.is_empty:
            yield from self._conflicting(ticket, effects)
        for earlier in ticket.after:
            if not earlier.left:
                yield earlier
        if ticket.gate is not None and not ticket.gate.is_open:
            yield ticket.gate.keeper
        if ticket.declared is not None:
            yield from self.jobs.keeping_back(ticket, ticket.declared)

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


def _is_free(ticket: Ticket) -> bool:
    """Nothing can hold it back but a want of places: most calls that only think or answer are such."""
    return ticket.effects is not None and ticket.effects.is_empty and not ticket.after and ticket.gate is None


def _conflict(other: Ticket, effects: Effects) -> bool:
    return other.effects is None or other.effects.conflicts_with(effects)


def _waits_for_one_of(running: list[Ticket], other: Ticket) -> bool:
    """True when `other` can't start before one of these running calls ends."""
    return not other.running and any(
        other not in call.ancestors() and call.effects is not None and _conflict(other, call.effects)
        for call in running
        if call not in other.ancestors()
    )
