"""Runs the command in forks of one process that has loaded it: loading is most of what a short run takes.

For tests of what many runs do one after the other. That a run loads all it needs itself is shown where it is started
anew, by `command.handrail`.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile

from command import Ran, environment

LOADED = (
    "handrail.agent.agent",
    "handrail.agent.models.http_model",
    "handrail.surfaces.cli.approvals_commands",
    "handrail.surfaces.cli.audit_commands",
    "handrail.surfaces.cli.config_commands",
    "handrail.surfaces.cli.doctor_command",
    "handrail.surfaces.cli.exec_report",
    "handrail.surfaces.cli.grants_commands",
    "handrail.surfaces.cli.hints",
    "handrail.surfaces.cli.init_command",
    "handrail.surfaces.cli.mcp_editing",
    "handrail.surfaces.cli.mcp_listing",
    "handrail.surfaces.cli.mcp_testing",
    "handrail.surfaces.cli.policies",
    "handrail.surfaces.cli.policy_commands",
    "handrail.surfaces.cli.run_command",
    "handrail.surfaces.cli.sessions_commands",
    "handrail.surfaces.cli.tools_command",
    "handrail.surfaces.cli.trust_commands",
    "handrail.surfaces.cli.turn_text",
    "handrail.providers.folder",
    "handrail.sandbox.none",
    "handrail.session",
    "handrail.tools.write_file",
    "handrail.wire.codecs",
    "handrail.wire.read",
)
"""Modules that load most of what a short run does."""
_LONGEST = 200_000
"""Bytes of a request."""
_PATIENCE = 60.0
"""Seconds until a run that does not end is a failure."""


class Loaded:
    """The process that is forked, as tests see it. One run at a time."""

    def __init__(self) -> None:
        self._asks, asked = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._asks.settimeout(_PATIENCE)
        command = [sys.executable, __file__, str(asked.fileno())]
        self._process = subprocess.Popen(command, pass_fds=(asked.fileno(),))
        asked.close()

    def close(self) -> None:
        self._asks.close()
        self._process.wait(_PATIENCE)

    def handrail(self, *arguments: str, state: Path, stdin: str = "", cwd: Path | None = None) -> Ran:
        """As `command.handrail`."""
        with TemporaryFile("w+") as given, TemporaryFile("w+") as out, TemporaryFile("w+") as err:
            given.write(stdin)
            given.seek(0)
            request = json.dumps([arguments, environment(state), str(cwd or Path.cwd())]).encode()
            socket.send_fds(self._asks, [request], [file.fileno() for file in (given, out, err)])
            code = int(self._asks.recv(100))
            out.seek(0)
            err.seek(0)
            return Ran(code, out.read(), err.read())


def main() -> None:
    asked = socket.socket(fileno=int(sys.argv[1]))
    for name in LOADED:
        import_module(name)
    while True:
        request, streams, _, _ = socket.recv_fds(asked, _LONGEST, 3)
        if not request:
            return
        pid = os.fork()
        if not pid:
            asked.close()
            _play(*json.loads(request), *streams)
        for descriptor in streams:
            os.close(descriptor)
        asked.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def _play(words: list[str], env: dict[str, str], cwd: str, *streams: int) -> None:
    """What a program finds when it begins: its session, its streams, its folder, its environment, its words."""
    os.setsid()
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 (they stay open)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    program = import_module("handrail.__main__")
    sys.argv = [str(program.__file__), *words]
    sys.path[0] = cwd
    program.main()


if __name__ == "__main__":
    main()
