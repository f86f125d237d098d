"""Starts a command and takes its CPU time: to its end, or to the moment when it has done what is waited for."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import socket
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path

PATIENCE = 60.0
"""Seconds; a command that has not come so far by then is broken."""
_ROWS, _COLUMNS = 30, 100


class Starter:
    """Runs the interpreter of this environment in a folder of its own, with no settings but those of here."""

    def __init__(self, scratch: Path) -> None:
        self._workspace = scratch / "workspace"
        self._workspace.mkdir()
        # Variables of this shell that change how Python or Handrail start don't reach the child.
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "HANDRAIL"))}
        folders = {name: str(scratch / name) for name in ("HOME", "HANDRAIL_STATE", "HANDRAIL_CONFIG")}
        self._environment = {**kept, **folders, "TERM": "xterm-256color"}

    def to_its_end(self, arguments: Sequence[str]) -> float:
        child = self._start(arguments, subprocess.DEVNULL, {})
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise RuntimeError(f"{arguments} ended with {child.returncode}")
        return usage.ru_utime + usage.ru_stime

    def to_text(self, arguments: Sequence[str], text: bytes) -> float:
        """At a terminal, until this text stands on it."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
        child = self._start(arguments, slave, {"ANTHROPIC_API_KEY": "none"})
        os.close(slave)
        try:
            seen = b""
            while text not in seen:
                _await(master, arguments, seen)
                seen += os.read(master, 65536)
            return _killed(child)
        finally:
            os.close(master)

    def to_request(self, arguments: Sequence[str]) -> float:
        """Until the first byte has come to the model's provider."""
        with socket.create_server(("127.0.0.1", 0)) as server:
            address = f"http://127.0.0.1:{server.getsockname()[1]}"
            keys = {"ANTHROPIC_API_KEY": "none", "ANTHROPIC_BASE_URL": address}
            child = self._start(arguments, subprocess.DEVNULL, keys)
            _await(server.fileno(), arguments, b"")
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                return _killed(child)

    def _start(self, arguments: Sequence[str], stream: int, more: Mapping[str, str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, *arguments],
            env={**self._environment, **more},
            cwd=self._workspace,
            stdin=stream,
            stdout=stream,
            stderr=stream,
            start_new_session=True,
        )


def _await(descriptor: int, arguments: Sequence[str], seen: bytes) -> None:
    ready, _, _ = select.select([descriptor], [], [], PATIENCE)
    if not ready:
        raise RuntimeError(f"{arguments} did not come so far; it printed {seen!r}")


def _killed(child: subprocess.Popen[bytes]) -> float:
    """CPU time of a child that is ended now, with that of its own children that have ended."""
    child.kill()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime
