"""What the shell tool costs beside what a shell costs anyway: to start a command, and to read a gigabyte of output.

* start: a call of `shell` in an open session, from the request to its result, against the same `bash -c` started with
  asyncio's own subprocess and read to its end. Ours also parses and judges the command, journals the call, watches
  for processes that are left behind, and learns where the shell stands. In turns, elapsed time.
* flood: one command that prints a gigabyte, in a session that keeps long results in files, each in a fresh process:
  how long it takes against `COMMAND | cat >/dev/null`, and the process's own peak memory (VmHWM of proc(5)).
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from bench._report import Aim, interpreter, line, milliseconds, note

from handrail import __version__
from handrail.contract.basics import CallId
from handrail.contract.calls import CallRequest, Completed, ObjectArguments
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE
from handrail.testing import MemoryJournal

STARTS, ROUNDS = 40, 3
SIZE = 1_000_000_000
FLOODS = {
    "lines": f"yes 0123456789abcdef0123456789abcdef0123456789abcdef | head -c {SIZE}",
    "one line": f"head -c {SIZE} /dev/zero",
}
OF_FLOOD = Aim(1.5)
MOST_MEMORY = 64 * 1024
"""KiB."""


async def bare(command: str, folder: Path) -> bytes:
    child = await asyncio.create_subprocess_exec(
        "bash", "-c", command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    printed, _ = await child.communicate()
    return printed


async def ours(session: Session, command: str, id: str) -> str:
    arguments = ObjectArguments({"command": command, "timeout": 600})
    state = await session.submit(CallRequest(CallId(id), "shell", arguments)).settled
    if not isinstance(state, Completed):
        raise RuntimeError(f"the call ended as {state}")
    return state.result.text


async def starts() -> None:
    taken: dict[str, list[float]] = {"bare": [], "ours": []}
    with tempfile.TemporaryDirectory() as folder:
        async with Session.open(folder, mode="bypass", parts=Parts(journal=MemoryJournal())) as session:
            for number in range(STARTS + 1):
                begun = time.perf_counter()
                await bare("echo hi", Path(folder))
                between = time.perf_counter()
                await ours(session, "echo hi", f"c{number}")
                if number:  # the first one warms the caches
                    taken["bare"].append(between - begun)
                    taken["ours"].append(time.perf_counter() - between)
    least, own = median(taken["bare"]), median(taken["ours"])
    line("start a command", f"ours {milliseconds(own)}", f"bare {milliseconds(least)}", f"{own / least:.2f}x")


async def flooded(command: str, workspace: Path) -> float:
    """Seconds from the call to its result."""
    async with Session.open(workspace, mode="bypass") as session:
        begun = time.perf_counter()
        text = await ours(session, command, "c1")
        seconds = time.perf_counter() - begun
    if "left out" not in text:
        raise RuntimeError("the result does not say that output was left out")
    return seconds


def flood(name: str) -> None:
    """In a fresh process: prints its figures as JSON."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[STATE_VARIABLE] = str(Path(folder, "state"))
        workspace = Path(folder, "ws")
        workspace.mkdir()
        seconds = asyncio.run(flooded(FLOODS[name], workspace))
    status = Path("/proc/self/status").read_text()
    peak = next(int(entry.split()[1]) for entry in status.splitlines() if entry.startswith("VmHWM"))
    print(json.dumps({"seconds": seconds, "peak": peak}))


def piped(command: str) -> float:
    begun = time.perf_counter()
    subprocess.run(["bash", "-c", f"{command} | cat >/dev/null"], check=True)
    return time.perf_counter() - begun


def report_flood(name: str) -> None:
    seconds, least, peaks = [], [], []
    for _ in range(ROUNDS):
        least.append(piped(FLOODS[name]))
        argv = [sys.executable, "-m", "bench.shell", name]
        found = json.loads(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)
        seconds.append(found["seconds"])
        peaks.append(found["peak"])
    own, pipe, peak = median(seconds), median(least), max(peaks)
    missed = "" if peak <= MOST_MEMORY else ": MISSED"
    line(f"1 GB of output, {name}", f"ours {own:.2f} s", f"| cat {pipe:.2f} s", OF_FLOOD.cell(own / pipe))
    line(f"1 GB of output, {name}: peak memory", f"{peak / 1024:.1f} MB (aim at most {MOST_MEMORY // 1024} MB{missed})")


def main() -> None:
    note(f"Elapsed time, medians, one run; {interpreter()}; handrail {__version__}; more in bench/shell.py")
    asyncio.run(starts())
    for name in FLOODS:
        report_flood(name)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        flood(sys.argv[1])
    else:
        main()
