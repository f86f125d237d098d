"""The child processes of this process. Linux alone tells them: elsewhere there seem to be none."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass

SEEN = sys.platform == "linux"
"""Whether this system tells which processes there are."""
_TOLD = os.path.exists("/proc/thread-self/children")
"""Whether it also tells whose children they are: proc(5), CONFIG_PROC_CHILDREN."""

_LONGEST = 4096
"""Bytes: a line of `/proc/<pid>/stat` has 52 numbers and a name of at most 64, proc(5)."""


@dataclass(frozen=True, slots=True)
class ChildProcess:
    pid: int
    started: int
    """Clock ticks since boot: with the pid, it names one process for ever."""
    name: str


def children() -> frozenset[ChildProcess]:
    """Those that live now. Ended ones that nobody has waited for are no more than a line in a table."""
    found: set[ChildProcess] = set()
    for pid in _candidates() if SEEN else ():
        with contextlib.suppress(OSError):  # gone meanwhile
            child = _read(pid)
            if child is not None:
                found.add(child)
    return frozenset(found)


def _candidates() -> Iterator[int]:
    """All there are that may be children of this process: this is asked twice a run, and a machine has hundreds."""
    if not _TOLD:
        yield from (int(entry) for entry in os.listdir("/proc") if entry.isdigit())
        return
    # Those of a thread that ends meanwhile go to the first one, which is therefore read last.
    for thread in sorted(map(int, os.listdir("/proc/self/task")), reverse=True):
        with contextlib.suppress(OSError), open(f"/proc/self/task/{thread}/children", "rb") as file:
            yield from map(int, file.read().split())


def _read(pid: int) -> ChildProcess | None:
    # Bytes, and no file object: where children are not told, this is done for every process of the machine.
    file = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    try:
        stat = os.read(file, _LONGEST)
    finally:
        os.close(file)
    # proc(5): the name in parentheses may hold anything, so the fields are counted from the last one.
    head, _, rest = stat.rpartition(b")")
    state, parent, *fields = rest.split()
    if int(parent) != os.getpid() or state in (b"Z", b"X"):
        return None
    return ChildProcess(pid, int(fields[17]), head.partition(b"(")[2].decode("utf-8", "replace"))
