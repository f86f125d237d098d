"""The moments of a process at which a fault can strike it, and the faults."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any
from unittest.mock import patch

from handrail.runtime.executor import Executor
from handrail.runtime.live import LiveCall
from handrail.runtime.scheduler import Scheduler

BEFORE_STATE, AFTER_STATE = "before a state", "after a state"
BEGIN, BEFORE_COMMIT, AFTER_COMMIT = "begin", "before a commit", "after a commit"
EFFECT, ANSWER, DELIVERY, TOLD, STREAM = "effect", "answer", "delivery", "told", "stream"

MOMENTS = (BEFORE_STATE, AFTER_STATE, BEFORE_COMMIT, AFTER_COMMIT, EFFECT, ANSWER, DELIVERY, TOLD, STREAM)
"""A call enters a state, on either side of its journaling; a transaction of any book, on either side of its commit,
the second before anybody hears of it; an effect is done and its outcome not yet known; a person answered; the
client's result was handed over; a result was told; a response that still comes has brought a call."""


@dataclass(frozen=True)
class Fault:
    """What happens at the moment, and to every transaction from then on."""

    strike: Callable[[], object]
    pragma: str = ""
    """Obeyed by the connection before it begins."""


class Moments:
    """Counts the moments of this process. At one of them the fault strikes."""

    def __init__(self, fault: Fault, kind: str = "", at: int = 0) -> None:
        self.counts: Counter[str] = Counter()
        self._fault, self._kind, self._at = fault, kind, at
        self._lock = Lock()

    def comes(self, kind: str) -> None:
        """In whichever thread it comes."""
        with self._lock:
            self.counts[kind] += 1
            struck = kind == self._kind and self.counts[kind] == self._at
        if struck:
            self._fault.strike()

    @property
    def pragma(self) -> str:
        return self._fault.pragma if self._at and self.counts[self._kind] >= self._at else ""

    @contextmanager
    def watched(self, begun: Callable[[LiveCall], None]) -> Iterator[None]:
        """Within it the runtime's moments are seen, and `begun` is told of each call."""
        with ExitStack() as stack:
            connect = partial(sqlite3.connect, factory=_connection(self))
            stack.enter_context(patch.object(sqlite3, "connect", connect))
            stack.enter_context(patch.object(Executor, "enter", self._seen(Executor.enter)))
            for name in ("submit", "take_up"):
                handing_out = _telling(getattr(Scheduler, name), begun)
                stack.enter_context(patch.object(Scheduler, name, handing_out))
            yield

    def _seen(self, enter: Callable[..., None]) -> Callable[..., None]:
        def entered(*given: Any) -> None:
            self.comes(BEFORE_STATE)
            enter(*given)
            self.comes(AFTER_STATE)

        return entered


def _connection(moments: Moments) -> type[sqlite3.Connection]:
    class Connection(sqlite3.Connection):
        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
            if sql == "BEGIN IMMEDIATE":
                moments.comes(BEGIN)
                if moments.pragma:
                    super().execute(moments.pragma)
            if sql != "COMMIT":
                return super().execute(sql, *given)
            moments.comes(BEFORE_COMMIT)
            done = super().execute(sql)
            moments.comes(AFTER_COMMIT)
            return done

    return Connection


def _telling(method: Callable[..., LiveCall], begun: Callable[[LiveCall], None]) -> Callable[..., LiveCall]:
    def handed_out(*given: Any, **named: Any) -> LiveCall:
        live = method(*given, **named)
        begun(live)
        return live

    return handed_out


DEATH = Fault(lambda: os.kill(os.getpid(), signal.SIGKILL))
LIMIT = Fault(lambda: None, "PRAGMA max_page_count = 1")
"""Which is: as many pages as it has."""


def locked(other: socket.socket) -> Fault:
    """Another process locks the journal, and keeps it so until this one ends: no wait is long enough."""

    def strike() -> None:
        other.sendall(b"lock")
        other.recv(1)

    return Fault(strike, "PRAGMA busy_timeout = 50")


def full_disk(filler: Path) -> Fault:
    """The file takes all the space that its disk has."""

    def strike() -> None:
        descriptor = os.open(filler, os.O_CREAT | os.O_WRONLY)
        size = 1 << 16
        while size:
            try:
                os.write(descriptor, bytes(size))
            except OSError:
                size //= 2
        os.close(descriptor)

    return Fault(strike)
