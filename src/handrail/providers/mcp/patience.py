"""How long a call may take: news of it begins its time anew, though not for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

MOST_TIMES = 10
"""How often in all: no call takes longer than so many times its limit."""


class Patience:
    """`async with` it around the work; raises TimeoutError when the work took too long."""

    def __init__(self, seconds: float | None) -> None:
        """None waits for ever."""
        self._seconds = seconds
        self._limit = asyncio.timeout(seconds)
        self._last = 0.0
        self._running = False
        self._pauses = 0

    def renew(self) -> None:
        """There is news."""
        if self._running and not self._pauses and self._seconds is not None:
            now = asyncio.get_running_loop().time()
            self._limit.reschedule(min(now + self._seconds, self._last))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """A person is waited for meanwhile, who takes as long as they take."""
        if not self._running or self._seconds is None:
            yield
            return
        clock = asyncio.get_running_loop().time
        began = clock()
        self._pauses += 1
        self._limit.reschedule(None)
        try:
            yield
        finally:
            self._pauses -= 1
            self._last += clock() - began
            self.renew()

    async def __aenter__(self) -> Self:
        await self._limit.__aenter__()
        self._last = asyncio.get_running_loop().time() + (self._seconds or 0) * MOST_TIMES
        self._running = True
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running = False
        await self._limit.__aexit__(kind, error, trace)
