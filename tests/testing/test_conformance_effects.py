"""What a tool does against what it declares: each deed through the hook, the listing, or both."""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conformance_tools import problems_of, the_problem

from handrail.contract.basics import JsonObject
from handrail.contract.context import RunContext, Workspace
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.launching import LaunchSpec
from handrail.testing import FakeTool, assert_conforms

Deed = Callable[[Path], "Awaitable[object] | object"]

READS_TIDES = Claims(reads=(PathClaim("tides.txt"),))
READS_ALL = Claims(reads=(PathClaim(".", "tree"),))
WRITES_TIDES = Claims(writes=(PathClaim("tides.txt"),))
WRITES_DOCS = Claims(writes=(PathClaim("docs", "tree"),))
WRITES_NEW = Claims(writes=(PathClaim("new/deep/file.txt"),))


def doing(deed: Deed, claims: Claims = READS_TIDES) -> FakeTool:
    async def behaviour(params: JsonObject, context: RunContext) -> str:
        done = deed(context.workspace.root)
        if isinstance(done, Awaitable):
            await done
        return "done"

    return FakeTool("deed", behaviour, claims=claims)


def by_fd(root: Path) -> None:
    folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.unlink("tides.txt", dir_fd=folder)
    finally:
        os.close(folder)


def in_a_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def atomically(path: Path) -> None:
    with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as file:
        file.write("new")
    os.replace(file.name, path)


def scratch_file(root: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "scratch").write_text("1")
        (Path(folder) / "scratch").read_text()


async def pooled(work: Callable[[], object]) -> None:
    await asyncio.get_running_loop().run_in_executor(None, work)


def database(path: Path | str) -> None:
    sqlite3.connect(path, uri=True).close()


UNDECLARED = [
    pytest.param(lambda w: (w / "new.txt").write_text("x"), "created new.txt", id="creates a file"),
    pytest.param(lambda w: (w / "new.txt").touch(), "created new.txt", id="touches a file"),
    pytest.param(
        lambda w: (w / "tides.txt").write_text("Brest 5.2\nCalais 6.1\n"), "changed tides.txt", id="writes the same"
    ),
    pytest.param(
        lambda w: open(w / "tides.txt", "r+").close(), "opened for writing", id="opens to write, and does not"
    ),
    pytest.param(lambda w: (w / "docs/notes.md").unlink(), "removed docs/notes.md", id="removes a file"),
    pytest.param(lambda w: (w / "docs/notes.md").rename(w / "n.md"), "created n.md", id="renames a file"),
    pytest.param(lambda w: (w / "empty").mkdir(), "created empty", id="makes a folder"),
    pytest.param(lambda w: shutil.rmtree(w / "docs"), "removed docs", id="removes a tree"),
    pytest.param(lambda w: (w / "link").symlink_to("tides.txt"), "created link", id="links"),
    pytest.param(lambda w: (w / "link").hardlink_to(w / "tides.txt"), "created link", id="links hard"),
    pytest.param(lambda w: (w / "tides.txt").chmod(0o600), "changed tides.txt", id="changes permissions"),
    pytest.param(lambda w: os.utime(w / "tides.txt"), "changed tides.txt", id="changes the time"),
    pytest.param(lambda w: os.truncate(w / "tides.txt", 0), "changed tides.txt", id="empties a file"),
    pytest.param(by_fd, "removed tides.txt", id="removes by a folder's handle"),
    pytest.param(lambda w: database(w / "tides.db"), "tides.db", id="opens a database"),
    pytest.param(lambda w: database(f"file:{w}/tides.db"), "tides.db", id="opens a database by its address"),
    pytest.param(lambda w: asyncio.to_thread((w / "a").touch), "created a", id="in a thread"),
    pytest.param(lambda w: pooled((w / "a").touch), "created a", id="in the loop's pool"),
    pytest.param(lambda w: in_a_thread((w / "a").touch), "created a", id="in a thread of its own"),
]


