"""Ends the children that run when this process dies without a word: SIGKILL, out of memory.

One small `sh` per launcher, started with its first child, waits at a pipe for this process's end. (A parent's
death signal, PR_SET_PDEATHSIG, would do less and cost more: only the child itself gets it, at the
end of the thread that started it, and setting it takes code between fork and exec or another program.)
A child that starts is watched a moment later; a process killed within that moment leaves it running.
"""

from __future__ import annotations

import contextlib
import os
import sys
import weakref
from pathlib import Path

from handrail.sandbox.marks import Mark

_SHELL = "/bin/sh"


class Watchdog:
    """Not started until something is to be watched. Ends with this object, or with the process."""

    def __init__(self) -> None:
        self._pipe: int | None = None

    def watch(self, child: int, mark: Mark) -> None:
        """`child` leads a process group of its own."""
        if self._pipe is None:
            self._start()
        self._tell(f"+ {child} {mark.value} {mark.limit}")

    def forget(self, child: int) -> None:
        self._tell(f"- {child}")

    def _tell(self, line: str) -> None:
        if self._pipe is not None:
            _write(self._pipe, line)

    def _start(self) -> None:
        """Without `sh`, or out of processes, children go unwatched."""
        if sys.platform == "win32":
            return
        script = Path(__file__).with_name("watchdog.sh").read_text("utf-8")
        read, write = os.pipe()
        actions = (
            (os.POSIX_SPAWN_DUP2, read, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        )
        environment = {"PATH": os.environ.get("PATH", os.defpath)}
        try:
            # A group of its own: what is sent to this process's group must not reach it.
            pid = os.posix_spawn(_SHELL, ("sh", "-c", script), environment, file_actions=actions, setpgroup=0)
        except OSError:
            os.close(write)
        else:
            os.set_blocking(write, False)  # a watchdog that hangs must not hold up anybody
            self._pipe = write
            weakref.finalize(self, _end, os.getpid(), pid, write)
        finally:
            os.close(read)


def _write(pipe: int, line: str) -> None:
    with contextlib.suppress(BlockingIOError, BrokenPipeError):
        os.write(pipe, f"{line}\n".encode())


def _end(owner: int, pid: int, pipe: int) -> None:
    """A fork of the owner holds the same pipe, and leaves the watchdog to it."""
    if os.getpid() != owner:
        return
    _write(pipe, ".")
    os.close(pipe)
    with contextlib.suppress(ChildProcessError):  # somebody who waits for all children was faster
        os.waitpid(pid, 0)
