"""Lives of processes, one after the other: each forked from a process that has loaded everything already.

As a program it is that process: it reads an order a line, and answers each with how the life ended.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from moments import DEATH, LIMIT, Fault, Moments, full_disk, locked
from one_life import Life, Place

from handrail.settings.places import STATE_VARIABLE, journal_file
from handrail.wire import Wire

LONGEST_LIFE = 120
"""Seconds after which one that hangs is ended, as its status tells."""

TESTS = Path(__file__).parents[1]


class Lives:
    """Starts them. `counts` says how often each moment comes in a life that nothing strikes."""

    def __init__(self) -> None:
        found = os.pathsep.join(filter(None, (str(TESTS), os.environ.get("PYTHONPATH", ""))))
        environment = {**os.environ, "PYTHONPATH": found}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen([sys.executable, __file__], env=environment, **pipes)
        self.counts: dict[str, int] = self._answer()

    def live(self, place: Place, wire: Wire, kind: str = "", at: int = 0, fault: str = "death") -> int:
        """One life to its end, struck at the `at`-th moment of a kind. Gives its exit status, negative for a signal.

        `fault`: "death"; "limit", the journal's file may not grow; "full disk"; "lock", another process holds it.
        """
        order = {"folder": str(place.folder), "wire": wire, "kind": kind, "at": at, "fault": fault}
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        status: int = self._answer()
        return status

    def _answer(self) -> Any:
        line = self._process.stdout.readline()
        assert line, "the process that starts lives has ended"
        return json.loads(line)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(_warmed_up(Place(Path(folder)))), flush=True)
    for line in sys.stdin:
        print(_life(json.loads(line)), flush=True)


def _warmed_up(place: Place) -> dict[str, int]:
    """Loads all that a life needs, by living one."""
    place.make()
    moments = Moments(DEATH)
    _live(place, Wire.ANTHROPIC, moments)
    return dict(moments.counts)


def _life(order: dict[str, Any]) -> int:
    place = Place(Path(order["folder"]))
    ours, theirs = socket.socketpair()
    child = os.fork()
    if child == 0:
        ours.close()
        signal.alarm(LONGEST_LIFE)
        fault = _fault(order["fault"], place, theirs)
        _live(place, Wire(order["wire"]), Moments(fault, order["kind"], order["at"]))
        os._exit(0)  # what it raises ends it too, and is printed
    theirs.close()
    _lock_when_asked(ours, journal_file(place.state, place.workspace))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _fault(name: str, place: Place, other: socket.socket) -> Fault:
    match name:
        case "lock":
            return locked(other)
        case "full disk":
            return full_disk(place.filler)
        case "limit":
            return LIMIT
        case _:
            return DEATH


def _live(place: Place, wire: Wire, moments: Moments) -> None:
    os.environ[STATE_VARIABLE] = str(place.state)
    life = Life(place, wire, moments)
    with moments.watched(life.begun):
        asyncio.run(life.go_on())


def _lock_when_asked(other: socket.socket, journal: Path) -> None:
    """Holds the lock until the other process has ended, however it does."""
    with closing(other), ExitStack() as held:
        while other.recv(16):
            if journal.exists():
                lock = held.enter_context(closing(sqlite3.connect(journal, isolation_level=None)))
                lock.execute("BEGIN IMMEDIATE")
            other.sendall(b"!")


if __name__ == "__main__":
    main()