@pytest.mark.parametrize(("deed", "said"), UNDECLARED)
async def test_a_tool_that_declares_reads_and_writes_is_a_problem(deed: Deed, said: str, harbour: Path) -> None:
    found = await problems_of(doing(deed, READS_ALL), {}, workspace=harbour)
    assert any(said in one for one in found), found
    assert all(one.startswith("effects: example 1 {} ") for one in found)
    assert all("which only declares reads" in one for one in found)


@pytest.mark.parametrize(
    "deed",
    [
        pytest.param(lambda w: (w / "../out.txt").write_text("x"), id="creates"),
        pytest.param(lambda w: asyncio.to_thread((w / "../out.txt").write_text, "x"), id="in a thread"),
        pytest.param(lambda w: pooled((w / "../out.txt").touch), id="in the loop's pool"),
        pytest.param(lambda w: in_a_thread((w / "../out.txt").touch), id="in a thread of its own"),
        pytest.param(lambda w: shutil.copy(w / "tides.txt", w.parent / "out.txt"), id="copies"),
        pytest.param(lambda w: (w / "tides.txt").rename(w.parent / "out.txt"), id="moves"),
        pytest.param(lambda w: (w.parent / "out.txt").symlink_to(w), id="links"),
    ],
)
async def test_what_is_written_outside_the_workspace_is_seen_too(deed: Deed, harbour: Path) -> None:
    found = await problems_of(doing(deed, Claims(writes=(PathClaim(".", "tree"),))), {}, workspace=harbour)
    assert any("/out.txt, whose effects don't hold that as written" in one for one in found)


async def test_what_a_relative_path_means_is_told_from_a_name_in_an_open_folder(
    harbour: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def in_an_open_folder(root: Path) -> None:
        folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
        os.close(os.open("tides.txt", os.O_WRONLY, dir_fd=folder))
        os.close(folder)

    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "tides.txt").touch()
    monkeypatch.chdir(tmp_path / "here")
    await assert_conforms(doing(in_an_open_folder, WRITES_TIDES), {}, workspace=harbour, cancellations=0)
    problem = await the_problem(doing(lambda _: Path("new.txt").touch(), WRITES_TIDES), {}, workspace=harbour)
    assert f"{tmp_path}/here/new.txt" in problem


@pytest.mark.parametrize(
    ("deed", "said"),
    [
        pytest.param(lambda w: (w / "docs/notes.md").read_text(), "read docs/notes.md", id="a file"),
        pytest.param(lambda w: os.listdir(w / "docs"), "read docs", id="a folder's names"),
        pytest.param(lambda w: list(os.scandir(w)), "read .", id="the workspace's names"),
        pytest.param(
            lambda w: asyncio.to_thread((w / "docs/notes.md").read_text), "read docs/notes.md", id="in a thread"
        ),
        pytest.param(lambda w: pooled((w / "docs/notes.md").read_text), "read docs/notes.md", id="in the loop's pool"),
        pytest.param(lambda w: Path("pyproject.toml").read_text(), "pyproject.toml", id="where the process stands"),
    ],
)
async def test_what_is_read_and_not_declared_is_a_problem(deed: Deed, said: str, harbour: Path) -> None:
    problem = await the_problem(doing(deed), {}, workspace=harbour)
    assert said in problem
    assert "which its effects don't hold as read" in problem


