"""The first result of a session: `python -m bench._first_result FOLDER SERVER…`.

Opens a session in the folder, with these servers if any, and reads a file with the built-in tool. Prints `done` as
soon as the result is there; how long that took since the program was started is for whoever started it to say.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from handrail.contract.calls import Completed
from handrail.contract.context import Workspace
from handrail.contract.provider import Provider
from handrail.policy import Mode
from handrail.runtime.parts import Parts
from handrail.sandbox.none import PlainLauncher
from handrail.session import Session
from handrail.testing import MemoryJournal

CALL = {"calls": [{"id": "c1", "name": "read_file", "arguments": {"file_path": "a.txt"}}]}


def servers(folder: Path, kinds: list[str], launcher: PlainLauncher) -> list[Provider]:
    if not kinds:
        return []
    from handrail.providers.mcp.around import Around
    from handrail.providers.mcp.offering import Offering
    from handrail.providers.mcp.server import McpServer
    from handrail.settings.mcp.server import ServerConfig, Stdio

    names = [f"s{number}" for number, _ in enumerate(kinds)]
    around, offering = Around(launcher, Workspace(folder), os.environ), Offering(names)
    return [
        McpServer(
            ServerConfig(name, Stdio(sys.executable, ("-m", "bench._mcp_servers", kind), cwd=os.getcwd()), "bench"),
            around,
            offering,
        )
        for name, kind in zip(names, kinds, strict=True)
    ]


async def main(folder: Path, kinds: list[str]) -> None:
    launcher = PlainLauncher()
    parts = Parts(providers=servers(folder, kinds, launcher), launcher=launcher, journal=MemoryJournal())
    async with Session.open(folder, mode=Mode.BYPASS, parts=parts) as session:
        turn = await session.run(CALL)
        if not isinstance(turn.calls[0], Completed):
            raise RuntimeError(f"the file was not read: {turn.calls[0]}")
        print("done", flush=True)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
