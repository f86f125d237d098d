from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Annotated

import pytest

from handrail.authoring.define import define_tool
from handrail.authoring.function_tool import tool
from handrail.contract.calls import CallId, CallRequest, Completed, ObjectArguments
from handrail.contract.context import Output
from handrail.contract.events import CallChanged, OutputArrived
from handrail.contract.results import ErrorKind
from handrail.contract.tool import Kind, Reads, Writes
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import MemoryJournal


@tool
def save(path: Annotated[Path, Writes], text: str) -> str:
    """Saves a note."""
    path.write_text(text)
    return f"saved {path.name}"


@tool
async def load(path: Annotated[Path, Reads]) -> str:
    """Reads a note."""
    return path.read_text()


@pytest.fixture
async def session(tmp_path):
    parts = Parts(tools=(save, load), journal=MemoryJournal())
    async with Session.open(tmp_path, mode="accept-edits", parts=parts) as opened:
        yield opened


def call(session, name, **arguments):
    return session.submit(CallRequest(CallId(f"{name} {arguments}"), name, ObjectArguments(arguments)))


async def test_marked_paths_are_governed_ordered_and_mean_the_workspace(session, tmp_path, monkeypatch):
    monkeypatch.chdir("/")
    calls = [call(session, "save", path="note.txt", text="high"), call(session, "load", path="note.txt")]
    states = [await live.settled for live in calls]
    assert [state.result.text for state in states] == ["saved note.txt", "high"]
    assert (tmp_path / "note.txt").read_text() == "high"


async def test_a_marked_path_outside_the_workspace_is_not_written_unasked(session):
    state = await call(session, "save", path="/no-such-folder/note.txt", text="high").settled
    assert state.fault.kind is ErrorKind.DENIED


async def test_a_function_in_a_thread_that_is_cancelled_may_finish(session):
    entered, released = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    @tool(kind=Kind.READ)
    def hold(output: Output) -> str:
        output.text("half")
        loop.call_soon_threadsafe(entered.set)
        released.wait()
        return "done"

    session.add(hold)
    events = []
    session.subscribe(events.append)
    live = call(session, "hold")
    await entered.wait()
    stopping = asyncio.create_task(session.cancel(live.state.request.id))
    loop.call_soon(released.set)
    assert await stopping
    state = await live.settled
    assert isinstance(state, Completed)
    assert state.result.text == "done"
    kinds = [type(event) for event in events]
    assert kinds.index(OutputArrived) < len(kinds) - 1 - kinds[::-1].index(CallChanged)


async def test_a_raw_schema_governs_like_any(session):
    session.add(define_tool(name="count", parameters={"required": ["of"]}, run=lambda params: 1, kind=Kind.READ))
    states = [await call(session, "count", **arguments).settled for arguments in ({}, {"of": "x"})]
    assert [state.result.text for state in states] == [
        "The arguments for count are not valid:\n- of: is required and missing\nCorrect them and call count again.",
        "1",
    ]
