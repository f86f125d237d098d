"""Sessions with servers of which a test says what they do."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from handrail.contract.calls import CallState, Completed, Failed
from handrail.contract.context import Workspace
from handrail.contract.provider import Condition, SourceStatus
from handrail.contract.results import TextPart
from handrail.contract.sampling import Sampler
from handrail.policy import Mode, Rule
from handrail.providers.mcp.around import Around
from handrail.providers.mcp.offering import Offering
from handrail.providers.mcp.server import McpServer
from handrail.runtime.parts import Parts
from handrail.sandbox.none import PlainLauncher
from handrail.session import Session
from handrail.settings.mcp.server import ServerConfig, Stdio
from handrail.testing import FakeTool, MemoryJournal
from neutral_calls import calls

PATIENCE = 60
"""Seconds after which a test that waits has failed."""
PLAIN_SERVER = Path(__file__).with_name("plain_server.py")
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}

_MARKED = re.compile(r"<(server_result_\w+) [^\n]*\n(.*)\n</\1>", re.DOTALL)

Script = dict[str, Any]


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": f"Does {name}.", "inputSchema": {"type": "object"}, **more}


@dataclass
class World:
    """A folder for scripts and what servers write."""

    folder: Path
    servers: list[McpServer] = field(default_factory=list)
    offering: Offering = field(default_factory=Offering)
    sampler: Sampler | None = None

    def around(self) -> Around:
        return Around(PlainLauncher(), Workspace(self.folder), ENVIRONMENT, self.sampler, self.folder / "state")

    def config(self, name: str, script: Script, **options: Any) -> ServerConfig:
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(script))
        transport = Stdio(sys.executable, ("-S", str(PLAIN_SERVER), str(path)))
        return replace(ServerConfig(name, transport, "a test"), **options)

    def server(self, config: ServerConfig) -> McpServer:
        made = McpServer(config, self.around(), self.offering)
        self.servers.append(made)
        return made

    @asynccontextmanager
    async def session(
        self, *configs: ServerConfig, mode: Mode = Mode.BYPASS, rules: Sequence[Rule] = (), **parts: Any
    ) -> AsyncIterator[Session]:
        given = Parts(
            tools=parts.pop("tools", (FakeTool("own"),)),
            providers=[self.server(config) for config in configs],
            journal=MemoryJournal(),
            **parts,
        )
        async with Session.open(self.folder, mode=mode, rules=rules, parts=given) as session:
            yield session


async def until(session: Session, wanted: Callable[[SourceStatus], bool], name: str = "") -> SourceStatus:
    """The first status of a source that is as wanted: now, or as soon as it is told."""
    async with asyncio.timeout(PATIENCE):
        while True:
            for status in session.sources():
                if name in ("", status.name) and wanted(status):
                    return status
            await told(session)


async def told(session: Session) -> None:
    """The next event of the session."""
    heard = asyncio.Event()
    end = session.subscribe(lambda event: heard.set())
    try:
        await heard.wait()
    finally:
        end()


async def ready(session: Session, name: str = "") -> SourceStatus:
    return await until(session, lambda status: status.condition is Condition.READY, name)


async def called(session: Session, tool: str, arguments: dict[str, Any] | None = None) -> CallState:
    async with asyncio.timeout(PATIENCE):
        turn = await session.run(calls((tool, arguments or {})))
    (state,) = turn.calls
    return state


def text_of(state: CallState) -> str:
    """What the server said in its result; without one, why there is none."""
    assert isinstance(state, (Completed, Failed)), state
    text = "\n".join(part.text for part in state.result.parts if isinstance(part, TextPart))
    marked = _MARKED.search(text)
    return marked[2] if marked else state.fault.message if isinstance(state, Failed) else text
