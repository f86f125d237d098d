"""Every server from the registries is cancelled and killed in mid-call: a server that is stopped takes long for any."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp_world import PATIENCE, World, called, ready
from real_servers import javascript, python
from test_mcp_calls import Watching
from test_mcp_real_servers import running

from handrail.contract.calls import Cancelled, Completed, Executing, Failed
from handrail.contract.events import CallChanged
from handrail.providers.mcp import restarts
from handrail.session import Session
from handrail.settings.mcp.server import Stdio
from neutral_calls import calls


@dataclass(frozen=True)
class Real:
    program: str
    """What stands in its command line."""
    made: Callable[[Path], Stdio]
    tool: str
    arguments: Callable[[Path], dict[str, Any]]


SERVERS = (
    Real(
        "server-everything",
        lambda folder: javascript("server-everything"),
        "echo",
        lambda folder: {"message": "ahoy"},
    ),
    Real(
        "server-filesystem",
        lambda folder: javascript("server-filesystem", str(folder)),
        "list_directory",
        lambda folder: {"path": str(folder)},
    ),
    Real("mcp_server_git", lambda folder: python("mcp-server-git"), "git_status", lambda f: {"repo_path": str(f)}),
    Real(
        "mcp_server_time",
        lambda folder: python("mcp-server-time"),
        "get_current_time",
        lambda folder: {"timezone": "Europe/London"},
    ),
    Real(
        "mcp_server_fetch",
        lambda folder: python("mcp-server-fetch", "--ignore-robots-txt", "--allow-private-ips"),
        "fetch",
        lambda folder: {"url": "http://127.0.0.1:9/"},
    ),
)
each_server = pytest.mark.parametrize("real", SERVERS, ids=lambda real: real.program)


@pytest.fixture(autouse=True)
def quick_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "FIRST", 0.01)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    return tmp_path


@asynccontextmanager
async def session_of(real: Real, folder: Path) -> AsyncIterator[Session]:
    world = World(folder)
    config = world.config("s", {}, transport=real.made(folder), start_within=PATIENCE)
    async with world.session(config) as session:
        await ready(session)
        yield session


@contextmanager
def stopped(real: Real, folder: Path) -> Iterator[list[int]]:
    """Its processes, which do nothing meanwhile."""
    pids = running(real.program, folder)
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield pids
    finally:
        for pid in pids:
            if pid in running(real.program, folder):
                os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def in_mid_call(session: Session, real: Real, folder: Path) -> AsyncIterator[asyncio.Task[Any]]:
    watching = Watching(session)
    run = asyncio.create_task(session.run(calls((f"mcp_s_{real.tool}", real.arguments(folder))), turn="t"))
    await watching.told(lambda event: isinstance(event, CallChanged) and isinstance(event.state, Executing))
    yield run
    assert run.done()


async def answered(session: Session, real: Real, folder: Path) -> None:
    """It does its work, or says that it can't: that it reaches no page is an answer, too."""
    state = await called(session, f"mcp_s_{real.tool}", real.arguments(folder))
    assert isinstance(state, Completed) or (isinstance(state, Failed) and "127.0.0.1" in state.fault.message), state


@each_server
async def test_it_is_cancelled_in_mid_call_and_serves_the_next(repository: Path, real: Real) -> None:
    async with session_of(real, repository) as session:
        with stopped(real, repository):
            async with in_mid_call(session, real, repository) as run, asyncio.timeout(PATIENCE):
                await session.cancel_turn("t")
                (state,) = (await run).calls
        assert isinstance(state, Cancelled)
        await answered(session, real, repository)
    assert not running(real.program, repository)


@each_server
async def test_it_is_killed_in_mid_call_and_comes_back(repository: Path, real: Real) -> None:
    async with session_of(real, repository) as session:
        with stopped(real, repository) as pids:
            async with in_mid_call(session, real, repository) as run, asyncio.timeout(PATIENCE):
                for pid in pids:
                    os.kill(pid, signal.SIGKILL)
                (state,) = (await run).calls
        assert isinstance(state, Failed)
        assert state.fault.message.startswith("s was lost: it was ended by signal 9. Whether it did what was asked")
        await answered(session, real, repository)
    assert not running(real.program, repository)
