"""What background jobs hold: the paths and keys that they write, by name, while they run.

A job holds against writers only. What it may touch beside what it names can't be held without stopping
all work for as long as a development server runs; calls beside it are told of the job instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from handrail.contract.effects import Effects
from handrail.runtime.tickets import Ticket


@dataclass(slots=True, eq=False)
class Held:
    """One job's hold."""

    name: str
    """Of the job, for people and the model."""
    owner: Ticket
    effects: Effects
    keeper: Ticket = field(default_factory=lambda: Ticket(()))
    """Stands for the job in the order: what a writer waits for."""


class Holds:
    """The holds of all jobs that run."""

    def __init__(self) -> None:
        self._held: list[Held] = []

    @property
    def any(self) -> bool:
        return bool(self._held)

    def add(self, ticket: Ticket, name: str) -> Held:
        held = Held(name, ticket, ticket.declared or Effects.unknown())
        self._held.append(held)
        return held

    def remove(self, held: Held) -> None:
        if held in self._held:
            self._held.remove(held)

    def keeping_back(self, ticket: Ticket, effects: Effects) -> Iterator[Ticket]:
        """Jobs that write what this call would write. A call waits for no job of its own, nor of its ancestors."""
        if self._held:
            kin = {ticket, *ticket.ancestors()}
            for held in self._held:
                if held.owner not in kin and held.effects.writes_meet(effects):
                    yield held.keeper

    def beside(self, effects: Effects) -> tuple[str, ...]:
        """The names of the jobs that may be writing what a call with these effects reads or writes."""
        return tuple(held.name for held in self._held if held.effects.may_write_for(effects))
