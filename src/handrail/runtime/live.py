"""One call while it is open: its current state, who waits for it, and how to stop it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from handrail.contract.calls import CallState, Canceller, Executing, SettledState
from handrail.contract.ports import Asker
from handrail.contract.results import ToolResult
from handrail.runtime.judge import Verdict
from handrail.runtime.order import Ticket


@dataclass(slots=True, eq=False)
class LiveCall:
    """One submitted call. `state` is where it stands; await `settled` for its outcome.

    The rest is the scheduler's. The states are immutable; this only points at the current one.
    """

    state: CallState
    ticket: Ticket
    settled: asyncio.Future[SettledState]
    asker: Asker
    """Who is asked about it, and about its children."""
    parent: LiveCall | None = None
    sequence: int = 0
    """The journal's number of the last state."""
    task: asyncio.Task[None] | None = None
    canceller: Canceller | None = None
    begun: bool = False
    """Its task runs. Before that, a cancellation would pass the call by; the task sees `canceller` first."""
    started: Executing | None = None
    edited: bool = False
    """A person changed its arguments: the model is told."""
    looks: int = 0
    """How often its facts had changed when its turn came."""
    verdict: Verdict | None = None
    """What the last decision rests on."""
    delivery: asyncio.Future[ToolResult] | None = None
    """For a client-side call: where its result will come."""
    output: list[str] = field(default_factory=list)
    """The last pieces of live output, for the result of a cancelled call."""

    def note_output(self, text: str) -> None:
        self.output.append(text)
        if len(self.output) > _KEPT_PIECES:
            del self.output[: len(self.output) - _KEPT_PIECES]

    @property
    def partial_output(self) -> str:
        return "".join(self.output)[-_KEPT_CHARACTERS:]

    @property
    def at_rest(self) -> bool:
        """It is settled, or waits for somebody outside the runtime, itself or behind one that does."""
        return self.settled.done() or self.ticket.resting

    async def rest(self) -> None:
        """Waits until the call is at rest. Cancelling the wait does nothing to the call."""
        while not self.at_rest:
            rested = self.ticket.rested = self.ticket.rested or self.settled.get_loop().create_future()
            await asyncio.shield(rested)


_KEPT_PIECES = 64
_KEPT_CHARACTERS = 4_000
