from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from handrail.sandbox.marks import Mark
from handrail.sandbox.watchdog import Watchdog

HANG = 60
"""Seconds after which a test that would wait for ever fails."""

RUNTIME = """
import asyncio, sys
from pathlib import Path
from handrail.contract.launching import LaunchSpec
from handrail.sandbox.none import PlainLauncher

script = sys.argv[1]
spec = LaunchSpec(("bash", "-c", script), Path.cwd(), {"PATH": sys.argv[2]})
asyncio.run(PlainLauncher().run(spec, lambda piece: print(piece.decode(), end="", flush=True)))
"""
"""Runs a script and passes on what it prints."""

FAMILIES = {
    "child": "echo $$; exec sleep 1000",
    "ignores SIGTERM": "trap '' TERM; echo $$; sleep 1000; :",
    "grandchild": "sleep 1000 & echo $!; wait",
    "stopped": "sleep 1000 & kill -STOP $!; echo $!; wait",
    "own session": "setsid bash -c 'echo $$; exec sleep 1000' & wait",
    "forked twice, own session": "(setsid bash -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' &); sleep 1000",
    "forked twice, without environment": "sleep 0.2; (env -i setsid bash -c 'echo $$; exec sleep 1000' &); sleep 1000",
}
"""Each prints the pid of the one that must not stay."""


@contextlib.contextmanager
def watched(pid: int) -> Iterator[int]:
    handle = os.pidfd_open(pid)
    try:
        yield handle
    finally:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        os.close(handle)


def has_ended(handle: int) -> bool:
    return bool(select.select([handle], [], [], HANG)[0])


@pytest.mark.skipif(sys.platform != "linux", reason="pidfd, and marks that can be read, are Linux's own")
@pytest.mark.parametrize("script", FAMILIES.values(), ids=FAMILIES.keys())
def test_what_runs_when_the_runtime_is_killed_is_killed_too(script: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUNTIME, script, os.environ["PATH"]]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=tmp_path, start_new_session=True) as runtime:
        assert runtime.stdout is not None
        with watched(int(runtime.stdout.readline())) as descendant:
            os.killpg(runtime.pid, signal.SIGKILL)
            assert has_ended(descendant)


SEES_NOTHING_AT_FIRST = """#!/bin/sh
echo >>"${0%/*}/looks"
[ "$(wc -l <"${0%/*}/looks")" -gt 2 ] && exec {grep} "$@"
exit 1
"""
"""A look is two searches."""


@pytest.mark.skipif(sys.platform != "linux", reason="pidfd, and marks that can be read, are Linux's own")
def test_that_there_is_nobody_left_is_not_believed_at_the_first_look(tmp_path: Path) -> None:
    grep = tmp_path / "grep"
    grep.write_text(SEES_NOTHING_AT_FIRST.replace("{grep}", shutil.which("grep") or ""))
    grep.chmod(0o755)
    command = [sys.executable, "-c", RUNTIME, FAMILIES["own session"], os.environ["PATH"]]
    variables = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, cwd=tmp_path, env=variables, start_new_session=True
    ) as runtime:
        assert runtime.stdout is not None
        with watched(int(runtime.stdout.readline())) as descendant:
            os.killpg(runtime.pid, signal.SIGKILL)
            assert has_ended(descendant)


def test_a_watchdog_leaves_what_it_was_told_to_forget() -> None:
    dog = Watchdog()
    with subprocess.Popen(["sleep", "1000"], start_new_session=True) as kept:
        dog.watch(kept.pid, Mark())
        dog.forget(kept.pid)
        del dog
        assert kept.poll() is None
        kept.kill()


def test_a_watchdog_is_gone_with_its_owner() -> None:
    before = children()
    dog = Watchdog()
    assert children() == before
    with subprocess.Popen(["true"], start_new_session=True) as child:
        dog.watch(child.pid, Mark())
        assert len(children() - before) == 2
        dog.forget(child.pid)
    del dog
    assert children() == before


def children() -> set[str]:
    return {pid for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}
