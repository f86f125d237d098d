"""Background jobs: they outlive their call, hold what it writes, and end with the session."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from call_harness import opened, request, settled, started, until
from handrail.contract.basics import CallId
from handrail.contract.calls import Cancelled, Completed
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.events import NoticeGiven
from handrail.testing import FakeTool


class Server:
    """Work that goes on until it is let go."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.ended = ""

    async def serve(self) -> None:
        try:
            await self.go_on.wait()
            self.ended = "by itself"
        except asyncio.CancelledError:
            self.ended = "cancelled"
            raise


def starting(server: Server, path: str = "log.txt", claims: Claims | None = None) -> FakeTool:
    async def start(params: Any, context: Any) -> str:
        return str(context.jobs.start("serve", server.serve()))

    return FakeTool("start", start, claims=claims or Claims(writes=(PathClaim(path),)))


def reader(path: str = "log.txt") -> FakeTool:
    return FakeTool("look", claims=Claims(reads=(PathClaim(path),)))


def writer(path: str = "log.txt") -> FakeTool:
    return FakeTool("change", claims=Claims(writes=(PathClaim(path),)))


async def test_a_call_has_its_result_while_its_job_goes_on(tmp_path: Path) -> None:
    server = Server()
    async with opened(tmp_path, starting(server)) as session:
        state = await settled(session, "start")
        assert state.result.text == "job-1"
        assert [(job.id, job.name, job.call) for job in session.jobs()] == [("job-1", "serve", "c1")]
        ending = asyncio.create_task(until(session, lambda event: isinstance(event, NoticeGiven)))
        await asyncio.sleep(0)
        server.go_on.set()
        await ending
        assert session.jobs() == ()
    assert server.ended == "by itself"


async def test_a_writer_waits_for_a_job_that_writes_the_same_and_a_reader_is_told_of_it(tmp_path: Path) -> None:
    server = Server()
    async with opened(tmp_path, starting(server), reader(), writer()) as session:
        await settled(session, "start")
        read = await settled(session, "look", id="c2")
        assert "A background job was running meanwhile and may be writing there: serve." in read.result.text
        change = session.submit(request("change", id="c3"))
        done, _ = await asyncio.wait([change.settled], timeout=0)
        assert not done
        server.go_on.set()
        assert isinstance(await change.settled, Completed)
        assert "background job" not in (await settled(session, "look", id="c4")).result.text


async def test_calls_elsewhere_neither_wait_nor_are_told(tmp_path: Path) -> None:
    async with opened(tmp_path, starting(Server()), reader("other.txt"), writer("more.txt"), FakeTool()) as session:
        await settled(session, "start")
        for name in ("look", "change", "fake"):
            state = await settled(session, name, id=name)
            assert isinstance(state, Completed)
            assert state.result.text == "ok"


async def test_a_job_that_may_touch_anything_holds_nobody_up(tmp_path: Path) -> None:
    async with opened(tmp_path, starting(Server(), claims=Claims.unknown()), writer()) as session:
        await settled(session, "start")
        state = await settled(session, "change", id="c2")
    assert isinstance(state, Completed)
    assert "may be writing there: serve" in state.result.text


async def test_a_job_ends_with_the_session(tmp_path: Path) -> None:
    server = Server()
    async with opened(tmp_path, starting(server)) as session:
        await settled(session, "start")
    assert server.ended == "cancelled"
    assert session.jobs() == ()


async def test_an_interrupt_leaves_jobs_alone(tmp_path: Path) -> None:
    server = Server()

    async def start_and_hang(params: Any, context: Any) -> str:
        context.jobs.start("serve", server.serve())
        await asyncio.Event().wait()
        return "never"

    async with opened(tmp_path, FakeTool("start", start_and_hang)) as session:
        live = await started(session, request("start"))
        await session.cancel_all()
        assert isinstance(live.settled.result(), Cancelled)
        assert len(session.jobs()) == 1
        assert server.ended == ""


async def test_a_job_that_is_stopped_lets_the_writers_go(tmp_path: Path) -> None:
    server = Server()
    async with opened(tmp_path, starting(server), writer()) as session:
        await settled(session, "start")
        change = session.submit(request("change", id="c2"))
        (job,) = session.jobs()
        assert await session.stop_job(job.id)
        assert isinstance(await change.settled, Completed)
        assert not await session.stop_job(job.id)
    assert server.ended == "cancelled"


async def test_a_job_that_is_stopped_before_its_first_step_holds_nothing_either(tmp_path: Path) -> None:
    async def start_and_stop(params: Any, context: Any) -> str:
        job = context.jobs.start("serve", Server().serve())
        return str(await context.jobs.stop(job))

    tool = FakeTool("start", start_and_stop, claims=Claims(writes=(PathClaim("log.txt"),)))
    async with opened(tmp_path, tool, writer()) as session:
        assert (await settled(session, "start")).result.text == "True"
        assert isinstance(await settled(session, "change", id="c2"), Completed)


async def test_a_job_that_fails_is_told_of(tmp_path: Path) -> None:
    async def break_down() -> None:
        raise ConnectionError("port taken")

    async def start(params: Any, context: Any) -> str:
        context.jobs.start("serve", break_down())
        return "ok"

    said = NoticeGiven(CallId("c1"), "The background job job-1 (serve) failed: ConnectionError: port taken")
    async with opened(tmp_path, FakeTool("start", start)) as session:
        failing = asyncio.create_task(until(session, lambda event: event == said))
        await asyncio.sleep(0)
        await settled(session, "start")
        await failing


async def test_a_cancelled_writer_waits_for_no_job_any_more(tmp_path: Path) -> None:
    async with opened(tmp_path, starting(Server()), writer()) as session:
        await settled(session, "start")
        change = session.submit(request("change", id="c2"))
        await asyncio.sleep(0)
        await session.cancel(CallId("c2"))
        assert isinstance(change.settled.result(), Cancelled)
