"""Servers as they are in the registries: discovered, called, followed, cancelled, and killed in mid-call."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp_world import ENVIRONMENT, PATIENCE, World, called, ready, text_of, until
from real_servers import javascript, python
from test_mcp_calls import Watching
from web_server import WebServer, answer

from handrail.contract.calls import Cancelled, Completed, Failed
from handrail.contract.events import ProgressMade
from handrail.contract.provider import Condition
from handrail.contract.results import ImagePart
from handrail.session import Session
from handrail.settings.mcp.server import Http, ServerConfig, Transport
from neutral_calls import calls

LONG = "mcp_s_trigger-long-running-operation"


@asynccontextmanager
async def session_of(world: World, transport: Transport, **options: Any) -> AsyncIterator[Session]:
    config: ServerConfig = world.config("s", {}, transport=transport, start_within=PATIENCE, **options)
    async with world.session(config) as session:
        await ready(session)
        yield session


def everything() -> Transport:
    return javascript("server-everything")


@dataclass
class AtAddress:
    """`server-everything` at a port of loopback, as one process after the other."""

    folder: Path
    speaks: Literal["streamableHttp", "sse"] = "streamableHttp"
    port: int = 0
    _process: asyncio.subprocess.Process | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/{'mcp' if self.speaks == 'streamableHttp' else 'sse'}"

    async def start(self) -> None:
        program = javascript("server-everything", self.speaks)
        if not self.port:
            with socket.create_server(("127.0.0.1", 0)) as free:
                self.port = free.getsockname()[1]
        environment = {**ENVIRONMENT, "PORT": str(self.port)}
        with (self.folder / "http.log").open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                program.command, *program.args, env=environment, stdout=log, stderr=log
            )
        await listening(self.port, self._process)

    async def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            await self._process.wait()
            self._process = None


@asynccontextmanager
async def at_address(server: AtAddress) -> AsyncIterator[AtAddress]:
    try:
        await server.start()
        yield server
    finally:
        await server.kill()


@pytest.fixture(params=["stdio", "http"])
async def everywhere(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Transport]:
    """`server-everything`, over standard input and output and at an address."""
    if request.param == "stdio":
        yield everything()
        return
    async with at_address(AtAddress(tmp_path)) as server:
        yield Http(server.url)


async def listening(port: int, process: asyncio.subprocess.Process) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            assert process.returncode is None
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)  # nothing tells when a foreign program listens
            else:
                writer.close()
                return


async def test_everything_is_called_and_gives_its_results(tmp_path: Path, everywhere: Transport) -> None:
    async with session_of(World(tmp_path), everywhere) as session:
        assert "Echo: ahoy" in text_of(await called(session, "mcp_s_echo", {"message": "ahoy"}))
        assert "12" in text_of(await called(session, "mcp_s_get-sum", {"a": 5, "b": 7}))
        weather = await called(session, "mcp_s_get-structured-content", {"location": "Chicago"})
        assert "temperature" in text_of(weather)
        image = await called(session, "mcp_s_get-tiny-image")
        assert isinstance(image, Completed)
        assert any(isinstance(part, ImagePart) for part in image.result.parts)
        wrong = await called(session, "mcp_s_get-sum", {"a": "five"})
        assert isinstance(wrong, Failed)


async def test_everything_tells_how_far_it_is(tmp_path: Path, everywhere: Transport) -> None:
    async with session_of(World(tmp_path), everywhere) as session:
        watching = Watching(session)
        state = await called(session, LONG, {"duration": 1, "steps": 4})
        assert "completed" in text_of(state)
        fractions = [fraction for fraction, _ in watching.progress if fraction is not None]
        assert fractions
        assert fractions == sorted(fractions)


async def test_everything_is_cancelled_in_mid_call(tmp_path: Path, everywhere: Transport) -> None:
    async with session_of(World(tmp_path), everywhere) as session:
        watching = Watching(session)
        long = calls((LONG, {"duration": 600, "steps": 6_000}))
        run = asyncio.create_task(session.run(long, turn="t"))
        await watching.told(lambda event: isinstance(event, ProgressMade))
        async with asyncio.timeout(PATIENCE):
            await session.cancel_turn("t")
            (state,) = (await run).calls
        assert isinstance(state, Cancelled)
        assert "Echo: still there" in text_of(await called(session, "mcp_s_echo", {"message": "still there"}))


async def test_everything_is_killed_in_mid_call_and_comes_back(tmp_path: Path) -> None:
    async with session_of(World(tmp_path), everything()) as session:
        watching = Watching(session)
        run = asyncio.create_task(session.run(calls((LONG, {"duration": 600, "steps": 6_000}))))
        await watching.told(lambda event: isinstance(event, ProgressMade))
        for pid in running("server-everything", tmp_path):
            os.kill(pid, signal.SIGKILL)
        async with asyncio.timeout(PATIENCE):
            (state,) = (await run).calls
        assert isinstance(state, Failed)
        assert state.fault.message.startswith("s was lost: it was ended by signal 9. Whether it did what was asked")
        assert "Echo: back" in text_of(await called(session, "mcp_s_echo", {"message": "back"}))
    assert not running("server-everything", tmp_path)


async def test_everything_is_killed_at_its_address_in_mid_call_and_comes_back(tmp_path: Path) -> None:
    async with at_address(AtAddress(tmp_path)) as server, session_of(World(tmp_path), Http(server.url)) as session:
        watching = Watching(session)
        run = asyncio.create_task(session.run(calls((LONG, {"duration": 600, "steps": 6_000}))))
        await watching.told(lambda event: isinstance(event, ProgressMade))
        await server.kill()
        async with asyncio.timeout(PATIENCE):
            (state,) = (await run).calls
        assert isinstance(state, Failed)
        # Lost, or without an answer to this: as the server's end comes before the end of the stream, or behind it.
        assert state.fault.message.startswith(("s was lost: ", "s gave no answer to tools/call: "))
        assert "Whether it did what was asked is not known" in state.fault.message
        down = await called(session, "mcp_s_echo", {"message": "down"})
        assert isinstance(down, Failed)
        assert "it can't be reached at" in down.fault.message
        await server.start()
        watching.events.clear()
        lost = await called(session, "mcp_s_echo", {"message": "lost"})
        assert isinstance(lost, Failed)
        assert "knows this session no more, and did nothing" in lost.fault.message
        assert "Echo: back" in text_of(await called(session, "mcp_s_echo", {"message": "back"}))
        assert not watching.progress


@pytest.mark.parametrize("kind", ["said", "found out"])
async def test_everything_is_spoken_to_by_the_older_transport(tmp_path: Path, kind: str) -> None:
    async with at_address(AtAddress(tmp_path, "sse")) as server:
        transport = Http(server.url, kind="sse") if kind == "said" else Http(server.url, or_older=True)
        async with session_of(World(tmp_path), transport) as session:
            assert "12" in text_of(await called(session, "mcp_s_get-sum", {"a": 5, "b": 7}))


def running(program: str, folder: Path) -> list[int]:
    """Processes of this program that were started in this folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            here = entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder)
            if here and program.encode() in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


