"""Tickets with effects, for tests of who may run when."""

from __future__ import annotations

import asyncio
from pathlib import Path

from handrail.contract.effects import Effects, PathEffect
from handrail.runtime.order import Order
from handrail.runtime.tickets import Ticket


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
