"""An event loop in a thread of its own, so that code without one, or inside another, can use a session."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import Future, wait
from typing import Any, TypeVar

from handrail.errors import UsageError

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for callers in other threads, who block until they are done."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="handrail", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of `work`. Interrupting the wait (Ctrl-C) cancels the work and waits for its end.

        Raises UsageError once the thread is closed.
        """
        if self._loop.is_closed():
            work.close()
            raise UsageError("this session is closed; open another")
        ended: Future[T] = Future()
        tasks: list[asyncio.Task[T]] = []

        def start() -> None:
            task = self._loop.create_task(work)
            task.add_done_callback(lambda done: _hand_over(done, ended))
            tasks.append(task)

        def stop() -> None:
            """Runs after `start`, if that was ever put in line."""
            if tasks:
                tasks[0].cancel()
            else:
                work.close()
                ended.set_exception(RuntimeError("the work was interrupted before it began"))

        try:
            self._loop.call_soon_threadsafe(start)
            return ended.result()
        except KeyboardInterrupt:
            self._loop.call_soon_threadsafe(stop)
            wait((ended,))
            raise

    def close(self) -> None:
        self.run(self._loop.shutdown_default_executor())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _hand_over(task: asyncio.Task[T], ended: Future[T]) -> None:
    if task.cancelled():
        ended.set_exception(RuntimeError("the work was cancelled: the session is closing"))
    elif (error := task.exception()) is not None:
        ended.set_exception(error)
    else:
        ended.set_result(task.result())
