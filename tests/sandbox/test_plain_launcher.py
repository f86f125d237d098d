from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path

import pytest

from handrail.contract.launching import Finished, LaunchSpec
from handrail.errors import LauncherError
from handrail.sandbox import none
from handrail.sandbox.marks import MARKER
from handrail.sandbox.none import PlainLauncher

HANG = 60
"""Seconds after which a test that would wait for ever fails."""


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(none, "TERM_GRACE", 0.2)


def spec(folder: Path, script: str, *, seconds: float | None = None, keep: int = 100_000) -> LaunchSpec:
    return LaunchSpec(("bash", "-c", script), folder, {"PATH": os.environ["PATH"]}, timeout=seconds, keep_output=keep)


async def run(folder: Path, script: str, *, seconds: float | None = None, keep: int = 100_000) -> Finished:
    async with asyncio.timeout(HANG):
        return await PlainLauncher().run(spec(folder, script, seconds=seconds, keep=keep))


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def noted_pids(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "pids").read_text().split()]


@dataclass(frozen=True)
class Ending:
    id: str
    script: str
    ending: str
    exit_code: int | None
    signal: int | None
    output: bytes
    reason: str


ENDINGS = [
    Ending("success", "echo hi", "exited", 0, None, b"hi\n", "the plain case"),
    Ending("failure", "exit 3", "exited", 3, None, b"", "a code is an outcome, not an error"),
    Ending("signal", "kill -9 $$", "signalled", None, 9, b"", "no code when a signal ended it"),
    Ending("both streams", "echo a; echo b >&2; echo c", "exited", 0, None, b"a\nb\nc\n", "one pipe keeps their order"),
    Ending("closed stdin", "cat; read x; echo $?", "exited", 0, None, b"1\n", "nobody can answer, so nothing waits"),
    Ending("producer cut off", "yes | head -1", "exited", 0, None, b"y\n", "SIGPIPE of a producer is no failure"),
    Ending(
        "no terminal", "tty; (: </dev/tty) 2>/dev/null; echo $?", "exited", 0, None, b"not a tty\n1\n", "own session"
    ),
]


@pytest.mark.parametrize("case", ENDINGS, ids=attrgetter("id"))
async def test_a_child_ends_as_it_ended(case: Ending, tmp_path: Path) -> None:
    finished = await run(tmp_path, case.script)
    assert (finished.ending, finished.exit_code, finished.signal) == (case.ending, case.exit_code, case.signal)
    assert finished.head + finished.tail == case.output
    assert (finished.dropped, finished.stopped, finished.left) == (0, 0, 0)


FAMILIES = {
    "child": "sleep 1000",
    "ignores SIGTERM": "trap '' TERM; sleep 1000 & echo $! >>pids; wait; wait",
    "grandchild in the pipe": "(sleep 1000 & echo $! >>pids; wait) | cat",
    "own session": "setsid bash -c 'echo $$ >>pids; sleep 1000' & wait",
    "forked twice": "(setsid bash -c 'echo $$ >>pids; exec sleep 1000' >/dev/null 2>&1 </dev/null &); sleep 1000",
    "own session, ignores SIGTERM": "(setsid bash -c 'trap \"\" TERM; echo $$ >>pids; sleep 1000; :' &); sleep 1000",
    "stopped": "sleep 1000 & kill -STOP $!; echo $! >>pids; wait",
    "without environment": "env -i setsid sleep 1000 & echo $! >>pids; wait",
    "without environment, forked twice": "(env -i setsid sleep 1000 & echo $! >>pids); sleep 1000",
    "without environment, ignores SIGTERM, forked twice": (
        "(env -i setsid bash -c 'trap \"\" TERM; echo $$ >>pids; sleep 1000; :' &); sleep 1000"
    ),
    "forked four times, without environment": (
        "(env -i setsid bash -c '(setsid sleep 1000 & echo $! >>pids)' &); sleep 1000"
    ),
    "many": "for i in $(seq 20); do sleep 1000 & echo $! >>pids; done; wait",
}
"""Each notes its own pid and those it knows of. `ready` is printed when all are noted."""


