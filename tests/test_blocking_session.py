"""The session for code without `await`: scripts, notebooks, threads."""

from __future__ import annotations

import asyncio
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    Cancelled,
    Completed,
    Executing,
    Failed,
    Pending,
    Rejected,
)
from handrail.contract.confirmation import Answer, Once, Reject
from handrail.contract.effects import Claims
from handrail.contract.events import CallChanged, Event
from handrail.contract.hooks import Block, ToolUse
from handrail.contract.results import ToolResult
from handrail.errors import UsageError
from handrail.runtime import scheduler
from handrail.runtime.parts import Parts
from handrail.runtime.turns import Turn
from handrail.session import Session
from handrail.testing import FakeTool, MemoryJournal
from neutral_calls import calls, kinds, read, write


def yes(call: AwaitingApproval) -> Answer:
    return Once()


def test_a_blocking_session_does_all_that_a_loop_needs(tmp_path: Path) -> None:
    parts = Parts(journal=MemoryJournal())
    with Session.open_sync(tmp_path, parts=parts) as session:
        session.add(FakeTool("fake"))
        assert "fake" in [shown.name for shown in session.menu().tools]
        assert kinds(session.run(calls(("fake", {}), read("none.txt")))) == [Completed, Failed]
        assert kinds(session.run(calls(write("a.txt")), on_ask=yes)) == [Completed]
        parked = session.run(calls(write("b.txt"), write("c.txt")), on_ask="park")
        first, second = parked.pending
        assert {question.approval for question in session.pending()} == {first.approval, second.approval}
        assert session.answer(first.approval, Once(), "script")
        turn = session.resume(parked, {second.approval: Reject()})
    assert kinds(turn) == [Completed, Rejected]
    assert parts.journal.closed


async def test_a_blocking_session_works_inside_a_running_loop(tmp_path: Path) -> None:
    with Session.open_sync(tmp_path, parts=Parts(journal=MemoryJournal())) as session:
        turn = session.run(calls(write("a.txt")), on_ask=yes)
    assert kinds(turn) == [Completed]


async def test_a_blocking_sessions_tools_do_not_run_on_the_callers_loop(tmp_path: Path) -> None:
    seen: list[threading.Thread] = []

    async def where(params: Any, context: Any) -> str:
        seen.append(threading.current_thread())
        return "here"

    with Session.open_sync(tmp_path, mode="bypass", parts=Parts(journal=MemoryJournal())) as session:
        session.add(FakeTool("where", where))
        session.run(calls(("where", {})))
    assert seen[0] is not threading.current_thread()
    assert not seen[0].is_alive()


def test_a_blocking_session_is_closed_when_its_block_raises(tmp_path: Path) -> None:
    parts = Parts(journal=MemoryJournal())

    def fail() -> None:
        with Session.open_sync(tmp_path, parts=parts) as session:
            session.run(calls(write("a.txt")), on_ask="park")
            raise LookupError

    before = threading.active_count()
    with pytest.raises(LookupError):
        fail()
    assert threading.active_count() == before
    assert parts.journal.closed


def test_a_blocking_session_in_no_folder_is_refused(tmp_path: Path) -> None:
    before = threading.active_count()
    with pytest.raises(UsageError, match="is not a folder"), Session.open_sync(tmp_path / "none"):
        pass
    assert threading.active_count() == before


def test_a_blocking_session_tells_its_events_and_takes_what_the_client_made(tmp_path: Path) -> None:
    heard: list[Event] = []
    with Session.open_sync(tmp_path, mode="bypass", parts=Parts(journal=MemoryJournal())) as session:
        session.add(FakeTool("picker", client_side=True))
        unsubscribe = session.subscribe(heard.append)
        held = session.run(calls(("picker", {})))
        unsubscribe()
        assert session.deliver(held.calls[0].request.id, ToolResult.of_text("the blue one"))
        assert kinds(session.resume(held)) == [Completed]
    assert [type(event.state) for event in heard if isinstance(event, CallChanged)] == [Pending, Approved, Executing]


