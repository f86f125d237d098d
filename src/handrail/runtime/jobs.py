"""Background jobs: work that a call has handed over, and that goes on when the call has its result."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any

from handrail.contract.basics import CallId, JobId
from handrail.contract.events import NoticeGiven
from handrail.contract.jobs import Console, Job, KnownJob
from handrail.contract.values import value
from handrail.runtime.bus import Bus
from handrail.runtime.guard import Returned, guarded
from handrail.runtime.held import Held
from handrail.runtime.order import Order
from handrail.runtime.tickets import Ticket

STOP_GRACE = 5.0
"""Seconds a cancelled job gets to end, before it is given up."""

MOST_ENDED = 20
"""Jobs that are still known when they have ended."""


@dataclass(frozen=True, slots=True, eq=False)
class _Running:
    job: Job
    console: Console | None
    held: Held
    task: asyncio.Task[None]


class SessionJobs:
    """All background jobs of one session. Cancelling calls leaves them alone; closing the session ends them."""

    def __init__(self, order: Order, bus: Bus) -> None:
        self._order = order
        self._bus = bus
        self._running: dict[JobId, _Running] = {}
        self._ended_ones: deque[tuple[Job, Console | None]] = deque(maxlen=MOST_ENDED)
        self._started = 0

    def start(
        self,
        call: CallId,
        ticket: Ticket,
        name: str,
        work: Coroutine[Any, Any, object],
        console: Console | None = None,
    ) -> JobId:
        self._started += 1
        job = Job(JobId(f"job-{self._started}"), name, call)
        held = self._order.hold(ticket, name)
        task = asyncio.get_running_loop().create_task(self._carry_out(job, held, work))
        self._running[job.id] = _Running(job, console, held, task)
        # A job that is cancelled before its first step never gets to tidy up after itself.
        task.add_done_callback(lambda _: self._ended(job, held, work))
        return job.id

    def running(self) -> tuple[Job, ...]:
        return tuple(running.job for running in self._running.values())

    def known(self) -> tuple[KnownJob, ...]:
        return (
            *(KnownJob(job, False, console) for job, console in self._ended_ones),
            *(KnownJob(running.job, True, running.console) for running in self._running.values()),
        )

    async def stop(self, id: JobId) -> bool:
        running = self._running.get(id)
        if running is None:
            return False
        await self._stop((running,))
        return True

    async def close(self) -> None:
        """Tells which jobs are still at work, and stops them."""
        survivors = tuple(self._running.values())
        for running in survivors:
            job = running.job
            self._bus.tell(
                NoticeGiven(job.call, f"{job.id} ({job.name}) still ran at the session's end, and is stopped")
            )
        await self._stop(survivors)

    async def _stop(self, jobs: tuple[_Running, ...]) -> None:
        """Cancels, and waits; a job that does not end is given up, and holds nothing from then on."""
        for running in jobs:
            running.task.cancel()
        if jobs:
            await asyncio.wait([running.task for running in jobs], timeout=STOP_GRACE)
        for running in jobs:
            self._release(running.job, running.held)

    async def _carry_out(self, job: Job, held: Held, work: Coroutine[Any, Any, object]) -> None:
        outcome = await guarded(work)
        self._release(job, held)
        how = "ended" if isinstance(outcome, Returned) else f"failed: {outcome.message}"
        self._bus.tell(NoticeGiven(job.call, f"The background job {job.id} ({job.name}) {how}"))

    def _ended(self, job: Job, held: Held, work: Coroutine[Any, Any, object]) -> None:
        work.close()
        self._release(job, held)

    def _release(self, job: Job, held: Held) -> None:
        running = self._running.pop(job.id, None)
        if running is not None:
            self._ended_ones.append((job, running.console))
            self._order.release(held)


@value
class JobsOfCall:
    """`contract.context.Jobs` for one running call: what it starts holds what the call said it would write."""

    session: SessionJobs
    call: CallId
    ticket: Ticket

    def start(self, name: str, work: Coroutine[Any, Any, object], console: Console | None = None) -> JobId:
        return self.session.start(self.call, self.ticket, name, work, console)

    def running(self) -> tuple[Job, ...]:
        return self.session.running()

    def known(self) -> tuple[KnownJob, ...]:
        return self.session.known()

    async def stop(self, job: JobId) -> bool:
        return await self.session.stop(job)
