"""An interrupt at any moment of a session with subagents leaves no process, no open call and no half turn."""

from __future__ import annotations

import asyncio
import os
import random
from pathlib import Path

import pytest
from played import PlayedModel

from handrail.agent.agent import open_agent
from handrail.agent.events import Ended, Finished
from handrail.contract.agents import AgentState
from handrail.contract.calls import OpenState
from handrail.contract.events import CallChanged
from handrail.session import Parts, Session
from handrail.testing import MemoryJournal
from handrail.wire import Wire
from servers.script import Use, says

TOGETHER = 20
"""Sessions that run at the same time, each interrupted at a moment of its own."""

MARK = f"8{os.getpid():07d}.25"
"""Seconds that no other process of this machine sleeps."""


def moments(*, cancellations: int) -> list[int]:
    """Which event of a session each is interrupted behind; how many there are is looked up first."""
    return [random.Random(seed).randrange(1_000_000) for seed in range(cancellations)]


def task(**more: object) -> Use:
    return Use("agent", {"description": "a task", "prompt": "Do it.", **more})


def kid(name: str, wire: Wire) -> PlayedModel:
    script = [
        says("", Use("read_file", {"file_path": "a.txt"}), Use("shell", {"command": "echo two >>b.txt; cat b.txt"})),
        says("", Use("shell", {"command": f"(setsid sleep {MARK} &); sleep 0.01"})),
        says("Done."),
    ]
    return PlayedModel(wire, script, name=name)


def main(wire: Wire) -> PlayedModel:
    return PlayedModel(
        wire,
        [
            says("", Use("read_file", {"file_path": "a.txt"}), Use("shell", {"command": "sleep 0.01; echo x"})),
            says("", task(model="a"), task(model="b", background=True), Use("shell", {"command": "sleep 0.01"})),
            says("", Use("send_message", {"to": "general-1", "message": "Again."}), Use("glob", {"pattern": "*"})),
            says("All done."),
        ],
    )


async def session_of(workspace: Path, moment: int | None) -> int:
    """Plays a session; with a moment, interrupts it behind so many events. How many there were."""
    workspace.mkdir()
    (workspace / "a.txt").write_text("one\n")
    wires = list(Wire)[:4]
    model = main(wires[(moment or 0) % 4])
    kids = {"a": kid("a", wires[(moment or 0) // 4 % 4]), "b": kid("b", Wire.ANTHROPIC)}
    open_calls: dict[str, OpenState] = {}
    count, now = 0, asyncio.Event()
    async with (
        Session.open(workspace, mode="bypass", parts=Parts(journal=MemoryJournal())) as session,
        open_agent(session, model, model_named=kids.__getitem__) as agent,
    ):

        def see(event: object) -> None:
            nonlocal count
            if isinstance(event, CallChanged):
                id = event.state.request.id
                open_calls.pop(id, None)
                if isinstance(event.state, OpenState):
                    open_calls[id] = event.state
            count += 1
            if count == moment:
                now.set()

        session.subscribe(see)

        async def stop() -> None:
            await now.wait()
            await agent.interrupt("a key")
            await agent.stop_agents("a key")
            assert open_calls == {}
            assert all(status.state is not AgentState.RUNNING for status in agent.agents())

        stopping = asyncio.create_task(stop())
        events = [event async for event in agent.send("work")]
        finished = events[-1]
        assert isinstance(finished, Finished)
        if moment is None:
            await agent.quiet()
            stopping.cancel()
        elif now.is_set():
            await stopping
            assert finished.ended in (Ended.INTERRUPTED, Ended.DONE)
        else:
            stopping.cancel()
        seen = count
        again = [event async for event in agent.send("go on")][-1]
        assert isinstance(again, Finished)
        assert again.ended is Ended.DONE
        await agent.quiet()
        assert open_calls == {}
    assert [*model.wrong, *kids["a"].wrong, *kids["b"].wrong] == []
    return seen


def sleepers() -> list[str]:
    """Commands of processes that the sessions started."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
        except OSError:
            continue
        if MARK.encode() in command:  # what others run need not be text
            found.append(command.replace(b"\0", b" ").decode("utf-8", "replace"))
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="processes are listed in /proc")
async def test_an_interrupt_at_any_moment_leaves_nothing_behind_and_the_next_turn_works(tmp_path: Path) -> None:
    events = await session_of(tmp_path / "whole", None)
    wanted = [1 + moment % events for moment in moments(cancellations=200)]
    for begin in range(0, len(wanted), TOGETHER):
        batch = wanted[begin : begin + TOGETHER]
        async with asyncio.TaskGroup() as group:
            for place, moment in enumerate(batch, begin):
                group.create_task(session_of(tmp_path / str(place), moment))
        assert sleepers() == []
