"""A journal in memory: nothing is ever lost or late, unless a test asks for it."""

from __future__ import annotations

from handrail.contract.calls import CallState
from handrail.errors import JournalError


class MemoryJournal:
    """`contract.ports.Journal` that keeps the states, in order, with their numbers.

    From the state numbered `fails_at` on, nothing is ever durable: what a full disk looks like.
    """

    def __init__(self, *, fails_at: int | None = None) -> None:
        self._states: list[CallState] = []
        self.closed = False
        self._fails_at = fails_at

    @property
    def states(self) -> list[tuple[int, CallState]]:
        return list(enumerate(self._states, start=1))

    def append(self, state: CallState) -> int:
        self._states.append(state)
        return len(self._states)

    async def durable(self, sequence: int) -> None:
        if self._fails_at is not None and sequence >= self._fails_at:
            raise JournalError(f"event {sequence} can't be written: this journal fails from event {self._fails_at} on")

    async def room(self) -> None:
        return None

    async def close(self) -> None:
        self.closed = True
