"""Awaits work that has to come to its own end even when nobody waits for it any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def _let_be() -> None:
    pass


async def to_the_end(work: Coroutine[Any, Any, T], on_cancel: Callable[[], None] = _let_be) -> T:
    """Runs `work` in a task of its own that a cancellation does not reach.

    Cancelled meanwhile, it calls `on_cancel`, which may tell the work to stop in its own way, and waits all
    the same; only then is the caller cancelled. So nothing is left running behind a cancelled call.
    """
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait((task,))
        except asyncio.CancelledError:
            cancelled = True
            on_cancel()
    if not cancelled:
        return task.result()
    if not task.cancelled():
        task.exception()  # read, so that nobody reports it as lost
    raise asyncio.CancelledError
