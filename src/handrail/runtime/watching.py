"""Events as an async iterator, for whoever would rather loop than give a function."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from handrail.contract.events import Event
from handrail.runtime.bus import Bus


def watch(bus: Bus, closed: asyncio.Event) -> AsyncIterator[Event]:
    """Every event from now on, until `closed` is set and all before that were taken."""
    queue: asyncio.Queue[Event] = asyncio.Queue()
    unsubscribe = bus.subscribe(queue.put_nowait)

    async def events() -> AsyncIterator[Event]:
        ending = asyncio.ensure_future(closed.wait())
        try:
            while not (closed.is_set() and queue.empty()):
                coming = asyncio.ensure_future(queue.get())
                await asyncio.wait((coming, ending), return_when=asyncio.FIRST_COMPLETED)
                if coming.done():
                    yield coming.result()
                else:
                    coming.cancel()
        finally:
            unsubscribe()
            ending.cancel()

    return events()
