"""One command that was started: it can be waited for, carried on elsewhere, and stopped."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from handrail.contract.launching import Child, Finished, Launcher, LaunchSpec, OutputSink
from handrail.sandbox.finishing import to_the_end
from handrail.tools.shells.capture import Capture


class Command:
    """Whoever made it calls `ended`, `stop` or `cancel` until one of them gives its end: it has a task of its own."""

    def __init__(self, launcher: Launcher, spec: LaunchSpec, capture: Capture, feed: OutputSink) -> None:
        """`feed` gets what it prints, and hands it to the capture. `spec.on_start` is called too."""
        self.child: Child | None = None
        self._capture = capture
        self._told = spec.on_start
        spec = replace(spec, keep_output=0, on_start=self._started)
        self._task = asyncio.get_running_loop().create_task(launcher.run(spec, feed))

    async def ended(self, seconds: float | None) -> Finished | None:
        """How it ended, within so many seconds; None when it still runs. Cancelling the wait does nothing to it.

        Raises LauncherError where it was not started.
        """
        await asyncio.wait((self._task,), timeout=seconds)
        return await self._finished() if self._task.done() else None

    async def stop(self) -> Finished:
        """Ends it with all that came from it, and waits until they are gone."""
        if self.child is not None:
            self.child.stop()
        return await to_the_end(self._stopped())

    async def cancel(self) -> None:
        """The same for whoever is cancelled: how it ended is of no interest, nor that it was not started."""
        self._task.cancel()
        await to_the_end(self._gone())

    def _started(self, child: Child) -> None:
        self.child = child
        self._capture.started(child)
        if self._told is not None:
            self._told(child)

    async def _stopped(self) -> Finished:
        await asyncio.wait((self._task,))
        return await self._finished()

    async def _finished(self) -> Finished:
        finished = self._task.result()
        await self._capture.close()
        return finished

    async def _gone(self) -> None:
        await asyncio.wait((self._task,))
        if not self._task.cancelled():
            self._task.exception()  # read, so that nobody reports it as lost
        await self._capture.close()