def test_an_interrupted_wait_cancels_the_calls_and_the_session_can_be_used_again(tmp_path: Path) -> None:
    ended = threading.Event()

    async def interrupt_and_hang(params: Any, context: Any) -> str:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "never"

    with Session.open_sync(tmp_path, mode="bypass", parts=Parts(journal=MemoryJournal())) as session:
        session.add(FakeTool("hang", interrupt_and_hang))
        with pytest.raises(KeyboardInterrupt):
            session.run(calls(("hang", {})))
        assert ended.is_set()
        assert kinds(session.run(calls(write("a.txt")))) == [Completed]


def test_threads_can_share_a_blocking_session(tmp_path: Path) -> None:
    turns: list[Turn] = []
    with Session.open_sync(tmp_path, mode="accept-edits", parts=Parts(journal=MemoryJournal())) as session:

        def work(number: int) -> None:
            turns.append(session.run(calls(write(f"{number}.txt"))))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [kinds(turn) for turn in turns] == [[Completed]] * 4
    assert len(list(tmp_path.iterdir())) == 4


def test_two_blocking_sessions_are_two(tmp_path: Path) -> None:
    with (
        Session.open_sync(tmp_path, parts=Parts(journal=MemoryJournal(), tools=[FakeTool("one")])) as first,
        Session.open_sync(tmp_path, parts=Parts(journal=MemoryJournal(), tools=[FakeTool("two")])) as second,
    ):
        assert [tool.name for tool in first.menu().tools] == ["one"]
        assert [tool.name for tool in second.menu().tools] == ["two"]


def test_effects_order_the_calls_of_a_turn_and_not_their_place_in_time(tmp_path: Path) -> None:
    tool = FakeTool("fake", claims=Claims.unknown())
    with Session.open_sync(tmp_path, mode="bypass", parts=Parts(journal=MemoryJournal(), tools=[tool])) as session:
        session.run(calls(*[("fake", {"n": n}) for n in range(5)]))
    assert [call["n"] for call in tool.calls] == [0, 1, 2, 3, 4]


def test_hooks_are_registered_on_a_blocking_session_too(tmp_path: Path) -> None:
    tool = FakeTool("fake")
    with Session.open_sync(tmp_path, parts=Parts(tools=[tool], journal=MemoryJournal())) as session:

        @session.before_tool("fake")
        def guard(use: ToolUse) -> Block:
            return Block("not today")

        assert kinds(session.run(calls(("fake", {})))) == [Rejected]
    assert tool.calls == []


def test_a_parked_turn_is_cancelled_from_code_that_does_not_wait(tmp_path: Path) -> None:
    with Session.open_sync(tmp_path, parts=Parts(journal=MemoryJournal())) as session:
        parked = session.run(calls(write("a.txt")), on_ask="park")
        assert session.cancel_turn(parked)
        assert kinds(session.resume(parked)) == [Cancelled]
        session.cancel_all()
        assert not session.cancel(parked.calls[0].request.id)


def interrupts(use: ToolUse) -> None:
    raise KeyboardInterrupt


async def interrupts_on_the_loop(use: ToolUse) -> None:
    raise KeyboardInterrupt


HOOKS = [interrupts, interrupts_on_the_loop]


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_that_raises_an_interrupt_on_the_sessions_thread_blocks_the_call_and_stops_nothing(
    tmp_path: Path, hook: Any
) -> None:
    with Session.open_sync(tmp_path, mode="bypass", parts=Parts(journal=MemoryJournal())) as session:
        session.before_tool("write_file")(hook)
        assert kinds(session.run(calls(write("a.txt")))) == [Rejected]
        assert kinds(session.run(calls(read("b.txt")))) == [Failed]
    assert not (tmp_path / "a.txt").exists()


@pytest.mark.parametrize("hook", HOOKS)
def test_an_interrupt_in_a_hook_on_the_main_thread_ends_the_program_as_one(
    tmp_path: Path, hook: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be a person's: nobody can tell."""
    monkeypatch.setattr(scheduler, "STUBBORN_GRACE", 0.1)
    journal = MemoryJournal()

    async def main() -> None:
        async with Session.open(tmp_path, mode="bypass", parts=Parts(journal=journal)) as session:
            session.before_tool(hook)
            await session.run(calls(write("a.txt")))

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(main())
    assert journal.closed
    assert not (tmp_path / "a.txt").exists()
