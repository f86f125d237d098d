"""Learns in which folder a shell stands when it ends, whatever it prints, and however it ends.

bash tells it on a socket of its own, by a trap (`prelude.bash`). Where the kernel says who wrote to the socket, on
Linux, what others write there counts for nothing: programs that the command runs inherit the socket too. What is told
is only a claim all the same: whoever takes it looks whether the folder is there, and where.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import struct
import sys
from collections.abc import Mapping
from pathlib import Path

from handrail.contract.context import ShellState, Workspace
from handrail.runtime.names import shown_name

_PRELUDE = Path(__file__).with_name("prelude.bash")
_MAY_END_UNTOLD = re.compile(r"(?<![\w-])(?:exec|kill|pkill|killall|trap)(?![\w-])")
"""In a script that holds one of these words, bash may be replaced or killed, or its trap may be."""
_MOVES = re.compile(r"(?<![\w-])(?:cd|pushd|popd)(?![\w-])")
_LONGEST = 8_192
"""Bytes of one message, and of a name: PATH_MAX is 4,096."""
_CREDENTIALS = struct.Struct("3i")
"""pid, uid, gid: unix(7), SCM_CREDENTIALS."""


class Standing:
    """Used as a context manager around one command: the socket is open within."""

    def __init__(self, command: str) -> None:
        self.handles: tuple[int, ...] = ()
        """For the shell to inherit."""
        self.environment: Mapping[str, str] = {}
        """Variables that the shell needs."""
        self.folder: Path | None = None
        """The last one that was told; None where nothing was."""
        self._often = _MAY_END_UNTOLD.search(command) is not None
        self._pid = 0
        self._rest = b""
        self._ours: socket.socket | None = None
        self._its: socket.socket | None = None

    def __enter__(self) -> Standing:
        if sys.platform != "win32":
            self._ours, self._its = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._ours.setblocking(False)
            if sys.platform == "linux":
                self._ours.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            self.handles = (self._its.fileno(),)
            self.environment = {
                "BASH_ENV": str(_PRELUDE),
                "HANDRAIL_STANDS": str(self._its.fileno()),
                "HANDRAIL_TELLS": "often" if self._often else "at its end",
            }
        return self

    def of(self, pid: int) -> None:
        """The shell runs, as this process: only what it says itself counts."""
        self._pid = pid
        if self._its is not None and self._ours is not None:
            self._its.close()
            self._its = None
            asyncio.get_running_loop().add_reader(self._ours, self.listen)

    def listen(self) -> None:
        """Takes in what was told so far."""
        while self._ours is not None:
            try:
                data, ancillary, *_ = self._ours.recvmsg(_LONGEST, socket.CMSG_SPACE(_CREDENTIALS.size))
            except OSError:  # nothing more, for now or for ever
                return
            if _writer(ancillary, self._pid) == self._pid:
                self._take(data)

    def _take(self, data: bytes) -> None:
        """Names end with a NUL; one with line feeds comes in several messages."""
        *told, self._rest = (self._rest + data)[-_LONGEST:].split(b"\0")
        if told and os.path.isabs(told[-1]):
            self.folder = Path(os.fsdecode(told[-1]))

    def __exit__(self, *_: object) -> None:
        if self._ours is not None:
            asyncio.get_running_loop().remove_reader(self._ours)
        for end in (self._ours, self._its):
            if end is not None:
                end.close()
        self._ours = self._its = None


async def next_folder(standing: Standing, command: str, shell: ShellState, workspace: Workspace) -> str:
    """Has the session's shell stand where this one ended. A note for the model where that is not what it may expect."""
    standing.listen()
    before, told = shell.folder, standing.folder
    if told is None:
        moves = _MOVES.search(command) is not None
        return f"[Where it ended is not known: the next command starts in {shown_name(str(before))}.]" if moves else ""
    if not await shell.leave(told):
        why = f"It ended in {shown_name(str(told))}, which is outside the workspace, gone or closed to us"
        return f"[{why}: the next command starts in {shown_name(str(shell.folder))}.]"
    if shell.folder == before:
        return ""
    return f"[The next command starts in {shown_name(workspace.shown(shell.folder))}.]"


def _writer(ancillary: list[tuple[int, int, bytes]], otherwise: int) -> int:
    for _, _, data in ancillary if sys.platform == "linux" else ():
        if len(data) == _CREDENTIALS.size:
            return int(_CREDENTIALS.unpack(data)[0])
    return otherwise
