"""Starts `talk.py` at terminals: one process loads what it needs, and each terminal gets a fork of that one."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

LOADED = ("run", "prompt", "plain", "work", "commands", "asked")
"""Modules of the terminal that load most of the rest. That a program loads them itself is shown where one is started
anew."""
_LONGEST = 100_000
"""Bytes of a request."""


class Fork:
    """`screen.Child`. It is none of this process, and says itself how it ended."""

    def __init__(self, pid: int, ends: int) -> None:
        self._pid = pid
        self._ends = ends
        self._code: int | None = None

    def kill(self) -> None:
        if self._code is None:  # until the next one is started its id is nobody else's
            os.kill(self._pid, signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code; that of the signal where it could say none."""
        if self._code is None:
            assert select.select([self._ends], [], [], timeout)[0], "it does not end"
            self._code = int(os.read(self._ends, 100) or -signal.SIGKILL)
            os.close(self._ends)
        return self._code


class Stage:
    """The process that is forked, as tests see it."""

    def __init__(self) -> None:
        self._asks, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._process = subprocess.Popen([sys.executable, __file__, str(asked.fileno())], pass_fds=(asked.fileno(),))
        asked.close()

    def close(self) -> None:
        self._asks.close()
        self._process.wait()

    def start(self, words: tuple[str, ...], env: dict[str, str], cwd: Path, terminal: int) -> Fork:
        """`screen.Start`; the words are those of `talk.py`."""
        ends, end = os.pipe()
        socket.send_fds(self._asks, [json.dumps([words, env, str(cwd)]).encode()], [terminal, end])
        os.close(end)
        return Fork(int(self._asks.recv(100)), ends)


def main() -> None:
    asked = socket.socket(fileno=int(sys.argv[1]))
    for name in LOADED:
        import_module(f"handrail.surfaces.terminal.{name}")
    started = set[int]()
    while True:
        request, handed, _, _ = socket.recv_fds(asked, _LONGEST, 2)
        if not request:
            return
        started -= {pid for pid in started if os.waitpid(pid, os.WNOHANG)[0]}
        pid = os.fork()
        if not pid:
            asked.close()
            _play(*json.loads(request), *handed)
        started.add(pid)
        for descriptor in handed:
            os.close(descriptor)
        asked.send(str(pid).encode())


def _play(words: list[str], env: dict[str, str], cwd: str, terminal: int, end: int) -> NoReturn:
    """What a program finds when it begins: its terminal, its folder, its environment, its words."""
    os.set_inheritable(end, False)
    os.login_tty(terminal)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 (they stay open)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = ["talk.py", *words]
    code = 1
    try:
        code = import_module("talk").main()
    finally:
        with suppress(OSError):  # the terminal may have gone away
            if sys.exception() is not None:
                traceback.print_exc()
            sys.stdout.flush()
        os.write(end, str(code).encode())
        os._exit(code)


if __name__ == "__main__":
    main()
