"""The pipes of one running child: its output can be held back, and its input fed."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable

STDIN, STDOUT, STDERR = 0, 1, 2

MOST_UNREAD = 1_000_000
"""Bytes that may stand in line for a child's stdin."""

_PIPE_SIZE = 1 << 20
"""Bytes that a pipe of Linux holds for us instead of 64 KiB: a flood takes fewer turns of the loop. It is the most
that pipe(7) lets everybody have."""


class ChildPipes:
    """Implements `contract.launching.Child`."""

    def __init__(self, transport: asyncio.SubprocessTransport, stop: Callable[[], None]) -> None:
        self.pid = transport.get_pid()
        self.stop = stop
        self.taken = asyncio.Event()
        """Set while the output is not held."""
        self.taken.set()
        self.writable = asyncio.Event()
        """Set while little stands in line for stdin."""
        self.writable.set()
        self._output = transport.get_pipe_transport(STDOUT)
        self._input = transport.get_pipe_transport(STDIN)
        _widen(self._output)

    def hold_output(self) -> None:
        if isinstance(self._output, asyncio.ReadTransport) and self.taken.is_set():
            self._output.pause_reading()
            self.taken.clear()

    def take_output(self) -> None:
        if isinstance(self._output, asyncio.ReadTransport) and not self.taken.is_set():
            self._output.resume_reading()
            self.taken.set()

    def send(self, data: bytes) -> bool:
        pipe = self._input
        if not isinstance(pipe, asyncio.WriteTransport) or pipe.is_closing():
            return False
        if pipe.get_write_buffer_size() + len(data) > MOST_UNREAD:
            return False
        pipe.write(data)
        return True

    async def drained(self) -> None:
        await self.writable.wait()

    def end_input(self) -> None:
        if isinstance(self._input, asyncio.WriteTransport) and self._input.can_write_eof():
            self._input.write_eof()


def _widen(pipe: asyncio.BaseTransport | None) -> None:
    if sys.platform == "linux" and pipe is not None:
        import fcntl

        # Users that have many pipes get no larger ones; and one of a child that ended at once may be closed already.
        with contextlib.suppress(OSError, ValueError):
            fcntl.fcntl(pipe.get_extra_info("pipe"), fcntl.F_SETPIPE_SZ, _PIPE_SIZE)
