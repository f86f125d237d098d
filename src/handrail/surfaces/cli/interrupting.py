"""Ctrl-C, SIGTERM and a terminal that goes away: what runs is stopped in order, and every call has its result."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from handrail.contract.calls import Canceller
from handrail.session import Session

INTERRUPTS = [signal.Signals[name] for name in ("SIGINT", "SIGTERM", "SIGHUP") if name in signal.Signals.__members__]


@asynccontextmanager
async def interruptible(stop: Callable[[str], Awaitable[None]]) -> AsyncIterator[asyncio.Event]:
    """Within it an interrupt sets the event, and calls `stop` with its name; leaving waits until that has ended."""
    loop = asyncio.get_running_loop()
    interrupted = asyncio.Event()
    stopping: list[asyncio.Future[None]] = []

    def interrupt(name: str) -> None:
        interrupted.set()
        stopping.append(asyncio.ensure_future(stop(name)))

    with suppress(NotImplementedError):  # Windows, untested here: Ctrl-C ends the program at once
        for number in INTERRUPTS:
            loop.add_signal_handler(number, interrupt, number.name)
    try:
        yield interrupted
    finally:
        with suppress(NotImplementedError):
            for number in INTERRUPTS:
                loop.remove_signal_handler(number)
        await asyncio.gather(*stopping)


def ends(session: Session) -> Callable[[str], Awaitable[None]]:
    """Cancels every open call, and each later one before it starts."""
    return lambda name: session.end(Canceller("the person", f"interrupted with {name}", is_person=True))
