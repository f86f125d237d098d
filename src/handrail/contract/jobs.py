"""Background jobs: work that goes on when its call has its result, and the console that some of it has."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Protocol

from handrail.contract.basics import CallId, JobId
from handrail.contract.spill import Kept
from handrail.contract.values import value


@value
class Job:
    """Work that goes on in the background, though the call that started it has its result."""

    id: JobId
    name: str
    """What it is, for people and the model: the command, say."""
    call: CallId


@value
class Fresh:
    """What a job printed since somebody last looked. Too much of it is not held: its middle is left out."""

    head: bytes
    tail: bytes
    dropped: int
    """Bytes between the two."""


class Console(Protocol):
    """What a job prints, and takes."""

    @property
    def status(self) -> str:
        """What it does, or how it ended, in a few words: `running for 3 s, process 4711`."""
        ...

    @property
    def kept(self) -> Kept:
        """The file that has its whole output, as far as that is kept."""
        ...

    def take(self) -> Fresh:
        """What is new; it is so only once."""
        ...

    async def line(self, wanted: Callable[[str], bool]) -> str | None:
        """The first new line that is wanted, or a last one without its end; None when the job ends without it.

        Waits for as long as the job runs. What it passes over stays new.
        """
        ...

    def send(self, data: bytes) -> bool:
        """Puts data in line for its stdin. False when that is closed, or it has too much yet to read."""
        ...

    def end_input(self) -> None:
        """Closes its stdin behind what stands in line."""
        ...


@value
class KnownJob:
    """A job that runs, or that ended a while ago."""

    job: Job
    running: bool
    console: Console | None
    """None where the job has none."""


class Jobs(Protocol):
    """Background jobs of the session. They outlive their call, and end with the session at the latest.

    While a job runs, calls that write what its call said it would write wait for it; calls that read
    that run, and their results say that the job may be writing there.
    """

    def start(self, name: str, work: Coroutine[Any, Any, object], console: Console | None = None) -> JobId:
        """Hands work over. It is cancelled when the job is stopped, and ends in its own time after that."""
        ...

    def running(self) -> Sequence[Job]: ...

    def known(self) -> Sequence[KnownJob]:
        """Those that run, and the last ones that ended; in the order in which they started."""
        ...

    async def stop(self, job: JobId) -> bool:
        """Cancels the job's work, and waits until it has ended. False when there is no such job, or no more."""
        ...
