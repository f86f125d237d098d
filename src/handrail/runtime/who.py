"""Who answers: the surface, the user, the terminal, and the processes that led here; and who may not.

A governed child may not answer: it would approve what a model asked for. It is known by the variable that the
launcher sets in every child, here or in any process above, and by the asking session among the processes above.
Only Linux shows the processes above (/proc); elsewhere the variable alone is looked at. What that can't hold back,
a child that hides from its parents, is in the threat model.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import sys
from collections.abc import Iterator

from handrail.contract.values import value
from handrail.runtime.environment import INSIDE

MOST_ANCESTORS = 64


@value
class ProcessName:
    """One process for good: numbers are used again, but not with the same start."""

    pid: int
    started: int
    """Clock ticks since the machine came up; 0 where that is not known."""
    name: str = ""


@value
class Answerer:
    """Who gave an answer, for the record."""

    surface: str
    user: str = ""
    terminal: str = ""
    ancestry: tuple[ProcessName, ...] = ()
    """The answering process first, then those that started it."""

    def __str__(self) -> str:
        """For messages: `ada at cli (pts/3)`."""
        by = f"{self.user} at {self.surface}" if self.user else self.surface
        return f"{by} ({self.terminal})" if self.terminal else by


def this_process() -> ProcessName:
    return next(_ancestry(), ProcessName(os.getpid(), 0))


def answerer_here(surface: str) -> Answerer:
    """The person or program behind this very process."""
    return Answerer(surface, _user(), _terminal(), tuple(_ancestry()))


def governed_by(asking: ProcessName | None) -> str:
    """Why this process may not answer what `asking` asks, as a clause; empty when it may."""
    if INSIDE in os.environ:
        return "it runs inside a governed call"
    for process in list(_ancestry())[1:]:
        if asking is not None and (process.pid, process.started) == (asking.pid, asking.started):
            return f"it was started by the session that asks (process {process.pid})"
        if _is_marked(process.pid):
            return f"it was started by a governed call (process {process.pid})"
    return ""


def _ancestry() -> Iterator[ProcessName]:
    """This process and those above it, up to the first one. Nothing where the platform doesn't show them."""
    pid = os.getpid() if sys.platform == "linux" else 0
    for _ in range(MOST_ANCESTORS):
        stat = _read(pid, "stat") if pid else b""
        if not stat:
            return
        # proc(5): the name in parentheses may hold anything, so the fields are counted from the last one.
        name, _, rest = stat[stat.index(b"(") + 1 :].rpartition(b")")
        fields = rest.split()
        yield ProcessName(pid, int(fields[19]), name.decode("utf-8", "replace"))
        pid = int(fields[1])


def _is_marked(pid: int) -> bool:
    return any(entry.startswith(f"{INSIDE}=".encode()) for entry in _read(pid, "environ").split(b"\0"))


def _read(pid: int, name: str) -> bytes:
    """Empty for a process that is gone or another user's."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
        return file.read()
    return b""


def _user() -> str:
    with contextlib.suppress(OSError, KeyError, ImportError):
        return getpass.getuser()
    return str(os.getuid()) if hasattr(os, "getuid") else ""


def _terminal() -> str:
    for descriptor in (0, 1, 2):
        with contextlib.suppress(OSError):
            return os.ttyname(descriptor).removeprefix("/dev/")
    return ""
