"""How processes of one launch are known, however far they have gone from their parent, session and group.

A launch has a random value. On Linux its child inherits it in three ways, and so does all that comes from it:
  * a variable of the environment, which `env -i` loses;
  * the reading end of a pipe that nobody writes to, which programs that close all handles lose;
  * the limit on real-time CPU (RLIMIT_RTTIME, in microseconds), so high (36,000 years) that it limits nothing. It
    can be set only once the child runs; what the child forks before that has the pipe.
Elsewhere there is the variable alone, and nothing that reads it.

Why not a child subreaper (prctl PR_SET_CHILD_SUBREAPER): it would hand this process the orphans of all
its children, those of other libraries too, with nothing that says whose they are.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator

if sys.platform == "linux":
    import resource

MARKER = "HANDRAIL_CALL"
"""The variable that marks every process of one launch with that launch's own random value."""


class Mark:
    """Used as a context manager around the launch: the pipe is open within."""

    def __init__(self) -> None:
        self.value = secrets.token_hex(16)
        self.limit = 1 << 60 | int(self.value[:15], 16)
        """60 of the random bits, above 2**60."""
        self.handles: tuple[int, ...] = ()
        """For the child to inherit."""
        self._pipe = ""

    def __enter__(self) -> Mark:
        if sys.platform == "linux":
            read, write = os.pipe()
            os.close(write)
            self.handles = (read,)
            self._pipe = os.readlink(f"/proc/self/fd/{read}")
        return self

    def __exit__(self, *_: object) -> None:
        for handle in self.handles:
            os.close(handle)
        self.handles = ()

    def put_on(self, pid: int) -> None:
        """Sets the limit on a process that has just started, and on what it has started already.

        Left out where the limit is taken, as inside another launch of this kind: the hard one can't be raised.
        """
        if sys.platform == "linux":
            with contextlib.suppress(OSError):  # it has ended, or may not be touched
                soft, hard = resource.prlimit(pid, resource.RLIMIT_RTTIME)
                if hard != resource.RLIM_INFINITY:
                    return
                own = self.limit if soft == resource.RLIM_INFINITY else soft
                resource.prlimit(pid, resource.RLIMIT_RTTIME, (own, self.limit))
                for child in map(int, _read(pid, f"task/{pid}/children").split()):
                    self.put_on(child)

    def is_on(self, pid: int) -> bool:
        return (
            f"{MARKER}={self.value}".encode() in _read(pid, "environ").split(b"\0")
            or b" %d " % self.limit in _read(pid, "limits")
            or self._pipe in _inheritable(pid)
        )


def _read(pid: int, name: str) -> bytes:
    """A file of the process's own; empty where it is gone, hidden or not kept on this platform."""
    with contextlib.suppress(OSError), open(f"/proc/{pid}/{name}", "rb", buffering=0) as file:
        return file.read()
    return b""


def _inheritable(pid: int) -> Iterator[str]:
    """What those of its handles stand for that a program it starts would get, such as `pipe:[4711]`.

    The others don't count: a fork of this very process holds them too, until it runs another program.
    """
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/fd"):
            with contextlib.suppress(OSError):
                target = os.readlink(f"/proc/{pid}/fd/{name}")
                if target.startswith("pipe:") and not _flags(pid, name) & os.O_CLOEXEC:
                    yield target


def _flags(pid: int, handle: str) -> int:
    """As in proc(5), `fdinfo`: octal."""
    _, _, rest = _read(pid, f"fdinfo/{handle}").partition(b"flags:")
    return int(rest.split()[0], 8) if rest else os.O_CLOEXEC
