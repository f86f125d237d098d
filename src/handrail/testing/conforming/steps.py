"""Counts the steps that a call takes on the event loop, and stops it at one of them.

A step is one resumption of one of the call's tasks, its child tasks included; between two steps lie turns
of the loop, in which threads and child processes work. A moment is a step and a number of turns after it,
so the same moments can be tried again on any machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
from collections.abc import Callable, Coroutine, Generator, Iterator
from dataclasses import dataclass
from typing import Any

from handrail.testing.conforming.watching import Watch, watched


@dataclass(frozen=True, slots=True)
class Moment:
    step: int
    """From 1: the moment is after it."""
    turns: int = 0
    """Turns of the loop after that step."""

    def __str__(self) -> str:
        turns = f" and {self.turns} turns of the loop" if self.turns else ""
        return f"after step {self.step}{turns}"


class Steps:
    """Of the tasks that `watch` hears."""

    def __init__(self, watch: Watch) -> None:
        self.turns: list[int] = []
        """For each step, the turns of the loop until the next one, where they are counted."""
        self.tasks: list[asyncio.Task[Any]] = []
        self._watch = watch
        self._loop = asyncio.get_running_loop()
        self._outside = contextvars.copy_context()
        self._moment: Moment | None = None
        self._reached: Callable[[], object] = lambda: None
        self._ticking = False

    def at(self, moment: Moment, reached: Callable[[], object]) -> None:
        """Calls `reached` once, at that moment, in the context of whoever made this object."""
        self._moment, self._reached = moment, reached

    @contextlib.contextmanager
    def counted(self, *, turns: bool) -> Iterator[None]:
        """Counts what is started in this block. Counting turns keeps the processor busy."""
        before = self._loop.get_task_factory()

        def task(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> Any:
            if watched(options.get("context")) is not self._watch:
                return _made(before, loop, coroutine, options)
            made = _made(before, loop, _Counted(coroutine, self._step), options)
            self.tasks.append(made)
            return made

        self._loop.set_task_factory(task)
        self._ticking = turns
        if turns:
            self._tick()
        try:
            yield
        finally:
            self._ticking = False
            self._loop.set_task_factory(before)

    def _step(self) -> None:
        self.turns.append(0)
        if self._moment is not None and len(self.turns) == self._moment.step:
            self._loop.call_soon(self._wait, self._moment.turns, context=self._outside)

    def _wait(self, turns: int) -> None:
        if turns:
            self._loop.call_soon(self._wait, turns - 1, context=self._outside)
        else:
            self._reached()

    def _tick(self) -> None:
        if self.turns:
            self.turns[-1] += 1
        if self._ticking:
            self._loop.call_soon(self._tick, context=self._outside)


class _Counted(Coroutine[Any, Any, Any]):
    """A coroutine that tells of each step; in all else, the one inside."""

    def __init__(self, inside: Coroutine[Any, Any, Any], step: Callable[[], None]) -> None:
        self._inside = inside
        self._step = step

    def send(self, value: Any) -> Any:
        self._step()
        return self._inside.send(value)

    def throw(self, *error: Any) -> Any:
        self._step()
        return self._inside.throw(*error)

    def close(self) -> None:
        self._inside.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._inside.__await__()

    def __getattr__(self, name: str) -> Any:
        """`cr_frame` and its like, by which libraries see how far a coroutine is."""
        return getattr(self._inside, name)


def _made(factory: Any, loop: asyncio.AbstractEventLoop, coroutine: Any, options: dict[str, Any]) -> Any:
    return asyncio.Task(coroutine, loop=loop, **options) if factory is None else factory(loop, coroutine, **options)
