"""A session, and the process, can end while servers start: then nobody waits for what nobody wants any more."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from mcp_world import ENVIRONMENT, PATIENCE, World, ready, tool

from handrail.contract.launching import Finished, LaunchSpec
from handrail.providers.mcp import stdio
from handrail.providers.mcp.stdio import stdio_channel
from handrail.sandbox.none import PlainLauncher

DEAF = ("sh", "-c", "echo there >&2; exec sleep 600")
"""Doesn't care that its input was closed."""
KIND = ("sh", "-c", 'trap "echo asked >asked; exit 0" TERM; echo there >&2; while :; do sleep 0.02; done')


@pytest.mark.parametrize("argv", [DEAF, KIND], ids=["deaf", "kind"])
async def test_a_server_that_has_not_said_hello_is_asked_to_end_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...]
) -> None:
    monkeypatch.setattr(stdio, "CLOSING_GRACE", 10 * PATIENCE)
    there = asyncio.Event()
    spec = LaunchSpec(argv, tmp_path, ENVIRONMENT, on_error=lambda piece: there.set())
    async with asyncio.timeout(PATIENCE):
        async with stdio_channel(PlainLauncher(), spec, lambda line: None):
            await there.wait()
    assert (tmp_path / "asked").exists() == (argv == KIND)


async def test_one_that_has_said_hello_may_end_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "CLOSING_GRACE", PATIENCE)
    world = World(tmp_path)
    ended: list[str] = []

    def noted(finished: Finished) -> str:
        ended.append(how(finished))
        return ended[-1]

    how = stdio._how
    monkeypatch.setattr(stdio, "_how", noted)
    async with world.session(world.config("s", {"tools": [tool("one")]})) as session:
        await ready(session)
    assert ended == ["it ended with exit code 0"]


def test_a_process_that_ends_waits_for_one_module_of_a_load_at_most(tmp_path: Path) -> None:
    (tmp_path / "first.py").write_text("import gate; gate.reached.set(); gate.go.wait(); import second")
    (tmp_path / "second.py").write_text("print('second was loaded')")
    (tmp_path / "gate.py").write_text("import threading; reached, go = threading.Event(), threading.Event()")
    (tmp_path / "ends.py").write_text(
        """
import asyncio, sys
import gate
from importlib import import_module
from handrail.__main__ import main
from handrail.providers.mcp.sdk import aside

async def session():
    load = asyncio.create_task(aside(import_module, "first"))
    later = asyncio.create_task(aside(print, "more was done"))
    await asyncio.to_thread(gate.reached.wait)
    for task in load, later:
        task.cancel()
    await asyncio.wait((load, later))

asyncio.run(session())
sys.argv = ["handrail", "--help"]
try:
    main()
finally:
    gate.go.set()
"""
    )
    done = subprocess.run(
        [sys.executable, "ends.py"],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "Usage: handrail" in done.stdout
    assert "second was loaded" not in done.stdout
    assert "more was done" not in done.stdout
