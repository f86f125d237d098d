"""Calls that were asked for together: one response's, one parent's, or those submitted one by one."""

from __future__ import annotations

from handrail.contract.basics import CallId
from handrail.runtime.tickets import Gate, Ticket

WAIT = "wait_for_previous"
"""An argument that the model may send with any call: true makes it wait for all earlier calls of its batch. It is
Gemini CLI's; tools and servers never see it, unless they have a parameter of that name themselves."""


class Batch:
    """The open calls of one batch, by their tickets. Who has ended is of no more interest to the others."""

    def __init__(self, gate: Gate | None = None) -> None:
        """`gate` holds all its calls until each is decided."""
        self.gate = gate
        self.open: dict[CallId, Ticket] = {}
        self._leading: list[Ticket] = []

    def before(self, ticket: Ticket) -> tuple[Ticket, ...]:
        """The tickets of the open calls that came before this one."""
        return tuple(other for other in self.open.values() if other.key < ticket.key)

    def lead(self, ticket: Ticket) -> None:
        """This call runs first: those that enter the batch behind it wait for it."""
        self._leading.append(ticket)

    def led_by(self, ticket: Ticket) -> tuple[Ticket, ...]:
        """The calls that run first, as far as they entered before this one."""
        if not self._leading:
            return ()
        return tuple(other for other in self._leading if other.key < ticket.key)
