"""Hears, through Python's audit events, what a tool does while it runs.

An audit hook can't be removed, so this process gets one at most, and it hears nothing unless a run is
being watched. What belongs to a run is told by a context variable: tasks and `asyncio.to_thread` take it
along. Threads whose context is empty (`run_in_executor`, `threading.Thread`) are counted to the run if it
is the only one watched and they were not there before. What the runtime does for a tool (its files, its
child processes) is left out: it keeps to the declared effects itself. So is the loading of code.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from contextvars import Context, ContextVar, copy_context
from functools import cache
from types import FrameType
from typing import Any

from handrail.contract.basics import CallId
from handrail.contract.calls import Executing, SettledState
from handrail.contract.events import CallChanged, Event
from handrail.testing.conforming.touches import HEARD, Touch, touches_of

_WATCHED: ContextVar[Watch | None] = ContextVar("handrail_conformance_watch", default=None)

_POOL = "asyncio_"
"""How asyncio names the threads of a loop's own pool, which know no context and may be older than the run."""

_OF_THE_RUNTIME = ("handrail.runtime", "handrail.sandbox", "handrail.catalog", "handrail.policy", "handrail.session")
_LOADS_CODE = frozenset((
    "_frozen_importlib", "_frozen_importlib_external", "importlib._bootstrap", "importlib._bootstrap_external",
    "zipimport", "linecache",
))  # fmt: skip


class Watch:
    """What one call did: before anybody allowed it, while it ran, and after it was settled."""

    def __init__(self, call: CallId) -> None:
        self.early: list[Touch] = []
        self.running: list[Touch] = []
        self.late: list[Touch] = []
        self._call = call
        self._now = self.early
        self._older = {thread.ident for thread in threading.enumerate() if not thread.name.startswith(_POOL)}

    def follow(self, event: Event) -> None:
        """Told of every event of the session."""
        if isinstance(event, CallChanged) and event.state.request.id == self._call:
            if isinstance(event.state, Executing):
                self._now = self.running
            elif isinstance(event.state, SettledState):
                self._now = self.late

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        self._now.extend(touches_of(event, arguments))

    def knows(self, thread: int) -> bool:
        """It was there before the run, and has other work."""
        return thread in self._older


@contextlib.contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """What is started in this block, and from there, is heard by `watch`; so are late echoes of it."""
    hook = _hook()
    hook.watches.append(watch)
    token = _WATCHED.set(watch)
    try:
        yield
    finally:
        _WATCHED.reset(token)
        hook.watches.remove(watch)


@contextlib.contextmanager
def apart() -> Iterator[None]:
    """What is started in this block is nobody's: the kit's own work beside a run."""
    token = _WATCHED.set(None)
    try:
        yield
    finally:
        _WATCHED.reset(token)


def watched(context: Context | None = None) -> Watch | None:
    """Who watches code that runs in this context; without one, the code that asks."""
    return _WATCHED.get() if context is None else context.get(_WATCHED)


class _Hook:
    """The one hook of this process."""

    def __init__(self) -> None:
        self.watches: list[Watch] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in HEARD:
            watch = _WATCHED.get() or self._of_thread()
            if watch is not None and _is_of_the_tool(sys._getframe(1)):
                watch.hear(event, arguments)

    def _of_thread(self) -> Watch | None:
        if len(self.watches) != 1 or len(copy_context()) or self.watches[0].knows(threading.get_ident()):
            return None
        return self.watches[0]


@cache
def _hook() -> _Hook:
    hook = _Hook()
    sys.addaudithook(hook)
    return hook


def _is_of_the_tool(frame: FrameType | None) -> bool:
    """Looks up the stack, the standard library aside: who wanted this, the tool or the runtime?"""
    foreign = False
    while frame is not None:
        module = str(frame.f_globals.get("__name__", ""))
        if module in _LOADS_CODE:
            return False
        if module.startswith("handrail."):
            return foreign or not module.startswith(_OF_THE_RUNTIME)
        foreign = foreign or module.partition(".")[0] not in sys.stdlib_module_names
        frame = frame.f_back
    return True
