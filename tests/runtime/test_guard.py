from __future__ import annotations

import asyncio

import pytest

from handrail.errors import ToolFailed
from handrail.runtime.guard import Raised, Returned, TimedOut, guarded, guarded_call


async def returns() -> int:
    return 7


async def raises() -> int:
    raise ZeroDivisionError("division\nby zero")


async def fails() -> int:
    raise ToolFailed("No such file.\nThe nearest is a.txt.")


async def waits() -> int:
    await asyncio.Event().wait()
    return 7


async def cancels_itself() -> int:
    raise asyncio.CancelledError


async def raises_a_timeout() -> int:
    raise TimeoutError("of its own")


@pytest.mark.parametrize(
    ("work", "seconds", "ending"),
    [
        (returns, None, Returned(7)),
        (returns, 5.0, Returned(7)),
        (raises, None, Raised("ZeroDivisionError: division by zero", expected=False)),
        (fails, None, Raised("No such file.\nThe nearest is a.txt.", expected=True)),
        (waits, 0.01, TimedOut(0.01)),
        (cancels_itself, None, Raised("it was cancelled from within", expected=False)),
        (raises_a_timeout, 5.0, Raised("TimeoutError: of its own", expected=False)),
    ],
)
async def test_the_guard_gives_every_ending_as_a_value(work, seconds: float | None, ending: object) -> None:
    assert await guarded(work(), seconds) == ending


async def test_a_cancellation_of_the_running_task_goes_through_the_guard() -> None:
    task = asyncio.create_task(guarded(waits()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_the_guard_holds_for_code_that_does_not_wait_too() -> None:
    assert guarded_call(lambda: 7) == Returned(7)
    assert guarded_call(lambda: {}["x"]) == Raised("KeyError: 'x'", expected=False)