def family_script(body: str) -> str:
    count = 21 if "seq 20" in body else 2 if "pids" in body else 1
    watcher = f"(until [ $(wc -l <pids) -ge {count} ]; do sleep 0.01; done; echo ready) & "
    return f"echo $$ >>pids; {watcher}{body}"


@pytest.mark.parametrize("body", FAMILIES.values(), ids=FAMILIES.keys())
async def test_a_cancelled_child_takes_all_its_descendants_along(body: str, tmp_path: Path) -> None:
    ready = asyncio.Event()
    launch = PlainLauncher().run(spec(tmp_path, family_script(body)), lambda piece: ready.set())
    task = asyncio.create_task(launch)
    async with asyncio.timeout(HANG):
        await ready.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert [pid for pid in noted_pids(tmp_path) if is_alive(pid)] == []


@pytest.mark.parametrize("family", ["ignores SIGTERM", "forked twice", "own session, ignores SIGTERM"])
async def test_a_child_out_of_time_takes_all_its_descendants_along(family: str, tmp_path: Path) -> None:
    finished = await run(tmp_path, family_script(FAMILIES[family]), seconds=2)
    assert (finished.ending, finished.exit_code, finished.left) == ("timeout", None, 0)
    assert b"ready" in finished.head
    assert [pid for pid in noted_pids(tmp_path) if is_alive(pid)] == []


@pytest.mark.parametrize(
    "script",
    [
        "sleep 1000 & echo $! >pids",
        "sleep 1000 >/dev/null 2>&1 & echo $! >pids",
        "(setsid bash -c 'echo $$ >pids; exec sleep 1000' &); until [ -s pids ]; do sleep 0.01; done",
        "(env -i setsid bash -c 'echo $$ >pids; exec sleep 1000 >&- 2>&-' &); until [ -s pids ]; do sleep 0.01; done",
    ],
    ids=["holds the pipe", "has let the pipe go", "daemon", "daemon without environment"],
)
async def test_what_a_child_leaves_behind_is_stopped_and_counted(script: str, tmp_path: Path) -> None:
    finished = await run(tmp_path, script)
    assert (finished.ending, finished.exit_code, finished.stopped, finished.left) == ("exited", 0, 1, 0)
    assert not is_alive(noted_pids(tmp_path)[0])


async def test_the_last_words_of_a_pipeline_are_heard(tmp_path: Path) -> None:
    finished = await run(tmp_path, "exec > >(sleep 0.05; cat); echo late")
    assert finished.head == b"late\n"


async def test_output_of_any_size_is_kept_in_bounded_memory(tmp_path: Path) -> None:
    seen = 0

    def count(piece: bytes) -> None:
        nonlocal seen
        seen += len(piece)

    tracemalloc.start()
    try:
        async with asyncio.timeout(HANG):
            finished = await PlainLauncher().run(spec(tmp_path, "yes 0123456789 | head -c 50000000"), count)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seen == 50_000_000
    assert len(finished.head) == len(finished.tail) == 50_000
    assert finished.dropped == 50_000_000 - 100_000
    assert peak < 4_000_000


async def test_a_stream_that_fills_alone_does_not_block_the_other(tmp_path: Path) -> None:
    python = shlex.quote(sys.executable)
    finished = await run(tmp_path, f"{python} -c \"import sys; sys.stderr.write('e'*10**6); print('done')\"")
    assert finished.tail.endswith(b"done\n")
    assert finished.exit_code == 0


@pytest.mark.parametrize(
    ("argv", "folder", "says"),
    [
        (("no-such-program",), ".", "no-such-program was not started: no such program on PATH."),
        (("true",), "gone", "gone is not there."),
        (("true", "a\0b"), ".", "can't be passed to it"),
        (("true", "x" * 5_000_000), ".", "too long. Put them in a file."),
        (("./plain",), ".", "Permission denied"),
    ],
    ids=["program", "folder", "NUL", "length", "permission"],
)
async def test_a_child_that_cannot_start_says_why(
    argv: tuple[str, ...], folder: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "plain").write_text("not a program")
    with pytest.raises(LauncherError) as caught:
        await PlainLauncher().run(LaunchSpec(argv, tmp_path / folder, {"PATH": os.environ["PATH"]}))
    assert says in str(caught.value)


