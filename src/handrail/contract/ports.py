"""What the core needs from outside, as narrow protocols. `session.py` hands the implementations in."""

from __future__ import annotations

from typing import Protocol

from handrail.contract.calls import AwaitingApproval, CallState, Executing
from handrail.contract.confirmation import Answer


class Checkpoints(Protocol):
    """Keeps what a call will overwrite, so that it can be taken back."""

    async def keep(self, call: Executing) -> None: ...


class Journal(Protocol):
    """The append-only record of every transition of one session.

    `append` never blocks: it puts the state in line and gives back its sequence number. `durable`
    waits until everything up to that number is safe; it raises JournalError when it can't be made so.
    """

    def append(self, state: CallState) -> int: ...

    async def durable(self, sequence: int) -> None: ...

    async def close(self) -> None: ...


class Asker(Protocol):
    """A surface that can put a question to a person. Returns None when nobody can be asked here."""

    async def ask(self, call: AwaitingApproval) -> Answer | None: ...
