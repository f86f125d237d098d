"""Tools of MCP servers: a call through the whole runtime, and what servers cost the first result of a session.

* round trip: elapsed time of one call of an echo tool over standard input and output, in turns with the bare client
  of the SDK on the same server: `ClientSession.call_tool`. Ours is decoded, validated, decided, journaled in memory,
  called, checked, bounded and encoded. On a server made with the SDK, which has the aim; and on one that reads a
  line and writes one, where nothing of a client is hidden.
* first result: elapsed time from the start of a program to the result of its first `read_file`, without servers and
  with ten of which one says nothing for 30 s. Each in a process of its own, in turns.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median

from bench._first_result import servers
from bench._report import Aim, interpreter, line, microseconds, milliseconds, note

from handrail import __version__
from handrail.contract.calls import Completed
from handrail.contract.provider import Condition
from handrail.policy import Mode
from handrail.runtime.parts import Parts
from handrail.sandbox.none import PlainLauncher
from handrail.session import Session
from handrail.testing import MemoryJournal

CALLS, WARM = 500, 20
STARTS = 9
OF_BARE = Aim(1.2)
OF_NONE = Aim(1.1)
TEN = ["plain"] * 9 + ["sleepy"]

Call = Callable[[], Awaitable[None]]


@asynccontextmanager
async def ours(folder: Path, kind: str) -> AsyncIterator[Call]:
    launcher, count = PlainLauncher(), 0
    parts = Parts(providers=servers(folder, [kind], launcher), launcher=launcher, journal=MemoryJournal(), tools=())
    async with Session.open(folder, mode=Mode.BYPASS, parts=parts) as session:
        await ready(session)

        async def call() -> None:
            nonlocal count
            count += 1
            one = {"id": f"c{count}", "name": "mcp_s0_echo", "arguments": {"text": "ahoy"}}
            turn = await session.run({"calls": [one]})
            if not isinstance(turn.calls[0], Completed):
                raise RuntimeError(f"the call failed: {turn.calls[0]}")

        yield call


async def ready(session: Session) -> None:
    """Until the one source is ready."""
    told = asyncio.Event()
    end = session.subscribe(lambda event: told.set())
    while session.sources()[0].condition is not Condition.READY:
        told.clear()
        await told.wait()
    end()


@asynccontextmanager
async def bare(kind: str) -> AsyncIterator[Call]:
    from mcp.client.session import ClientSession
    from mcp.client.stdio import StdioServerParameters, stdio_client

    program = StdioServerParameters(
        command=sys.executable, args=["-m", "bench._mcp_servers", kind], env=dict(os.environ), cwd=os.getcwd()
    )
    async with stdio_client(program) as (incoming, outgoing), ClientSession(incoming, outgoing) as session:
        await session.initialize()
        await session.list_tools()

        async def call() -> None:
            result = await session.call_tool("echo", {"text": "ahoy"})
            if result.is_error:
                raise RuntimeError(f"the call failed: {result}")

        yield call


async def elapsed(call: Call) -> float:
    """Seconds of one call."""
    start = time.perf_counter()
    await call()
    return time.perf_counter() - start


async def round_trip(folder: Path, kind: str) -> tuple[float, float]:
    """Seconds through the runtime, and with the bare client: medians of calls that were made in turns."""
    async with ours(folder, kind) as through, bare(kind) as direct:
        pairs = [(await elapsed(through), await elapsed(direct)) for _ in range(CALLS + WARM)][WARM:]
    return median(taken for taken, _ in pairs), median(taken for _, taken in pairs)


def first_result(folder: Path, kinds: list[str]) -> float:
    """Seconds from the start of a program to its first result."""
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "bench._first_result", str(folder), *kinds], stdout=subprocess.PIPE
    ) as program:
        if program.stdout is None or program.stdout.readline() != b"done\n":
            raise RuntimeError("the program came to no result")
        return time.perf_counter() - start


def main() -> None:
    note(f"MCP servers; medians, one run, elapsed time; {interpreter()}; handrail {__version__}; more in bench/mcp.py")
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "a.txt").write_text("ahoy\n")
        for kind, aim in (("sdk", OF_BARE), ("plain", None)):
            own, limit = asyncio.run(round_trip(folder, kind))
            ratio = f"{own / limit:.2f}x" if aim is None else aim.cell(own / limit)
            cells = (f"ours {microseconds(own)}", f"bare client {microseconds(limit)}", ratio)
            line(f"one call, server: {kind}", *cells)
        starts = [(first_result(folder, TEN), first_result(folder, [])) for _ in range(STARTS)]
        ten, none = median(taken for taken, _ in starts), median(taken for _, taken in starts)
        cells = (f"ten servers {milliseconds(ten)}", f"none {milliseconds(none)}", OF_NONE.cell(ten / none))
        line("first result, from the program's start", *cells)


if __name__ == "__main__":
    main()
