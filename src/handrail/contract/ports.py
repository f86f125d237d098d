"""What the core needs from outside, as narrow protocols. `session.py` hands the implementations in."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from handrail.contract.calls import Approved, AwaitingApproval, CallState
from handrail.contract.confirmation import Answer


class Checkpoints(Protocol):
    """Keeps what a call will overwrite, so that it can be taken back."""

    async def keep(self, call: Approved) -> None:
        """Called when the call has its turn, before it starts. Raises HandrailError to stop it from starting."""
        ...


class Journal(Protocol):
    """The append-only record of every transition of one session.

    `append` never blocks: it puts the state in line and gives back its sequence number. `durable`
    waits until everything up to that number is safe; it raises JournalError when it can't be made so.
    `room` is awaited before a call goes on its way: it waits while too much stands in line, and never raises.
    """

    def append(self, state: CallState) -> int: ...

    async def durable(self, sequence: int) -> None: ...

    async def room(self) -> None: ...

    async def close(self) -> None: ...


class Unanswered(Enum):
    """Why a question got no answer."""

    NOBODY = "nobody"
    """Nobody can be asked here: the call is denied."""
    LATER = "later"
    """The question stays open at the desk: the call waits."""


class Asker(Protocol):
    """A surface that can put a question to a person.

    `answer` may take as long as people do; it is cancelled when the question was answered elsewhere.
    """

    surface: str
    """Names the surface in decisions: `person:terminal`."""

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered: ...
