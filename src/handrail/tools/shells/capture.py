"""Takes what a command prints: its ends for the result, the whole for a file, a part for whoever watches.

Nothing of it blocks the loop, and nothing grows with the output: while the file lags behind, the command waits.
"""

from __future__ import annotations

import asyncio

from handrail.contract.context import Output
from handrail.contract.launching import Child
from handrail.contract.spill import Kept, Spill
from handrail.sandbox.kept_output import KeptOutput
from handrail.tools.shells.live import Live

KEPT_OUTPUT = 1_000_000
"""Bytes of output held in memory, from its start and its end, before what only a terminal needs is taken out."""
MOST_WAITING = 2_000_000
"""Bytes that wait for the file; then the command waits too."""


class Capture:
    """Feed it on the loop; `close` when the command has ended."""

    def __init__(self, output: Output, spill: Spill, unfiled: int) -> None:
        """No file is made of output of up to `unfiled` bytes: the result holds it all."""
        self.ends = KeptOutput(KEPT_OUTPUT)
        self._live = Live(output)
        self._spill = spill
        self._unfiled = unfiled
        self._child: Child | None = None
        self._waiting: list[bytes] = []
        self._size = 0
        """Bytes in `_waiting`."""
        self._writing: asyncio.Task[None] | None = None
        self._full = False

    @property
    def kept(self) -> Kept:
        return self._spill.kept

    def started(self, child: Child) -> None:
        self._child = child

    def feed(self, piece: bytes) -> None:
        self.ends.add(piece)
        self._live.feed(piece)
        if self._full:
            return
        self._waiting.append(piece)
        self._size += len(piece)
        if self._size > self._unfiled and self._writing is None:
            self._write()
        if self._size > MOST_WAITING and self._child is not None:
            self._child.hold_output()

    def file_all(self) -> None:
        """From here on all output goes to the file as it comes: nobody waits for a result."""
        self._unfiled = 0
        self._live.close()
        if self._waiting and self._writing is None:
            self._write()

    async def close(self) -> None:
        """Waits until the file has what there is for it."""
        self._live.close()
        if self._writing is not None:
            await self._writing

    def _write(self) -> None:
        self._unfiled = 0
        self._writing = asyncio.get_running_loop().create_task(self._write_all())

    async def _write_all(self) -> None:
        while self._waiting:
            data = b"".join(self._waiting)
            self._waiting, self._size = [], 0
            await self._spill.add(data)
            kept = self._spill.kept
            if kept.path is None or not kept.whole:
                self._full, self._waiting = True, []
            if self._child is not None:
                self._child.take_output()
        self._writing = None
