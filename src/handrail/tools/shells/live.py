"""Passes a command's output on to whoever watches, as text, and no more of it than anybody could read."""

from __future__ import annotations

import asyncio
import codecs

from handrail.contract.context import Output
from handrail.tools.text.counting import counted

INTERVAL = 0.1
"""Seconds over which `MOST` is counted."""
MOST = 64_000
"""Bytes that are passed on in one interval; of more, the last ones."""
_LAST = 4_000


class Live:
    """A character cut between two pieces waits for its other half. `close` passes on the last that was held back."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._passed = 0
        self._held = b""
        self._skipped = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closed = False

    def feed(self, piece: bytes) -> None:
        if self._closed:
            return
        now = self._loop.time()
        if now - self._since >= INTERVAL:
            self._flush()
            self._since, self._passed = now, 0
        if self._held or self._passed + len(piece) > MOST:
            self._hold(piece)
        else:
            self._passed += len(piece)
            self._pass(piece)

    def close(self) -> None:
        self._flush()
        self._closed = True

    def _hold(self, piece: bytes) -> None:
        """Keeps the end of what is held back."""
        held = self._held + piece if len(piece) < _LAST else piece
        self._skipped += len(self._held) + len(piece) - len(held[-_LAST:])
        self._held = held[-_LAST:]
        if self._timer is None:
            self._timer = self._loop.call_later(INTERVAL, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        held, skipped = self._held, self._skipped
        self._held, self._skipped = b"", 0
        if skipped:
            self._decoder.reset()
            self._output.text(f"\n[… {counted(skipped, 'byte')} not shown …]\n")
        if held:
            self._pass(held)

    def _pass(self, piece: bytes) -> None:
        if text := self._decoder.decode(piece):
            self._output.text(text)
