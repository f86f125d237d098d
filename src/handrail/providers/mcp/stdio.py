"""A server that is a program: started through the launcher, spoken to over its standard input and output."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

from handrail.contract.launching import Child, Finished, Launcher, LaunchSpec
from handrail.errors import LauncherError
from handrail.providers.mcp.channel import Channel
from handrail.providers.mcp.lines import MOST_LINE, LineTooLong
from handrail.providers.mcp.streams import FromServer, ToServer
from handrail.sandbox.finishing import to_the_end

CLOSING_GRACE = 0.5
"""Seconds that a server has to end once its input is closed; then it is ended as any child is. One that has not said
hello has nothing to lose, and is ended at once."""


@asynccontextmanager
async def stdio_channel(
    launcher: Launcher, spec: LaunchSpec, on_noise: Callable[[bytes], None]
) -> AsyncIterator[Channel]:
    """Runs the program of `spec` until the block ends; then it is gone, with all that came from it.

    A program that can't be started is one that ended at once: the channel says why. What it says on stderr goes to
    `spec.on_error`; `on_noise` gets each line of its output that is no message.
    """
    program = _Program(on_noise)
    running = asyncio.create_task(program.run(launcher, spec))

    def hurry() -> None:
        running.cancel()

    try:
        yield Channel(program.output, program.input, lambda: program.ending)
    finally:
        await to_the_end(_ended(program, running), on_cancel=hurry)


async def _ended(program: _Program, running: asyncio.Task[None]) -> None:
    program.close()
    if program.output.heard:
        await asyncio.wait((running,), timeout=CLOSING_GRACE)
    running.cancel()
    await asyncio.wait((running,))


class _Program:
    """One run of a program, and the streams over its pipes."""

    def __init__(self, on_noise: Callable[[bytes], None]) -> None:
        self.output = FromServer(on_noise)
        self.input = ToServer()
        self.ending = ""
        self._child: Child | None = None
        self._writing: asyncio.Task[None] | None = None

    async def run(self, launcher: Launcher, spec: LaunchSpec) -> None:
        spec = replace(spec, stdin="open", keep_output=0, on_start=self._started)
        try:
            finished = await launcher.run(spec, self._printed)
            self.ending = self.ending or _how(finished)
        except LauncherError as error:
            self.ending = f"the program {str(error).removesuffix('.')}"
        finally:
            self.output.end()
            self.input.end()
            if self._writing is not None:
                await self._writing

    def close(self) -> None:
        """No more is to be said to it."""
        self.input.end()
        if self._child is not None:
            self._child.end_input()

    def _started(self, child: Child) -> None:
        self._child = child
        self.output.started(child)
        self._writing = asyncio.get_running_loop().create_task(self.input.write_to(child))

    def _printed(self, piece: bytes) -> None:
        try:
            self.output.add(piece)
        except LineTooLong:
            self.ending = f"it sent a message of more than {MOST_LINE >> 20} MiB, and was ended"
            self.output.end()
            self.input.end()
            if self._child is not None:
                self._child.stop()


def _how(finished: Finished) -> str:
    if finished.signal is not None:
        return f"it was ended by signal {finished.signal}"
    return f"it ended with exit code {finished.exit_code}"
