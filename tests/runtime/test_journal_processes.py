"""Several processes with one journal: real sessions, at the same time and one after the other."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from journal_states import call

from handrail.contract.basics import Instant, SessionId
from handrail.runtime.audit import verify
from handrail.runtime.journal import SqliteJournal
from handrail.settings.places import journal_file

CHILD = Path(__file__).with_name("session_child.py")

CALLS_AT_ONCE = 40
TURNS = 3
SECONDS_VARIABLE = "HANDRAIL_LOAD_SECONDS"
"""Set it to 60 for the long form: turns go on for so long."""


class Child:
    """A session in a process of its own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid
        self.session = SessionId(self.line())

    def line(self) -> str:
        return self._process.stdout.readline().rstrip("\n")

    def ask(self, calls: int) -> None:
        self._process.stdin.write(f"{calls}\n")
        self._process.stdin.flush()

    def end(self) -> tuple[int, str]:
        """The exit code, and what was said on stderr."""
        _, said = self._process.communicate()
        return self._process.returncode, said


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@contextmanager
def child(workspace: Path, state: Path) -> Iterator[Child]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    environment = {**os.environ, "HANDRAIL_STATE": str(state)}
    with subprocess.Popen([sys.executable, str(CHILD), str(workspace)], env=environment, **pipes) as process:
        try:
            yield Child(process)
        finally:
            if process.poll() is None:
                process.kill()


def marks(workspace: Path) -> list[str]:
    return sorted(os.listdir(workspace / "marks"))


async def test_a_process_that_was_stopped_and_taken_over_starts_nothing_when_it_goes_on(workspace, state):
    path = journal_file(state, workspace)
    with child(workspace, state) as old:
        old.ask(2)
        # The first call is asked about; the other process that would approve it is not there, so it is left alone.
        with child(workspace, state) as approver:
            assert old.line() == "done; done"
            approver.end()
        before = marks(workspace)
        os.kill(old.pid, signal.SIGSTOP)
        new = await SqliteJournal.open(path, old.session, workspace=workspace, started=Instant(1.0), take_over=True)
        await new.durable(new.append(call(1)))
        old.ask(1)
        os.kill(old.pid, signal.SIGCONT)
        assert "was taken over by another process; nothing more is written or started here" in old.line()
        await new.durable(new.append(call(2)))
        await new.close()
        assert marks(workspace) == before
        old.end()
    assert all(not finding.flaws for finding in verify(path))


def test_two_processes_that_run_and_approve_at_once_lose_and_double_nothing(workspace, state):
    seconds = float(os.environ.get(SECONDS_VARIABLE, "0"))
    path = journal_file(state, workspace)
    turns = 0
    with ExitStack() as stack:
        pair = [stack.enter_context(child(workspace, state)) for _ in range(2)]
        deadline = time.monotonic() + seconds
        while turns < TURNS or time.monotonic() < deadline:
            turns += 1
            for each in pair:
                each.ask(CALLS_AT_ONCE)
            for each in pair:
                assert Counter(each.line().split("; ")) == {"done": CALLS_AT_ONCE}
        assert [each.end() for each in pair] == [(0, ""), (0, "")]
    calls = turns * CALLS_AT_ONCE
    assert marks(workspace) == sorted(f"{each.pid}-{number}" for each in pair for number in range(calls))
    with closing(sqlite3.connect(path)) as connection:
        for each in pair:
            rows = connection.execute("SELECT call, state FROM events WHERE session = ?", (each.session,)).fetchall()
            ways = Counter(rows)
            assert set(ways.values()) == {1}
            assert Counter(state for _, state in rows) == {
                "Pending": calls,
                "AwaitingApproval": calls // 4,
                "Approved": calls,
                "Executing": calls,
                "Completed": calls,
            }
        states = dict(connection.execute("SELECT state, count(*) FROM approvals GROUP BY state"))
        assert states == {"settled": 2 * calls // 4}
    assert {finding.session: finding.flaws for finding in verify(path)} == {each.session: () for each in pair}
