"""A command at a real pseudo-terminal, which is its controlling one."""

from __future__ import annotations

import codecs
import os
import pty
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType

ON_TERMINAL = """
import fcntl, os, sys, termios
os.setsid()
terminal = int(sys.argv[1])
fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
for descriptor in (0, 1, 2):
    os.dup2(terminal, descriptor)
os.execv(sys.executable, [sys.executable, "-m", "handrail", *sys.argv[2:]])
"""
PATIENCE = 30.0
"""Seconds until a text that does not come is a failure."""


class Terminal:
    """Types and reads as a person would."""

    def __init__(self, *arguments: str, env: dict[str, str], cwd: Path) -> None:
        self._screen = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        """A piece may end in the middle of a character."""
        self._master, slave = pty.openpty()
        self._child = subprocess.Popen(
            [sys.executable, "-c", ON_TERMINAL, str(slave), *arguments], env=env, cwd=cwd, pass_fds=(slave,)
        )
        os.close(slave)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait()
        os.close(self._master)

    def until(self, text: str) -> str:
        """All that was printed since the last call, up to and with `text`."""
        while text not in self._screen:
            self._screen += self._decoder.decode(self._piece(text))
        seen, _, self._screen = self._screen.partition(text)
        return seen + text

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def kill(self) -> None:
        self._child.kill()

    def end(self) -> tuple[int, str]:
        """The exit code, and what was printed last."""
        while piece := self._piece(None):
            self._screen += self._decoder.decode(piece)
        return self._child.wait(PATIENCE), self._screen

    def _piece(self, wanted: str | None) -> bytes:
        """What was printed next; nothing where it has ended, and no text is waited for."""
        ready, _, _ = select.select([self._master], [], [], PATIENCE)
        assert ready, f"{wanted!r} did not come; on the screen:\n{self._screen}"
        try:
            piece = os.read(self._master, 65536)
        except OSError:  # the other end has closed
            piece = b""
        assert piece or wanted is None, f"it ended before {wanted!r} came; on the screen:\n{self._screen}"
        return piece
