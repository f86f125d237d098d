"""The launcher without a sandbox: children run as the user does, but none outlives its call.

A child starts in its own session, with no terminal, stdin closed or a pipe, and stdout and stderr in one pipe, or
in two where somebody wants them apart.
When it ends, runs out of time or is cancelled, every process that came from it is ended too (SIGTERM,
a grace, SIGKILL), and the launcher looks until they are gone. If this process itself dies, a watchdog kills them.
"""

from __future__ import annotations

import asyncio
import errno
import os
import time
from typing import Literal, TypeAlias

from handrail.contract.launching import Finished, LaunchSpec, OutputSink
from handrail.errors import LauncherError
from handrail.sandbox.finishing import to_the_end
from handrail.sandbox.kept_output import KeptOutput
from handrail.sandbox.marks import MARKER, Mark
from handrail.sandbox.pipes import STDERR, STDIN, STDOUT, ChildPipes
from handrail.sandbox.processes import Family, Process, bounded, end, ticks
from handrail.sandbox.watchdog import Watchdog

TERM_GRACE = 1.0
"""Seconds between SIGTERM and SIGKILL."""
KILL_PATIENCE = 5.0
"""Seconds to look for killed processes to be gone; then they are reported as left."""
LINGER = 0.25
"""Seconds that the pipe may stay open after the child has ended: last words of a pipeline's other end."""
_LOOK_EVERY = 0.02
Ending: TypeAlias = Literal["exited", "signalled", "timeout", "stopped"]


class PlainLauncher:
    """Implements `contract.launching.Launcher` with no confinement."""

    def __init__(self) -> None:
        self._watchdog = Watchdog()

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished:
        child = _Child(spec, on_output, self._watchdog)
        return await to_the_end(child.live_marked(), on_cancel=child.cancel)


class _Child(asyncio.SubprocessProtocol):
    """One child from start to end. `live_marked` is never cancelled; `end` makes it end early, as does `cancel`."""

    def __init__(self, spec: LaunchSpec, on_output: OutputSink | None, watchdog: Watchdog) -> None:
        self._spec = spec
        self._on_output = on_output
        self._watchdog = watchdog
        self._mark = Mark()
        self._kept = KeptOutput(spec.keep_output)
        self._pipes: ChildPipes | None = None
        self._cancelled = False
        self._news = asyncio.Event()
        self._exited = asyncio.Event()
        self._silent = asyncio.Event()
        self._closed = asyncio.Event()
        self._speaking = {STDOUT} if spec.on_error is None else {STDOUT, STDERR}
        """The pipes that are open for its output."""

    def cancel(self) -> None:
        self._cancelled = True
        self._news.set()

    def end(self) -> None:
        self._news.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The first to hear of the child: marked late, it could have let something go unmarked."""
        if isinstance(transport, asyncio.SubprocessTransport):
            self._mark.put_on(transport.get_pid())
            self._watchdog.watch(transport.get_pid(), self._mark)
            self._pipes = ChildPipes(transport, self.end)
            if self._spec.on_start is not None:
                self._spec.on_start(self._pipes)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == STDERR and self._spec.on_error is not None:
            self._spec.on_error(data)
            return
        self._kept.add(data)
        if self._on_output is not None:
            self._on_output(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._speaking.discard(fd)
        if not self._speaking:
            self._silent.set()
        if fd == STDIN:
            self.resume_writing()

    def pause_writing(self) -> None:
        """Its stdin has much to take yet; the only pipe that is written to."""
        if self._pipes is not None:
            self._pipes.writable.clear()

    def resume_writing(self) -> None:
        if self._pipes is not None:
            self._pipes.writable.set()

    def process_exited(self) -> None:
        self._exited.set()
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed.set()

    async def live_marked(self) -> Finished:
        with self._mark:
            return await self._live()

    async def _live(self) -> Finished:
        began = time.monotonic()
        before = ticks()
        transport = await self._start()
        family = Family(transport.get_pid(), self._mark, before)
        orderly = False
        try:
            in_time = await _within(self._news, self._spec.timeout)
            seconds = time.monotonic() - began
            by_itself = self._exited.is_set()
            if by_itself:
                await self._last_words()
            stopped, left = await _end_family(family)
            await _within(self._exited, KILL_PATIENCE)
            await self._last_words()
            orderly = True
        finally:
            if not orderly:
                end(family.living(), force=True)
            self._watchdog.forget(family.root)
            transport.close()
            await _within(self._closed, KILL_PATIENCE)
            self.resume_writing()
            self._pipes = None  # they know this object: a cycle would keep the watchdog
        if self._cancelled:
            raise asyncio.CancelledError
        code = transport.get_returncode() if by_itself else None
        ending = _ending(code) if by_itself else "stopped" if in_time else "timeout"
        return self._finished(ending, code, seconds, family.root, stopped, left)

    async def _last_words(self) -> None:
        """Waits until the pipe is closed, a while at most; while the output is held, it can't be."""
        if self._pipes is not None:
            await self._pipes.taken.wait()
        await _within(self._silent, LINGER)

    async def _start(self) -> asyncio.SubprocessTransport:
        spec = self._spec
        try:
            transport, _ = await asyncio.get_running_loop().subprocess_exec(
                lambda: self,
                *bounded(spec.argv, spec.cwd, spec.env.get("PATH"), spec.most_memory),
                stdin=asyncio.subprocess.PIPE if spec.stdin == "open" else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.STDOUT if spec.on_error is None else asyncio.subprocess.PIPE,
                cwd=spec.cwd,
                env={**spec.env, MARKER: self._mark.value},
                start_new_session=True,
                pass_fds=(*self._mark.handles, *spec.handles),
            )
        except (OSError, ValueError) as error:
            raise _not_started(spec, error) from error
        return transport

    def _finished(
        self, ending: Ending, code: int | None, seconds: float, pid: int, stopped: int, left: int
    ) -> Finished:
        return Finished(
            ending,
            exit_code=code if ending == "exited" else None,
            signal=-code if ending == "signalled" and code is not None else None,
            head=self._kept.head,
            tail=self._kept.tail,
            dropped=self._kept.dropped,
            seconds=seconds,
            pid=pid,
            stopped=stopped,
            left=left,
        )


