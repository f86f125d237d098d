"""One call while it is open: its current state, who waits for it, and how to stop it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from handrail.contract.calls import CallState, Canceller, Executing, SettledState
from handrail.contract.confirmation import Confirmation
from handrail.contract.decision import Decision
from handrail.contract.ports import Asker
from handrail.contract.results import ToolResult
from handrail.contract.values import value
from handrail.runtime.batches import Batch
from handrail.runtime.cutting import tail_start
from handrail.runtime.hook_outcome import Hooked
from handrail.runtime.judge import Verdict
from handrail.runtime.speaker import Speaker
from handrail.runtime.tickets import Ticket


@value
class AskedBefore:
    """What a person was asked about a call before a restart; nothing, where it was allowed without."""

    decision: Decision | None = None
    confirmation: Confirmation | None = None


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
    batch: Batch
    """The calls that it was asked for with."""
    speaker: Speaker
    """The model that made it, or made the call that made it."""
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
    hooked: Hooked | None = None
    """What the hooks said before it, about which arguments."""
    waits_for_previous: bool = False
    """The model asked that all earlier calls of the batch end first."""
    follow_ups: int = 0
    """How many calls before it handed on to the next, in one chain."""
    asked_before: AskedBefore | None = None
    """Set until a call that was taken up after a restart has been looked at again."""
    looks: int = 0
    """How often its facts had changed when its turn came."""
    verdict: Verdict | None = None
    """What the last decision rests on."""
    delivery: asyncio.Future[ToolResult] | None = None
    """For a client-side call: where its result will come."""
    output: list[str] = field(default_factory=list)
    """The last pieces of live output, for the result of a cancelled call."""
    noted: int = 0
    """Characters in `output`."""

    def note_output(self, text: str) -> None:
        self.output.append(text)
        self.noted += len(text)
        if self.noted > 2 * _KEPT_CHARACTERS:
            self.output = [self.partial_output]
            self.noted = len(self.output[0])

    @property
    def partial_output(self) -> str:
        text = "".join(self.output)
        return text[tail_start(text, len(text) - _KEPT_CHARACTERS) :]

    @property
    def at_rest(self) -> bool:
        """It is settled, or waits for somebody outside the runtime, itself or behind one that does."""
        return self.settled.done() or self.ticket.resting

    async def rest(self) -> None:
        """Waits until the call is at rest. Cancelling the wait does nothing to the call."""
        while not self.at_rest:
            rested = self.ticket.rested = self.ticket.rested or asyncio.Event()
            await rested.wait()


_KEPT_CHARACTERS = 4_000
