"""The journal on disk: every transition of a session, safe before it is acknowledged.

The event loop puts states in line and never touches the file. One thread writes whatever stands in
line as one transaction, so a hundred calls that wait share one fsync. It writes when somebody waits
for a number, and at the latest `LINGER_SECONDS` after something was put in line.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import closing, suppress
from enum import Enum
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import TypedDict, TypeVarTuple, Unpack

from handrail.contract.basics import Instant, SessionId
from handrail.contract.calls import CallState
from handrail.errors import JournalError
from handrail.runtime.journal_store import Entry, Opening, SessionStore
from handrail.runtime.openings import HowOpened
from handrail.runtime.turn_rows import KeptTurn
from handrail.runtime.value_rows import KeptTogether
from handrail.settings.redaction import Redactor

Ts = TypeVarTuple("Ts")

LINGER_SECONDS = 0.05
"""How long what nobody waits for may stand in line: so much of it a crash can lose."""

GROUP_LIMIT = 1_000
"""States in one transaction at most: bounds the memory it takes and the time others wait for the file."""


LINE_LIMIT = 10 * GROUP_LIMIT
"""States in line from which on new calls wait: the line holds at most these and a few of each open call."""


class Options(TypedDict, total=False):
    """What `SqliteJournal.open` also takes: fields of `journal_store.Opening`."""

    how: HowOpened
    take_over: bool
    busy_seconds: float
    page_limit: int | None
    redactor: Redactor | None


class _Order(Enum):
    WRITE = "write"
    STOP = "stop"


class SqliteJournal:
    """`contract.ports.Journal` in SQLite. Made by `open`; lives on the event loop that made it.

    After a failed write nothing more is written: a chain with a hole would be worth nothing. Everybody
    who waits gets a JournalError then, and so does everybody who comes later; numbers that were
    safe before stay safe.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._line: deque[tuple[int, Entry]] = deque()
        self._orders: SimpleQueue[_Order] = SimpleQueue()
        self._ordered = False
        self._lingering = False
        self._last = 0
        self._safe = 0
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._failure: JournalError | None = None
        self._failure_told = False
        self._closed = False
        self._opened: asyncio.Future[None] = loop.create_future()
        self._ended = asyncio.Event()

    @classmethod
    async def open(
        cls, path: Path, session: SessionId, *, workspace: Path, started: Instant, **options: Unpack[Options]
    ) -> SqliteJournal:
        """Begins a session in the file, which is made if it isn't there, or takes over one that stands in it.

        Raises JournalError, also when another process holds the session and `take_over` is not given.
        """
        journal = cls(asyncio.get_running_loop())
        opening = Opening(workspace=workspace, started=started, **options)
        open_store = partial(SessionStore.open, path, session, opening)
        # A daemon, so that a program which forgets to close ends all the same.
        Thread(target=journal._write, args=(open_store,), name=f"journal of {session}", daemon=True).start()
        try:
            await journal._opened
        except asyncio.CancelledError:
            # The writer may be opening the file yet, and must not take it over from whoever opens it next.
            journal._orders.put(_Order.STOP)
            await journal._ended.wait()
            raise
        return journal

    def append(self, state: CallState) -> int:
        """Puts the state in line. What can't be written shows in `durable` and `close`, never here."""
        self._last += 1
        if self._failure is None and not self._closed:
            self._line.append((self._last, state))
            self._linger()
        return self._last

    def keep_turn(self, turn: KeptTurn) -> None:
        """Puts the turn in line, before the events of its calls."""
        self._keep(turn)

    def keep_values(self, kept: KeptTogether) -> None:
        """Puts the values in line, before the outcome of the call that made them."""
        self._keep(kept)

    def _keep(self, entry: KeptTurn | KeptTogether) -> None:
        if self._failure is None and not self._closed:
            self._line.append((self._last, entry))
            # A talk without calls has no event that would take it along. A tool may keep values from its own thread.
            self._tell(self._linger)

    async def durable(self, sequence: int) -> None:
        """Returns when everything up to this number is on the disk. Raises JournalError when it can't be."""
        if sequence <= self._safe:
            return
        if self._failure is not None:
            raise self._told()
        if self._closed:
            raise JournalError(f"event {sequence} came after the journal was closed and is not written")
        if sequence > self._last:
            raise ValueError(f"nothing was appended as number {sequence}; the last is {self._last}")
        future = self._loop.create_future()
        self._waiting.append((sequence, future))
        self._order_write()
        await future

    async def room(self) -> None:
        """Returns at once, or when the line that stood is written: no faster than the disk are new calls taken in."""
        if len(self._line) >= LINE_LIMIT:
            with suppress(JournalError):  # those who wait for their own states are told
                await self.durable(self._last)

    async def close(self) -> None:
        """Writes what stands in line and lets go of the file.

        Raises JournalError when something could not be written and nobody was told so yet.
        """
        if not self._closed:
            self._closed = True
            self._orders.put(_Order.STOP)
        await self._ended.wait()
        if self._failure is not None and not self._failure_told:
            raise self._told()

    def _linger(self) -> None:
        if not self._lingering:
            self._lingering = True
            self._loop.call_later(LINGER_SECONDS, self._linger_over)

    def _linger_over(self) -> None:
        self._lingering = False
        if self._line:
            self._order_write()

    def _order_write(self) -> None:
        """The line is filled before the flag is looked at, and the writer clears the flag before it
        looks at the line: so no state is left in line with nobody coming for it.

        The order goes out when all tasks that are ready now have had their turn: what they append shares the fsync.
        """
        if not self._ordered:
            self._ordered = True
            self._loop.call_soon(self._orders.put, _Order.WRITE)

    def _told(self) -> JournalError:
        self._failure_told = True
        return JournalError(str(self._failure))

    # On the event loop, in the writer's name.

    def _on_opened(self, last: int) -> None:
        self._last = self._safe = last
        if not self._opened.done():
            self._opened.set_result(None)

    def _on_safe(self, sequence: int) -> None:
        self._safe = sequence
        waiting, self._waiting = self._waiting, []
        for number, future in waiting:
            if number > sequence:
                self._waiting.append((number, future))
            elif not future.done():
                future.set_result(None)

    def _on_ended(self, failure: JournalError | None) -> None:
        self._failure = failure
        self._line.clear()
        refused = [future for _, future in self._waiting] if self._opened.done() else [self._opened]
        self._waiting = []
        for future in refused:
            if not future.done():
                future.set_exception(self._told())
        self._ended.set()

    # On the writer's thread.

    def _write(self, open_store: Callable[[], SessionStore]) -> None:
        failure: JournalError | None = JournalError("the journal's writer stopped; nothing more can be written")
        try:
            with closing(open_store()) as store:
                self._tell(self._on_opened, store.last)
                while self._orders.get() is _Order.WRITE:
                    self._ordered = False
                    self._write_line(store)
                self._write_line(store)
            failure = None
        except JournalError as error:
            failure = error
        finally:
            self._tell(self._on_ended, failure)

    def _write_line(self, store: SessionStore) -> None:
        while self._line:
            group = [self._line.popleft() for _ in range(min(len(self._line), GROUP_LIMIT))]
            store.write(group)
            self._tell(self._on_safe, store.last)

    def _tell(self, callback: Callable[[*Ts], object], *args: *Ts) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(callback, *args)
