"""Calls that wait for a person: how many can, what they cost, and how long a yes takes to its result.

* waiting: one response whose calls all wait, on disk; memory by the growth of this process, the time to list them as
  another process does, and the time from opening the session again to every question standing as it stood.
* a cycle: one call is asked about and parked, answered, run; in wall time, beside a bare fsync of the same disk.
  Ours keeps question, answer and result; see `_approving_peers` for what the others keep.
"""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import ExitStack, closing
from pathlib import Path
from statistics import median
from typing import Any

from bench._approving_peers import Cycle, approving_peers, keep
from bench._report import Aim, interpreter, line, microseconds, milliseconds, note
from pydantic import BaseModel

from handrail import __version__
from handrail.contract.confirmation import Once
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.runtime.approval_store import ApprovalStore
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE, journal_file, state_folder

FEW, MANY = 1_000, 10_000
CYCLES = 100
ROUNDS = 5

RECOVERY_SECONDS = Aim(2)
"""As a ratio to one second."""
LINEAR = Aim(1.5)
BEYOND_ONE_FSYNC = Aim(1)
"""As a ratio to one millisecond."""


class Params(BaseModel):
    text: str


class Asked(Tool[Params]):
    """Does nothing, and is asked about."""

    name, kind, needs_approval = "asked", Kind.READ, "always"

    async def run(self, params: Params) -> ToolResult:
        return ToolResult.of_text("ok")


def response(calls: int, turn: int = 0) -> dict[str, Any]:
    named = {"name": "asked", "arguments": {"text": "a line of text"}}
    return {"calls": [{"id": f"call_{turn}_{number}", **named} for number in range(calls)]}


def resident() -> int:
    """Bytes of memory of this process that are in use now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


async def waiting(folder: Path, calls: int) -> tuple[float, float, float]:
    """Bytes per waiting call, seconds to list them all, seconds to recover them all."""
    parts = Parts(tools=[Asked()])
    gc.collect()
    async with Session.open(folder, parts=parts) as session:
        before = resident()
        turn = await session.run(response(calls), on_ask="park")
        size = (resident() - before) / calls
        if len(turn.pending) != calls:
            raise RuntimeError(f"{len(turn.pending)} of {calls} calls wait")
        start = time.perf_counter()
        with closing(ApprovalStore(journal_file(state_folder(), folder))) as store:
            listed = len(store.open_questions(session.id))
        listing = time.perf_counter() - start
        id = session.id
    del session, turn
    gc.collect()  # the process that is taken up from is another one
    start = time.perf_counter()
    async with Session.open(folder, session=id, parts=parts) as again:
        (turn,) = await again.take_up(on_ask="park")
        recovery = time.perf_counter() - start
        if len(turn.pending) != calls or listed != calls:
            raise RuntimeError(f"{listed} listed and {len(turn.pending)} recovered of {calls}")
        await again.cancel_turn(turn)
    return size, listing, recovery


async def measured(work: Callable[[], Awaitable[object]], times: int) -> float:
    """Wall time of one `work`, of a row of them."""
    await work()
    start = time.perf_counter()
    for _ in range(times):
        await work()
    return (time.perf_counter() - start) / times


def ours(session: Session) -> tuple[Cycle, list[float]]:
    """A cycle, and how long each took from the answer on."""
    turns, taken = iter(range(1_000_000_000)), []

    async def cycle() -> str:
        parked = await session.run(response(1, next(turns)), on_ask="park")
        start = time.perf_counter()
        turn = await session.resume(parked, {parked.pending[0].approval: Once()})
        taken.append(time.perf_counter() - start)
        return turn.calls[0].result.text

    return cycle, taken


async def cycles(folder: Path) -> tuple[dict[str, float], float]:
    """Seconds of a whole cycle on each side, of one fsync, and of ours from the answer on."""
    state = folder / "state"

    async def fsync() -> None:
        await asyncio.to_thread(keep, state, b"x" * 4096)

    async with Session.open(folder, parts=Parts(tools=[Asked()])) as session:
        cycle, answered = ours(session)
        sides: dict[str, Callable[[], Awaitable[object]]] = {"fsync": fsync, "ours": cycle}
        sides |= {name: build(state) for name, build in approving_peers().items() if build is not None}
        for name, side in sides.items():
            if name != "fsync" and await side() != "ok":
                raise RuntimeError(f"{name} did not run the call")
        samples: Mapping[str, list[float]] = {name: [] for name in sides}
        for _ in range(ROUNDS):
            for name, side in sides.items():
                samples[name].append(await measured(side, CYCLES))
        return {name: median(taken) for name, taken in samples.items()}, median(answered)


async def main() -> None:
    note(f"Calls that wait for a person; wall time, one run, one process; {interpreter()}; handrail {__version__}")
    with ExitStack() as folders:
        root = Path(folders.enter_context(tempfile.TemporaryDirectory()))
        os.environ[STATE_VARIABLE] = str(root / "state of handrail")
        per_call = {}
        for number, calls in enumerate((FEW, MANY)):
            work = root / f"work-{number}"
            work.mkdir()
            size, listing, recovery = await waiting(work, calls)
            per_call[calls] = recovery / calls
            aim = [RECOVERY_SECONDS.cell(recovery)] if calls == MANY else []
            line(
                f"{calls:,} calls waiting at once",
                f"{size / 1024:.1f} KiB a call",
                f"listed in {milliseconds(listing)}",
                f"recovered in {milliseconds(recovery)}",
                *aim,
            )
        line(f"recovery of one, n={MANY:,} against n={FEW:,}", LINEAR.cell(per_call[MANY] / per_call[FEW]))
        work = root / "work"
        work.mkdir()
        cost, answered = await cycles(work)
        fsync = cost["fsync"]
        line("one fsync of 4 KiB, in a thread", microseconds(fsync))
        beyond = (answered - fsync) * 1e3
        line("from the answer to the result", microseconds(answered), BEYOND_ONE_FSYNC.cell(beyond), "ms beyond it")
        cells = [f"ours {microseconds(cost['ours'])}"]
        for peer in approving_peers():
            known = (
                f"{microseconds(cost[peer])} ({cost[peer] / cost['ours']:.1f}x ours)"
                if peer in cost
                else "not installed"
            )
            cells.append(f"{peer} {known}")
        line("asked, parked, approved, run", *cells)


if __name__ == "__main__":
    asyncio.run(main())
