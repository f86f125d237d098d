"""Which processes came from one child, and how to signal them. All that differs between platforms is here.

On Linux the process table is /proc, and a descendant is known by any of: its parent, its session (the
child starts in one of its own), or the mark that it inherited (see `marks`). The mark also finds what
forked twice and was adopted by another process. macOS has `ps`, which shows no mark: there a process
that left both parent and session is lost. On Windows nothing is found: only the child
itself is ended, by its transport. (macOS and Windows: written with care, not yet tested.)
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from handrail.contract.values import value
from handrail.sandbox.marks import Mark

_SHELL = "/bin/sh"
_ENDED = (b"Z", b"X")
"""States of processes in /proc: zombies, and those that are taken down."""
_MOST_LOOKS = 2
"""In a row that find nothing: on a busy machine something ends in each of them."""


@value
class Process:
    pid: int
    started: int
    """Clock ticks since boot: with the pid, it names one process for ever. 0 where unknown."""
    parent: int
    group: int
    session: int

    @property
    def name(self) -> tuple[int, int]:
        """No other process ever has it."""
        return self.pid, self.started


class Family:
    """A child and all that came from it, alive or not yet found dead."""

    def __init__(self, root: int, mark: Mark, before: int) -> None:
        """`before` is a `ticks` from before the child started: what came from it did not start earlier."""
        self.root = root
        self._mark = mark
        self._since = min(_start_of(root, otherwise=before), before)
        self._known: set[tuple[int, int]] = set()
        """By pid and start."""

    def living(self) -> list[Process]:
        """Those alive now, zombies aside. Blocks for a look at every process of the machine.

        A look takes a while, and what forks and ends in it hides what it forked: that one is not in the list yet, and
        whoever would lead to it is gone. So that there are none is believed where nothing ended meanwhile; else it is
        looked again.
        """
        strangers: set[tuple[int, int]] = set()
        for _ in range(_MOST_LOOKS):
            members, nothing_ended = self._look(strangers)
            if members or nothing_ended:
                break
        self._known |= {process.name for process in members}
        return sorted(members, key=lambda process: process.pid)

    def _look(self, strangers: set[tuple[int, int]]) -> tuple[set[Process], bool]:
        """Whom it found, and whether all that it could have found lived to its end. `strangers` were seen to have no
        mark, and get none: to look for marks takes the most time."""
        listed = list(_table(self._since))
        table = [process for process in listed if process is not None]
        members = {
            process
            for process in table
            if self.root in (process.pid, process.session)
            or process.name in self._known
            or (process.name not in strangers and self._mark.is_on(process.pid))
        }
        members |= set(_descendants(members, table))
        others = set(table) - members
        strangers |= {process.name for process in others}
        return members, None not in listed and not any(map(_has_ended, others))


def end(processes: Iterable[Process], *, force: bool) -> None:
    """Asks the processes to end (SIGTERM), or kills them. Those that are gone or another user's stay as they are."""
    if sys.platform == "win32":
        return
    own = os.getpgrp()
    for group in {process.group for process in processes} - {own}:
        # A group lies within one session, and the family's sessions are its own: nobody else is in it.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL if force else signal.SIGTERM)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGCONT)  # a stopped process takes no SIGTERM


def bounded(argv: tuple[str, ...], cwd: Path, path: str | None, most: int | None) -> tuple[str, ...]:
    """The command that starts this one, of whose processes none gets more memory of its own than these bytes.

    What is over is refused, and mostly ends the process. The limit stands before the program does: given to one that
    runs already, it would come too late for what that has taken. Raises FileNotFoundError if the program isn't there.
    """
    if most is None or sys.platform != "linux" or not os.access(_SHELL, os.X_OK):
        return argv
    name = argv[0]
    if shutil.which(cwd / name if "/" in name else name, path=path) is None:
        raise FileNotFoundError(name)
    # A limit that is lower already can't be raised, and is enough.
    return (_SHELL, "-c", f'ulimit -d {most // 1024} 2>/dev/null; exec "$@"', name, *argv)


def _descendants(members: set[Process], table: Iterable[Process]) -> Iterator[Process]:
    children: dict[int, list[Process]] = {}
    for process in table:
        children.setdefault(process.parent, []).append(process)
    waiting = [process.pid for process in members]
    seen = set(waiting)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child.pid not in seen:
                seen.add(child.pid)
                waiting.append(child.pid)
                yield child


def _table(since: int) -> Iterator[Process | None]:
    """Every living process that can be seen and did not start earlier; None for each that may have ended meanwhile."""
    return _from_proc(since) if sys.platform == "linux" else iter(()) if sys.platform == "win32" else _from_ps()


def _from_proc(since: int) -> Iterator[Process | None]:
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                state, process = _stat(int(name))
            except OSError:
                yield None
            else:
                if process.started >= since:
                    yield process if state not in _ENDED else None


def _has_ended(process: Process) -> bool:
    """Where that can be told."""
    try:
        return sys.platform == "linux" and _stat(process.pid)[0] in _ENDED
    except OSError:
        return True


def _stat(pid: int) -> tuple[bytes, Process]:
    with open(f"/proc/{pid}/stat", "rb", buffering=0) as file:
        stat = file.read()
    # proc(5): the name in parentheses may hold anything, so the fields are counted from the last one.
    state, parent, group, session, *rest = stat[stat.rindex(b")") + 2 :].split()
    return state, Process(pid, int(rest[15]), int(parent), int(group), int(session))


def ticks() -> int:
    """Now, as processes count when they started. 0 where that is not known."""
    return int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK")) if sys.platform == "linux" else 0


def _start_of(pid: int, otherwise: int) -> int:
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            return _stat(pid)[1].started
    return otherwise


def _from_ps() -> Iterator[Process]:
    listing = subprocess.run(
        ["/bin/ps", "-A", "-o", "pid=,ppid=,pgid=,stat="], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    for line in listing.stdout.splitlines():
        pid, parent, group, state = line.split()[:4]
        if not state.startswith(b"Z"):
            yield Process(int(pid), 0, int(parent), int(group), int(group))