@pytest.mark.parametrize(
    ("deed", "claims"),
    [
        pytest.param(lambda w: (w / "tides.txt").read_text(), READS_TIDES, id="reads what it declares"),
        pytest.param(lambda w: (w / "docs/notes.md").read_text(), READS_ALL, id="reads below a tree"),
        pytest.param(lambda w: (w / "tides.txt").write_text("x"), WRITES_TIDES, id="writes what it declares"),
        pytest.param(lambda w: (w / "tides.txt").read_text(), WRITES_TIDES, id="reads what it may write"),
        pytest.param(lambda w: shutil.rmtree(w / "docs"), WRITES_DOCS, id="removes the tree it declares"),
        pytest.param(lambda w: (w / "docs/a/b").mkdir(parents=True), WRITES_DOCS, id="makes folders below"),
        pytest.param(lambda w: atomically(w / "tides.txt"), WRITES_TIDES, id="writes beside it, then renames"),
        pytest.param(lambda w: (w / "new/deep").mkdir(parents=True), WRITES_NEW, id="makes folders on the way"),
        pytest.param(lambda w: (w / "docs").mkdir(exist_ok=True), READS_TIDES, id="makes what is there"),
        pytest.param(lambda w: (w / "none").unlink(missing_ok=True), READS_TIDES, id="removes what is not there"),
        pytest.param(scratch_file, READS_TIDES, id="has a temporary folder for a while"),
        pytest.param(lambda w: importlib.reload(importlib.import_module("colorsys")), READS_TIDES, id="imports"),
        pytest.param(lambda w: Path(os.__file__).read_text(), READS_TIDES, id="reads the standard library"),
        pytest.param(lambda w: Path(pytest.__file__).read_text(), READS_TIDES, id="reads an installed package"),
        pytest.param(lambda w: database(":memory:"), READS_TIDES, id="has a database in memory"),
        pytest.param(lambda w: database(f"file:{w}/tides.txt?mode=ro"), READS_TIDES, id="reads a database"),
        pytest.param(lambda w: Path(os.devnull).write_text("x"), READS_TIDES, id="writes to nowhere"),
        pytest.param(lambda w: (w / "x").write_text("x"), Claims.unknown(), id="declares anything, and writes"),
        pytest.param(lambda w: subprocess.run([sys.executable, "-c", ""]), Claims.unknown(), id="or starts a program"),
    ],
)
async def test_what_is_declared_or_nobodys_business_passes(deed: Deed, claims: Claims, harbour: Path) -> None:
    await assert_conforms(doing(deed, claims), {}, workspace=harbour, cancellations=0)


async def test_a_link_is_held_by_its_own_name_and_by_what_it_leads_to(harbour: Path) -> None:
    (harbour / "link").symlink_to("tides.txt")
    claims = Claims(writes=(PathClaim("link"),))
    await assert_conforms(doing(lambda w: (w / "link").unlink(), claims), {}, workspace=harbour, cancellations=0)
    await assert_conforms(doing(lambda w: (w / "link").write_text("x"), claims), {}, workspace=harbour, cancellations=0)


