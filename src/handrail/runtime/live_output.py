"""Live output of one call: told at once when it was quiet, else gathered and told a few times a second."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from handrail.contract.basics import CallId
from handrail.contract.events import NoticeGiven, OutputArrived, ProgressMade, TopicSet, fraction_within
from handrail.runtime.bus import Bus
from handrail.runtime.live import LiveCall

INTERVAL = 0.1
"""Seconds between two events of one call's output; what a person can follow."""
MOST_GATHERED = 64_000
"""Characters that are gathered at most; a flood is told at once, to keep memory bounded."""


class LiveOutput:
    """`contract.context.Output` for one running call. `close` tells the last state, before the call's outcome."""

    _told: float | None = None
    """When something was told last."""
    _text = ""
    """What was printed since."""
    _progress: ProgressMade | None = None
    _timer: asyncio.TimerHandle | None = None
    _closed = False

    def __init__(self, live: LiveCall, bus: Bus, clock: Callable[[], float]) -> None:
        """`clock` gives seconds; only differences matter, and one that goes back delays nothing."""
        self._live = live
        self._bus = bus
        self._clock = clock

    def text(self, text: str) -> None:
        self._live.note_output(text)
        if text and self._is_told:
            self._text += text
            self._tell_in_time()

    def progress(self, fraction: float | None, message: str = "") -> None:
        if self._is_told:
            self._progress = ProgressMade(self._call, fraction_within(fraction), message)
            self._tell_in_time()

    def notice(self, message: str) -> None:
        self.flush()  # so that it stands where it was given
        self._bus.tell(NoticeGiven(self._call, message))

    def topic(self, title: str, intent: str, summary: str) -> None:
        self.flush()
        self._bus.tell(TopicSet(self._call, title, intent, summary))

    def close(self) -> None:
        """Nothing is told after this: the call has its outcome, whatever its tool left behind."""
        self.flush()
        self._closed = True

    def flush(self) -> None:
        """Tells what was gathered."""
        if not self._text and self._progress is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        text, progress = self._text, self._progress
        self._text, self._progress, self._timer, self._told = "", None, None, self._clock()
        if text:
            self._bus.tell(OutputArrived(self._call, text))
        if progress is not None:
            self._bus.tell(progress)

    @property
    def _is_told(self) -> bool:
        return self._bus.is_heard and not self._closed

    @property
    def _call(self) -> CallId:
        return self._live.state.request.id

    def _tell_in_time(self) -> None:
        now = self._clock()
        quiet = self._told is None or not 0 <= now - self._told < INTERVAL
        if quiet or len(self._text) > MOST_GATHERED:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(INTERVAL, self.flush)
