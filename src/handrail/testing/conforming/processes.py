"""The child processes of this process. Linux alone tells them: elsewhere there seem to be none."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass

SEEN = sys.platform == "linux"
"""Whether this system tells which processes there are."""


@dataclass(frozen=True, slots=True)
class ChildProcess:
    pid: int
    started: int
    """Clock ticks since boot: with the pid, it names one process for ever."""
    name: str


def children() -> frozenset[ChildProcess]:
    """Those that live now. Ended ones that nobody has waited for are no more than a line in a table."""
    found: set[ChildProcess] = set()
    for entry in os.listdir("/proc") if SEEN else ():
        if entry.isdigit():
            with contextlib.suppress(OSError):  # gone meanwhile
                child = _read(int(entry))
                if child is not None:
                    found.add(child)
    return frozenset(found)


def _read(pid: int) -> ChildProcess | None:
    with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
        stat = file.read()
    # proc(5): the name in parentheses may hold anything, so the fields are counted from the last one.
    name, _, rest = stat.partition("(")[2].rpartition(")")
    state, parent, *fields = rest.split()
    if int(parent) != os.getpid() or state in ("Z", "X"):
        return None
    return ChildProcess(pid, int(fields[17]), name)