def _ending(code: int | None) -> Ending:
    return "signalled" if code is not None and code < 0 else "exited"


async def _within(event: asyncio.Event, seconds: float | None) -> bool:
    """Waits for the event, at most so long; True when it came."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def _end_family(family: Family) -> tuple[int, int]:
    """Ends all that is alive. Returns how many were, beside the child itself, and how many still are."""
    living = await asyncio.to_thread(family.living)
    others = {process.pid for process in living} - {family.root}
    if living:
        living = await _ended(family, living, force=False, patience=TERM_GRACE)
    if living:
        living = await _ended(family, living, force=True, patience=KILL_PATIENCE)
    return len(others), len(living)


async def _ended(family: Family, living: list[Process], *, force: bool, patience: float) -> list[Process]:
    """Signals and looks until nothing is alive or patience is over; a kill is repeated, for what forks meanwhile."""
    deadline = time.monotonic() + patience
    end(living, force=force)
    while living and time.monotonic() < deadline:
        await asyncio.sleep(_LOOK_EVERY)
        living = await asyncio.to_thread(family.living)
        if force:
            end(living, force=True)
    return living


def _not_started(spec: LaunchSpec, error: OSError | ValueError) -> LauncherError:
    program = spec.argv[0]
    if isinstance(error, ValueError):
        return LauncherError(f"{program} was not started: an argument or variable can't be passed to it ({error}).")
    if not os.path.isdir(spec.cwd):
        return LauncherError(f"{program} was not started: the folder {spec.cwd} is not there.")
    if isinstance(error, FileNotFoundError):
        return LauncherError(f"{program} was not started: no such program on PATH.")
    if error.errno == errno.E2BIG:
        return LauncherError(f"{program} was not started: its arguments are too long. Put them in a file.")
    return LauncherError(f"{program} was not started: {error.strerror}.")
