"""A person at a terminal: what stands on its screen, as `pyte` draws it, and what is typed."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Protocol

import pyte

HERE = Path(__file__).parent
SNAPSHOTS = HERE / "snapshots"
UPDATE = "HANDRAIL_UPDATE_SNAPSHOTS"

ON_TERMINAL = (
    "import os, sys; os.login_tty(int(sys.argv[1])); os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
)
PATIENCE = 30.0
"""Seconds until something that does not come is a failure."""
QUIET = 2.5
"""Seconds without a change after which a new snapshot is taken: longer than what goes away by itself stays."""

_VARYING = (
    (re.compile(r"\d+\.\d s\b|\b\d+ s\b"), "# s"),
    (re.compile(r"\b\d+k? tokens\b"), "# tokens"),
    (re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}"), "SESSION"),
)


class Child(Protocol):
    """A program that runs."""

    def kill(self) -> None: ...

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code."""
        ...


Start = Callable[[tuple[str, ...], dict[str, str], Path, int], Child]
"""Starts a program of these words with this environment, in this folder, at the terminal of this descriptor."""


def python(words: tuple[str, ...], env: dict[str, str], cwd: Path, terminal: int) -> Child:
    """`Start` of a new interpreter."""
    launcher = [sys.executable, "-c", ON_TERMINAL, str(terminal), *words]
    return subprocess.Popen(launcher, env=env, cwd=cwd, pass_fds=(terminal,))


class Screen:
    """A program at a pseudo-terminal of its own."""

    def __init__(
        self, *words: str, env: dict[str, str], cwd: Path, columns: int = 80, rows: int = 40, start: Start = python
    ) -> None:
        self.raw = ""
        """All that was written to the terminal."""
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._master, slave = pty.openpty()
        self._set_size(columns, rows)
        self._child = start(words, env, cwd, slave)
        os.close(slave)

    def __enter__(self) -> Screen:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self.kill()
        if self._master >= 0:
            os.close(self._master)

    @property
    def text(self) -> str:
        """What stands there, with what differs from run to run made the same."""
        text = "\n".join(line.rstrip() for line in self._screen.display).rstrip()
        for pattern, same in _VARYING:
            text = pattern.sub(same, text)
        return text

    @property
    def colours(self) -> set[str]:
        """Of all characters on the screen."""
        return {cell.fg for row in self._screen.buffer.values() for cell in row.values()}

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def paste(self, text: str) -> None:
        """As terminals do it that tell a paste from typing. Reads what is drawn meanwhile."""
        data = f"\x1b[200~{text}\x1b[201~".encode()
        while data:
            _, writable, _ = select.select([], [self._master], [], 0.05)
            data = data[os.write(self._master, data[:2048]) :] if writable else data
            self._read(0.0)

    def resize(self, columns: int, rows: int) -> None:
        self._screen.resize(rows, columns)
        self._set_size(columns, rows)

    def hang_up(self) -> int:
        """The terminal goes away. Gives the exit code of the program, which can show nothing any more."""
        os.close(self._master)
        self._master = -1
        return self._child.wait(PATIENCE)

    def kill(self) -> None:
        self._child.kill()
        self._child.wait()

    def until(self, text: str) -> None:
        """Waits until that stands on the screen."""
        self._wait(lambda: text in self.text, lambda: f"{text!r} did not come")

    def until_said(self, text: str) -> None:
        """As `until`, wherever lines are broken in it: paths that differ in length stand before it."""
        self._wait(lambda: text in " ".join(self.text.split()), lambda: f"{text!r} was not said")

    def until_gone(self, text: str) -> None:
        self._wait(lambda: text not in self.text, lambda: f"{text!r} is still there")

    def shows(self, name: str) -> None:
        """Waits until the screen is as in the snapshot of that name; with UPDATE set, makes that."""
        path = SNAPSHOTS / f"{name}.txt"
        if os.environ.get(UPDATE):
            self._settle()
            path.write_text(f"{self.text}\n")
        wanted = path.read_text().rstrip("\n")
        self._wait(lambda: self.text == wanted, lambda: f"this is not {path.name}:\n{wanted}")

    def end(self) -> int:
        """The exit code, once the program has ended."""
        end = time.monotonic() + PATIENCE
        while self._read(PATIENCE):
            assert time.monotonic() < end, f"it does not end; on the screen:\n{self.text}"
        return self._child.wait(PATIENCE)

    def _settle(self) -> None:
        """Until the screen has stayed the same for a while."""
        before, since = self.text, time.monotonic()
        while time.monotonic() - since < QUIET:
            self._read(0.1)
            if self.text != before:
                before, since = self.text, time.monotonic()

    def _wait(self, done: Callable[[], bool], wrong: Callable[[], str]) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            left = end - time.monotonic()
            more = left > 0 and self._read(left)
            assert more or done(), f"{wrong()}; on the screen:\n{self.text}"

    def _read(self, patience: float) -> bool:
        """Takes what was drawn; False where nothing came, or the program has ended."""
        if not select.select([self._master], [], [], patience)[0]:
            return False
        try:
            piece = os.read(self._master, 65_536)
        except OSError:  # the other end has closed
            return False
        self.raw += piece.decode("utf-8", "replace")
        self._stream.feed(piece)
        return bool(piece)

    def _set_size(self, columns: int, rows: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