async def test_the_server_of_files_reads_and_writes_in_its_folder_alone(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    world = World(folder)
    async with session_of(world, javascript("server-filesystem", str(folder))) as session:
        wrote = await called(session, "mcp_s_write_file", {"path": str(folder / "a.txt"), "content": "naïve\n"})
        assert isinstance(wrote, Completed)
        assert (folder / "a.txt").read_text() == "naïve\n"
        large = "0123456789" * 200_000
        await called(session, "mcp_s_write_file", {"path": str(folder / "large.txt"), "content": large})
        assert (folder / "large.txt").read_text() == large
        assert "naïve" in text_of(await called(session, "mcp_s_read_text_file", {"path": str(folder / "a.txt")}))
        outside = await called(session, "mcp_s_read_text_file", {"path": "/etc/hostname"})
        assert isinstance(outside, Failed)
        assert "outside allowed directories" in outside.fault.message


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    return tmp_path


async def test_the_server_of_git_looks_at_a_repository(repository: Path) -> None:
    async with session_of(World(repository), python("mcp-server-git")) as session:
        (repository / "new.txt").write_text("new\n")
        assert "new.txt" in text_of(await called(session, "mcp_s_git_status", {"repo_path": str(repository)}))
        await called(session, "mcp_s_git_add", {"repo_path": str(repository), "files": ["new.txt"]})
        staged = await called(session, "mcp_s_git_diff_staged", {"repo_path": str(repository)})
        assert "+new" in text_of(staged)


async def test_the_server_of_time_tells_it(tmp_path: Path) -> None:
    async with session_of(World(tmp_path), python("mcp-server-time")) as session:
        given = {"source_timezone": "Europe/London", "time": "12:00", "target_timezone": "Asia/Tokyo"}
        told = json.loads(text_of(await called(session, "mcp_s_convert_time", given)).split("\n\n")[-1])
        assert told["time_difference"] in ("+9.0h", "+8.0h")
        nowhere = await called(session, "mcp_s_get_current_time", {"timezone": "Nowhere/Land"})
        assert isinstance(nowhere, Failed)


async def test_the_server_of_pages_fetches_one(tmp_path: Path) -> None:
    server = WebServer()
    server.answers["/"] = answer(b"<html><body><h1>Tides</h1><p>High at noon.</p></body></html>", "text/html")
    listening_at = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    server.port = listening_at.sockets[0].getsockname()[1]
    fetch = python("mcp-server-fetch", "--ignore-robots-txt", "--allow-private-ips")
    async with listening_at, session_of(World(tmp_path), fetch) as session:
        page = await called(session, "mcp_s_fetch", {"url": server.url()})
        assert "High at noon" in text_of(page)


async def test_all_of_them_together_are_told_apart(tmp_path: Path) -> None:
    world = World(tmp_path)
    configs = [
        world.config("files", {}, transport=javascript("server-filesystem", str(tmp_path)), start_within=PATIENCE),
        world.config("every thing", {}, transport=everything(), start_within=PATIENCE),
        world.config("time", {}, transport=python("mcp-server-time"), start_within=PATIENCE),
    ]
    async with world.session(*configs) as session:
        for config in configs:
            await until(session, lambda status: status.condition is Condition.READY, config.name)
        names = [shown.name for shown in session.menu().tools]
        assert len(names) == len(set(names))
        assert {"mcp_files_read_text_file", "mcp_time_convert_time"} <= set(names)
    assert not running("server-", tmp_path)
