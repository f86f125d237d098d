"""Durable calls per second through a whole session, against what the disk can do: its fsyncs per second.

A call here has effects: its start is on the disk before it runs, and its outcome before it is reported. One at a
time, that is two fsyncs for each call; with many in flight, calls share them. The tool does nothing; the journal is
the real one, in a folder made where `TMPDIR` says (a folder in memory makes the figures meaningless).

* disk: one page is written at the end of a file and synced, as SQLite does for a commit, over and over.
* calls per fsync: the calls of a run by the transactions that the journal made for them, each of which is one fsync.

Disk and calls are measured in turns in one run. Time is elapsed time: waiting for the disk is what is measured.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from unittest.mock import patch

from bench._report import Aim, interpreter, line, note
from pydantic import BaseModel

from handrail import __version__
from handrail.contract.basics import Instant, SessionId
from handrail.contract.calls import CallState, Completed
from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.tool import Tool
from handrail.runtime.journal import SqliteJournal
from handrail.runtime.journal_store import SessionStore
from handrail.runtime.parts import Parts
from handrail.runtime.turn_rows import KeptTurn
from handrail.session import Session

ROUNDS = 7
PAGE = b"\0" * 4096
SYNCS = 200
SINGLE_CALLS = 100
IN_FLIGHT = 100
TURNS_IN_FLIGHT = 5

OF_FSYNC = Aim(30, "at least")


class Params(BaseModel):
    number: int


class Count(Tool[Params]):
    """Does nothing, and says that it changes something that nothing else does."""

    name = "count"

    def effects(self, params: Params) -> Claims:
        return Claims(keys=frozenset({f"number:{params.number}"}))

    async def run(self, params: Params) -> ToolResult:
        return ToolResult.of_text("counted")


def syncs_per_second(folder: Path) -> float:
    descriptor = os.open(folder / "pages", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        start = time.perf_counter()
        for _ in range(SYNCS):
            os.write(descriptor, PAGE)
            os.fdatasync(descriptor)
        return SYNCS / (time.perf_counter() - start)
    finally:
        os.close(descriptor)


@contextmanager
def transactions() -> Iterator[list[int]]:
    """The number of events in each transaction from now on."""
    written: list[int] = []
    write = SessionStore.write

    def counted(store: SessionStore, states: Sequence[tuple[int, CallState | KeptTurn]]) -> None:
        written.append(len(states))
        write(store, states)

    with patch.object(SessionStore, "write", counted):
        yield written


async def calls_per_second(session: Session, first: int, turns: int, calls: int) -> float:
    start = time.perf_counter()
    for turn in range(turns):
        numbers = range(first + turn * calls, first + (turn + 1) * calls)
        asked = [{"id": f"c{number}", "name": "count", "arguments": {"number": number}} for number in numbers]
        done = await session.run({"calls": asked})
        if not all(isinstance(call, Completed) for call in done.calls):
            raise RuntimeError("a call did not complete")
    return turns * calls / (time.perf_counter() - start)


async def measured(folder: Path) -> tuple[list[float], dict[int, list[float]], dict[int, list[float]]]:
    """Fsyncs per second; then, by calls in flight, calls per second, and calls per transaction."""
    journal = await SqliteJournal.open(
        folder / "journal.sqlite", SessionId("bench"), workspace=folder, started=Instant(time.time())
    )
    parts = Parts(tools=[Count()], journal=journal, at_once=IN_FLIGHT)
    disk: list[float] = []
    speeds: dict[int, list[float]] = {1: [], IN_FLIGHT: []}
    shares: dict[int, list[float]] = {1: [], IN_FLIGHT: []}
    first = 0
    async with Session.open(folder, mode="bypass", parts=parts) as session:
        for _ in range(ROUNDS):
            disk.append(await asyncio.to_thread(syncs_per_second, folder))
            for calls, turns in ((1, SINGLE_CALLS), (IN_FLIGHT, TURNS_IN_FLIGHT)):
                with transactions() as made:
                    speeds[calls].append(await calls_per_second(session, first, turns, calls))
                first += turns * calls
                shares[calls].append(turns * calls / len(made))
    return disk, speeds, shares


async def main() -> None:
    note(f"Durable calls, elapsed time; median of {ROUNDS}, one run; {interpreter()}; handrail {__version__}")
    with tempfile.TemporaryDirectory() as name:
        disk, speeds, shares = await measured(Path(name))
    syncs = median(disk)
    line("the disk", f"{syncs:,.0f} fsyncs/s")
    for calls, taken in speeds.items():
        speed, share = median(taken), median(shares[calls])
        aim = OF_FSYNC.cell(share) if calls == IN_FLIGHT else f"{share:.2f}x"
        line(
            f"{calls} in flight",
            f"{speed:,.0f} calls/s",
            f"{speed / syncs:.2f} of the disk's rate",
            f"calls per fsync {aim}",
        )


if __name__ == "__main__":
    asyncio.run(main())
