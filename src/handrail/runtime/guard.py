"""Runs code that is not ours and gives back its outcome as a value. One of two places that catch everything.

Tools, tools' own opinions, listeners and surfaces go through here; nothing they raise goes further, but for a
KeyboardInterrupt on the main thread: it is a person's, who wants all of it to end. On other threads no such signal
arrives, so there it is a fault like any other; let go, it would end the loop that all others wait for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from threading import Thread, current_thread, main_thread
from typing import Generic, TypeAlias, TypeVar

from handrail.contract.values import value
from handrail.errors import CallError, HandrailError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@value
class Returned(Generic[T_co]):
    value: T_co


@value
class Raised:
    """It raised. `message` is for the model and people: one line, no traceback."""

    message: str
    expected: bool
    """The code raised one of Handrail's own errors on purpose; else it is a fault in that code."""


@value
class TimedOut:
    seconds: float

    @property
    def message(self) -> str:
        return f"it took longer than {self.seconds:g} seconds"


Ending: TypeAlias = Returned[T] | Raised | TimedOut


async def guarded(work: Awaitable[T], seconds: float | None = None) -> Ending[T]:
    """Awaits foreign code, at most `seconds`. Raises nothing but the cancellation of the running task.

    A CancelledError that nobody asked for is the foreign code's own fault, and so is an exit. A KeyboardInterrupt on
    the main thread goes on.
    """
    task = asyncio.current_task()
    asked_before = task.cancelling() if task else 0
    try:
        if seconds is None:
            return Returned(await work)
        return await _in_time(work, seconds)
    except asyncio.CancelledError:
        if task is None or task.cancelling() > asked_before:
            raise
        return Raised("it was cancelled from within", expected=False)
    except (Exception, SystemExit) as error:
        return _raised(error)
    except KeyboardInterrupt as error:
        if current_thread() is main_thread():
            raise
        return _raised(error)


def guarded_call(work: Callable[[], T]) -> Returned[T] | Raised:
    """The same for code that doesn't wait."""
    try:
        return Returned(work())
    except (Exception, SystemExit) as error:
        return _raised(error)
    except KeyboardInterrupt as error:
        if current_thread() is main_thread():
            raise
        return _raised(error)


async def guarded_in_thread(work: Callable[[], T], seconds: float) -> Ending[T]:
    """The same in a thread of its own, for at most `seconds`, after which it is left alone: no thread can be stopped.

    It keeps neither the loop's other threads from working nor the program from ending.
    """
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[Ending[T]] = loop.create_future()

    def run() -> None:
        try:
            outcome: Ending[T] = guarded_call(work)
        except BaseException as error:
            outcome = Raised(f"{type(error).__name__}: {error}", expected=False)
        with suppress(RuntimeError):  # the loop is closed, and nobody waits
            loop.call_soon_threadsafe(_settle, ended, outcome)

    Thread(target=run, name="handrail-guarded", daemon=True).start()
    done, _ = await asyncio.wait((ended,), timeout=seconds)
    return ended.result() if done else TimedOut(seconds)


def _settle(ended: asyncio.Future[Ending[T]], outcome: Ending[T]) -> None:
    if not ended.done():
        ended.set_result(outcome)


async def _in_time(work: Awaitable[T], seconds: float) -> Ending[T]:
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return Returned(await work)
    except TimeoutError as error:
        return TimedOut(seconds) if limit.expired() else _raised(error)


def _raised(error: Exception | SystemExit | KeyboardInterrupt) -> Raised:
    text = " ".join(str(error).split("\n")) if not isinstance(error, CallError) else str(error)
    if isinstance(error, HandrailError):
        return Raised(text, expected=True)
    return Raised(f"{type(error).__name__}: {text}" if text else type(error).__name__, expected=False)
