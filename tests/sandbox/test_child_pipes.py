"""What can be done to a child that runs: its input fed, its output held back, its end asked for."""

from __future__ import annotations

import asyncio
import os
from dataclasses import replace
from pathlib import Path

import pytest

from handrail.contract.launching import Child, Finished, LaunchSpec
from handrail.sandbox import none
from handrail.sandbox.none import PlainLauncher
from handrail.sandbox.pipes import MOST_UNREAD

HANG = 60


class Started:
    """A launch, and the child of it once it runs."""

    def __init__(self, folder: Path, script: str, **options: object) -> None:
        self.seen = b""
        self.news = asyncio.Event()
        self._child: asyncio.Future[Child] = asyncio.get_running_loop().create_future()
        spec = LaunchSpec(("bash", "-c", script), folder, {"PATH": os.environ["PATH"]}, on_start=self._child.set_result)
        self.task = asyncio.create_task(PlainLauncher().run(replace(spec, **options), self._feed))

    async def child(self) -> Child:
        return await self._child

    async def printed(self, text: bytes) -> None:
        while text not in self.seen:
            self.news.clear()
            await self.news.wait()

    async def ended(self) -> Finished:
        async with asyncio.timeout(HANG):
            return await self.task

    def _feed(self, piece: bytes) -> None:
        self.seen += piece
        self.news.set()


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(none, "TERM_GRACE", 0.2)


async def test_what_is_sent_arrives_and_the_end_of_input_after_it(tmp_path: Path) -> None:
    launch = Started(tmp_path, 'while read -r line; do echo "got $line"; done; echo over', stdin="open")
    child = await launch.child()
    assert child.send(b"one\ntwo\n")
    async with asyncio.timeout(HANG):
        await launch.printed(b"got two\n")
    child.end_input()
    finished = await launch.ended()
    assert (finished.ending, finished.exit_code) == ("exited", 0)
    assert launch.seen == b"got one\ngot two\nover\n"
    assert not child.send(b"late\n")


async def test_a_closed_input_takes_nothing(tmp_path: Path) -> None:
    launch = Started(tmp_path, "read -r line; echo $?")
    assert not (await launch.child()).send(b"x\n")
    await launch.ended()
    assert launch.seen == b"1\n"


async def test_what_a_child_does_not_read_waits_in_bounded_memory(tmp_path: Path) -> None:
    launch = Started(tmp_path, "sleep 1000", stdin="open")
    child = await launch.child()
    assert not child.send(b"x" * (MOST_UNREAD + 1))
    sent = 0
    while child.send(b"x" * 100_000):
        sent += 100_000
        assert sent < 10 * MOST_UNREAD
    child.stop()
    await launch.ended()


async def test_output_that_is_held_makes_the_child_wait_and_is_lost_to_nobody(tmp_path: Path) -> None:
    launch = Started(tmp_path, "head -c 5000000 /dev/zero; touch done")
    child = await launch.child()
    child.hold_output()
    while len(launch.seen) < 5_000_000:
        before = len(launch.seen)
        child.take_output()
        async with asyncio.timeout(HANG):
            launch.news.clear()
            await launch.news.wait()
        child.hold_output()
        assert len(launch.seen) > before
    child.take_output()
    assert (await launch.ended()).exit_code == 0
    assert len(launch.seen) == 5_000_000


async def test_output_held_at_the_end_is_waited_for(tmp_path: Path) -> None:
    launch = Started(tmp_path, "echo last words")
    child = await launch.child()
    child.hold_output()
    asyncio.get_running_loop().call_later(2 * none.LINGER, child.take_output)
    await launch.ended()
    assert launch.seen == b"last words\n"


async def test_a_child_that_is_stopped_ends_as_stopped_with_all_that_came_from_it(tmp_path: Path) -> None:
    launch = Started(tmp_path, "trap '' TERM; (setsid sleep 1000 & echo $! >pid); echo ready; sleep 1000")
    child = await launch.child()
    async with asyncio.timeout(HANG):
        await launch.printed(b"ready")
    child.stop()
    finished = await launch.ended()
    assert (finished.ending, finished.exit_code, finished.signal, finished.left) == ("stopped", None, None, 0)
    assert finished.stopped >= 1
    child.stop()  # says nothing to a child that has ended


async def test_a_child_that_has_ended_by_itself_was_not_stopped(tmp_path: Path) -> None:
    launch = Started(tmp_path, "sleep 1000 >/dev/null 2>&1 & exit 3")
    child = await launch.child()
    finished = await launch.ended()
    child.stop()
    assert (finished.ending, finished.exit_code, finished.stopped) == ("exited", 3, 1)


async def test_a_child_inherits_the_handles_it_is_given(tmp_path: Path) -> None:
    read, write = os.pipe()
    try:
        launch = Started(tmp_path, f"echo hello >&{write}", handles=(write,))
        await launch.ended()
        assert os.read(read, 100) == b"hello\n"
    finally:
        os.close(read)
        os.close(write)
