"""What the order of calls is kept with: a ticket for each open call, and gates that hold whole batches."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from handrail.contract.effects import Effects

Key: TypeAlias = tuple[int, ...]


@dataclass(slots=True, eq=False)
class Ticket:
    """One open call's place in the order. `effects` is None until they are known."""

    key: Key
    parent: Ticket | None = None
    gate: Gate | None = None
    caller: bool = False
    effects: Effects | None = None
    """What it is ordered by; of a caller that has any, unknown."""
    declared: Effects | None = None
    """What it may touch itself."""
    classes: tuple[str, ...] = ()
    """The classes of calls, of those with a limit, that it counts among."""
    after: tuple[Ticket, ...] = ()
    """Whom it waits for, whatever they touch: it asked for that."""
    running: bool = False
    left: bool = False
    resting: bool = False
    """It waits for somebody outside, itself or behind one that does."""
    open_children: int = 0
    resting_children: int = 0
    waiter: asyncio.Future[None] | None = None
    rested: asyncio.Event | None = None
    """Made by who wants to know of it: set when the call rests or leaves."""

    @property
    def is_waiting(self) -> bool:
        """It asked for its turn and waits yet."""
        return self.waiter is not None and not self.waiter.done()

    def tell_rested(self) -> None:
        if self.rested is not None:
            self.rested.set()

    def ancestors(self) -> Iterator[Ticket]:
        ticket = self.parent
        while ticket is not None:
            yield ticket
            ticket = ticket.parent


@dataclass(slots=True, eq=False)
class Gate:
    """Holds the calls of a batch until each of them is decided, so that none starts while one is asked about."""

    keeper: Ticket = field(default_factory=lambda: Ticket(()))
    """Stands for whoever is undecided: what the calls of the batch wait for."""
    undecided: set[Ticket] = field(default_factory=set)
    complete: bool = False
    """No more calls will come to the batch."""

    @property
    def is_open(self) -> bool:
        return self.complete and not self.undecided