async def test_a_child_gets_the_given_environment_and_a_marker_alone(tmp_path: Path) -> None:
    async with asyncio.timeout(HANG):
        finished = await PlainLauncher().run(LaunchSpec(("/usr/bin/env",), tmp_path, {"A": "1"}))
    names = {line.split(b"=")[0] for line in finished.head.splitlines()}
    assert names == {b"A", MARKER.encode()}


@pytest.mark.parametrize("turns", range(8))
async def test_a_launch_cancelled_as_it_starts_leaves_nothing(turns: int, tmp_path: Path) -> None:
    task = asyncio.create_task(PlainLauncher().run(spec(tmp_path, "echo $$ >pids; sleep 1000")))
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    started = noted_pids(tmp_path) if (tmp_path / "pids").exists() else []
    assert [pid for pid in started if is_alive(pid)] == []


@contextlib.contextmanager
def no_handle_is_lost() -> Iterator[None]:
    before = len(os.listdir("/proc/self/fd"))
    yield
    assert len(os.listdir("/proc/self/fd")) == before


async def test_no_handle_and_no_task_is_left(tmp_path: Path) -> None:
    await run(tmp_path, "true")
    with no_handle_is_lost():
        await run(tmp_path, "sleep 1000 & echo hi")
        await run(tmp_path, "sleep 1000", seconds=0.05)
        with pytest.raises(LauncherError):
            await PlainLauncher().run(LaunchSpec(("no-such-program",), tmp_path, {}))
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_many_children_run_at_once(tmp_path: Path) -> None:
    finished = await asyncio.gather(*(run(tmp_path, f"echo {number}") for number in range(20)))
    assert [int(one.head) for one in finished] == list(range(20))


async def test_a_process_that_cannot_be_ended_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(none, "KILL_PATIENCE", 0.1)
    monkeypatch.setattr(none, "TERM_GRACE", 0.1)
    monkeypatch.setattr(none, "end", lambda processes, *, force: None)
    finished = await run(tmp_path, "sleep 3 >/dev/null 2>&1 & echo $! >pids")
    assert (finished.exit_code, finished.stopped, finished.left) == (0, 1, 1)
    os.kill(noted_pids(tmp_path)[0], 9)


async def test_the_bound_on_memory_stands_before_the_program_does(tmp_path: Path) -> None:
    """One that is given later comes too late for what the program has taken by then."""
    (tmp_path / "program").symlink_to(sys.executable)
    said = "import resource, sys; print(resource.getrlimit(resource.RLIMIT_DATA), sys.argv[1:])"
    for program in (sys.executable, "./program"):
        bounded = LaunchSpec(
            (program, "-c", said, "a b", "$c"), tmp_path, {"PATH": os.environ["PATH"]}, most_memory=512 * 1024 * 1024
        )
        finished = await PlainLauncher().run(bounded)
        assert finished.head == b"(536870912, 536870912) ['a b', '$c']\n"


async def test_a_bounded_program_that_is_not_there_says_so(tmp_path: Path) -> None:
    for program in ("no-such-program", "./no-such-program"):
        with pytest.raises(LauncherError, match="no such program"):
            await PlainLauncher().run(LaunchSpec((program,), tmp_path, {"PATH": os.environ["PATH"]}, most_memory=10**9))


def test_the_end_of_the_loop_takes_the_children_along(tmp_path: Path) -> None:
    async def start_and_leave() -> None:
        ready = asyncio.Event()
        launch = PlainLauncher().run(spec(tmp_path, family_script("sleep 1000")), lambda piece: ready.set())
        leftover.append(asyncio.create_task(launch))
        await ready.wait()

    leftover: list[asyncio.Task[Finished]] = []
    asyncio.run(start_and_leave())
    assert leftover[0].cancelled()
    assert [pid for pid in noted_pids(tmp_path) if is_alive(pid)] == []