async def test_a_temporary_file_that_stays_is_a_problem(
    harbour: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # what is left there goes with the test
    found = await problems_of(doing(lambda _: os.close(tempfile.mkstemp()[0])), {}, workspace=harbour)
    assert all("opened for writing, changed or removed" in one for one in found)


async def test_a_child_process_of_its_own_is_a_problem(harbour: Path) -> None:
    def starts(root: Path) -> None:
        subprocess.run([sys.executable, "-c", ""], check=True)

    problem = await the_problem(doing(starts), {}, workspace=harbour)
    assert problem == (
        f"effects: example 1 {{}} started {sys.executable} by itself. Take the Launcher, which can stop and confine it."
    )


async def test_what_a_child_process_writes_is_seen_in_the_workspace(harbour: Path) -> None:
    async def behaviour(params: JsonObject, context: RunContext) -> str:
        spec = LaunchSpec(("touch", "new.txt"), context.workspace.root, os.environ)
        await context.launcher.run(spec)
        return "done"

    tool = FakeTool("deed", behaviour, claims=READS_ALL)
    problem = await the_problem(tool, {}, workspace=harbour)
    assert "created new.txt, which only declares reads" in problem


@dataclass
class Port:
    server: socket.socket

    @property
    def number(self) -> int:
        return int(self.server.getsockname()[1])

    def connect(self, host: str) -> None:
        socket.create_connection((host, self.number)).close()

    async def connect_on_the_loop(self, host: str) -> None:
        _, writer = await asyncio.open_connection(host, self.number)
        writer.close()
        await writer.wait_closed()


@pytest.fixture
def port() -> Iterator[Port]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield Port(server)


HOSTS = ["127.0.0.1", "localhost"]


@pytest.mark.parametrize("host", HOSTS)
async def test_a_host_that_is_declared_may_be_connected_to(host: str, port: Port, harbour: Path) -> None:
    claims = Claims(connects=frozenset((host.upper(),)))
    for deed in (lambda _: port.connect(host), lambda _: port.connect_on_the_loop(host)):
        await assert_conforms(doing(deed, claims), {}, workspace=harbour, cancellations=0)
        anywhere = Claims(connects=frozenset("*"))
        await assert_conforms(doing(deed, anywhere), {}, workspace=harbour, cancellations=0)


@pytest.mark.parametrize("host", HOSTS)
async def test_a_host_that_is_not_declared_is_a_problem(host: str, port: Port, harbour: Path) -> None:
    claims = Claims(connects=frozenset(("tides.example",)))
    for deed in (lambda _: port.connect(host), lambda _: port.connect_on_the_loop(host)):
        found = await problems_of(doing(deed, claims), {}, workspace=harbour)
        assert all(one.endswith("a host that its effects don't hold. " + one.rpartition(". ")[2]) for one in found)
        assert any(host in one for one in found)


async def test_what_is_touched_before_anybody_allowed_it_is_a_problem(harbour: Path) -> None:
    class Peeks(FakeTool):
        async def check(self, params: JsonObject, workspace: Workspace) -> str | None:
            (workspace.root / "tides.txt").read_text()
            return None

    problem = await the_problem(Peeks("peeks", claims=READS_TIDES), {}, workspace=harbour)
    assert problem == ("effects: example 1 {} read tides.txt before anybody allowed it. Do that in run, not in check.")


async def test_what_a_cancelled_call_touches_counts_too(harbour: Path) -> None:
    async def confesses(root: Path) -> None:
        try:
            for _ in range(3):
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            (root / "log.txt").write_text("cancelled")
            raise

    found = await problems_of(doing(confesses), {}, workspace=harbour, cancellations=60)
    assert any("created log.txt, which only declares reads" in one for one in found)
    assert all(one.startswith("cancellation: example 1 {}, cancelled after step ") for one in found)


async def test_moving_the_whole_process_is_a_problem(harbour: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(harbour)  # so that it is undone
    problem = await the_problem(doing(lambda _: os.chdir("/"), Claims.unknown()), {}, workspace=harbour)
    assert "changed the working directory of the whole process to /" in problem


async def test_what_others_do_meanwhile_is_not_counted(harbour: Path, tmp_path: Path) -> None:
    running, stop = threading.Event(), threading.Event()

    def elsewhere() -> None:
        while not stop.is_set():
            (tmp_path / "elsewhere").write_text("x")
            running.set()

    async def also_elsewhere() -> None:
        here = contextvars.ContextVar("here")
        here.set(True)
        while True:
            (tmp_path / "also elsewhere").write_text("x")
            await asyncio.to_thread((tmp_path / "also elsewhere").write_text, "y")

    thread = threading.Thread(target=elsewhere)
    thread.start()
    task = asyncio.create_task(also_elsewhere())
    try:
        running.wait()
        tool = doing(lambda w: asyncio.to_thread((w / "tides.txt").read_text))
        await assert_conforms(tool, {}, workspace=harbour, cancellations=10)
    finally:
        stop.set()
        task.cancel()
        thread.join()


async def test_programs_are_free_to_read_but_for_secrets_among_them(
    harbour: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, temporary = tmp_path / "programs", tmp_path / "temporary"
    for folder in (programs, temporary):
        folder.mkdir()
    for name in ("readme", ".env", "id_rsa"):
        (programs / name).write_text("x")
    monkeypatch.setattr(sys, "prefix", str(programs))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    await assert_conforms(doing(lambda _: (programs / "readme").read_text()), {}, workspace=harbour, cancellations=0)
    for name in (".env", "id_rsa"):
        problem = await the_problem(doing(lambda _, name=name: (programs / name).read_text()), {}, workspace=harbour)
        assert f"read {programs}/{name}, which its effects don't hold as read" in problem


async def test_two_tools_may_be_tried_at_once(harbour: Path) -> None:
    def tried(path: str) -> Any:
        tool = doing(lambda w: asyncio.to_thread((w / path).read_text))
        return assert_conforms(tool, {}, workspace=harbour, cancellations=10)

    good, bad = await asyncio.gather(tried("tides.txt"), tried("docs/notes.md"), return_exceptions=True)
    assert not isinstance(good, BaseException)
    assert isinstance(bad, AssertionError)
