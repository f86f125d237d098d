"""Calls that were asked for together: waits, gates, limits, and the three ways to cancel."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from call_harness import Person, opened, request, settled, started, states_of, until
from handrail.contract.basics import CallId
from handrail.contract.calls import AwaitingApproval, Cancelled, Completed, Executing, Failed, Rejected
from handrail.contract.confirmation import Once, Reject
from handrail.contract.effects import Claims
from handrail.contract.models import ModelParameters
from handrail.contract.results import ErrorKind, ToolResult
from handrail.errors import UsageError
from handrail.testing import FakeTool, Fault, FaultyTool, MemoryJournal
from handrail.tools import builtin_tools
from handrail.wire import Wire
from neutral_calls import calls, kinds, write


class Recorder:
    """Says when calls begin and end; those named `hold` end when they are let go."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.go_on = asyncio.Event()
        self.most = self.now = 0

    async def __call__(self, params: Any, context: Any) -> str:
        self.seen.append(f"+{context.call}")
        self.now += 1
        self.most = max(self.most, self.now)
        if params.get("hold"):
            await self.go_on.wait()
        else:
            await asyncio.sleep(0)
        self.now -= 1
        self.seen.append(f"-{context.call}")
        return "ok"


# wait_for_previous


async def test_a_call_waits_for_all_earlier_ones_when_the_model_says_so(tmp_path: Path) -> None:
    recorder = Recorder()
    tool = FakeTool("t", recorder)
    batch = calls(("t", {}), ("t", {}), ("t", {"wait_for_previous": True, "a": 1}), ("t", {"wait_for_previous": False}))
    async with opened(tmp_path, tool) as session:
        turn = await session.run(batch, Wire.NEUTRAL)
    assert kinds(turn) == [Completed] * 4
    assert recorder.seen.index("+c3") > max(recorder.seen.index("-c1"), recorder.seen.index("-c2"))
    assert recorder.seen.index("+c4") < recorder.seen.index("-c1")
    assert tool.calls[-1] == {"a": 1} or {"a": 1} in tool.calls
    assert all("wait_for_previous" not in arguments for arguments in tool.calls)


async def test_it_waits_for_calls_that_were_submitted_one_by_one_too(tmp_path: Path) -> None:
    recorder = Recorder()
    async with opened(tmp_path, FakeTool("t", recorder)) as session:
        first = await started(session, request("t", {"hold": True}))
        second = session.submit(request("t", {"wait_for_previous": True}, id="c2"))
        other = await session.submit(request("t", id="c3")).settled
        assert isinstance(other, Completed)
        assert not second.settled.done()
        recorder.go_on.set()
        await asyncio.gather(first.settled, second.settled)
    assert recorder.seen.index("+c2") > recorder.seen.index("-c1")


async def test_it_rests_while_an_earlier_call_waits_for_a_person(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), FakeTool("t"), mode="default") as session:
        parked = await session.run(
            calls(write("a.txt"), ("t", {"wait_for_previous": True})), Wire.NEUTRAL, on_ask="park"
        )
        assert len(parked.waiting) == 2
        turn = await session.resume(parked, {parked.pending[0].approval: Reject()})
    assert kinds(turn) == [Rejected, Completed]


async def test_a_tools_own_parameter_of_that_name_is_its_own(tmp_path: Path) -> None:
    class Params(BaseModel):
        wait_for_previous: str

    tool = FakeTool("t")
    tool.parameters = ModelParameters(Params)
    async with opened(tmp_path, tool) as session:
        assert isinstance(await settled(session, "t", {"wait_for_previous": "a while"}), Completed)
    assert tool.calls[0].wait_for_previous == "a while"


@pytest.mark.parametrize("wish", ["true", 1, None, {}])
async def test_a_wish_that_is_no_boolean_is_refused(tmp_path: Path, wish: Any) -> None:
    tool = FakeTool("t")
    async with opened(tmp_path, tool) as session:
        state = await settled(session, "t", {"wait_for_previous": wish})
    assert isinstance(state, Failed)
    assert state.fault.kind is ErrorKind.INVALID_ARGUMENTS
    assert "expected a boolean" in state.result.text
    assert tool.calls == []


async def test_it_is_taken_from_built_in_tools_too_which_allow_no_other_parameters(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    async with opened(tmp_path, *builtin_tools()) as session:
        assert isinstance(
            await settled(session, "read_file", {"file_path": "a.txt", "wait_for_previous": True}), Completed
        )


# Gates


async def test_a_gated_batch_starts_nothing_while_one_of_its_calls_is_asked_about(tmp_path: Path) -> None:
    touched = FakeTool("touch")
    tools = (*builtin_tools(), touched)
    async with opened(tmp_path, *tools, mode="default", gate_batch=True) as session:
        parked = await session.run(calls(("touch", {}), write("x.txt"), ("touch", {})), Wire.NEUTRAL, on_ask="park")
        assert len(parked.waiting) == 3
        assert touched.calls == []
        turn = await session.resume(parked, {parked.pending[0].approval: Reject("no")})
    assert kinds(turn) == [Completed, Rejected, Completed]


async def test_without_a_gate_calls_that_nobody_asks_about_run_meanwhile(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), FakeTool("touch"), mode="default") as session:
        parked = await session.run(calls(("touch", {}), write("x.txt"), ("touch", {})), Wire.NEUTRAL, on_ask="park")
        assert kinds(parked) == [Completed, AwaitingApproval, Completed]


async def test_a_gate_holds_its_own_batch_alone(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), FakeTool("touch"), mode="default", gate_batch=True) as session:
        await session.run(calls(write("x.txt")), Wire.NEUTRAL, on_ask="park")
        assert kinds(await session.run(calls(("touch", {})), Wire.NEUTRAL)) == [Completed]


async def test_a_call_that_is_asked_about_twice_keeps_the_gate_shut(tmp_path: Path) -> None:
    touched = FakeTool("touch")
    async with opened(tmp_path, *builtin_tools(), touched, mode="default", gate_batch=True) as session:
        parked = await session.run(calls(write("x.txt"), write("y.txt"), ("touch", {})), Wire.NEUTRAL, on_ask="park")
        first, second = parked.pending
        half = await session.resume(parked, {first.approval: Once()})
        assert touched.calls == []
        assert not (tmp_path / "x.txt").exists()
        await session.resume(half, {second.approval: Once()})
    assert touched.calls == [{}]


# Limits


async def test_calls_of_one_class_keep_to_its_limit(tmp_path: Path) -> None:
    recorder = Recorder()
    tabs = FakeTool("tab", recorder, claims=lambda given: Claims(keys=frozenset([f"browser:{given['n']}"])))
    async with opened(tmp_path, tabs, limits={"browser": 2}) as session:
        turn = await session.run(calls(*[("tab", {"n": n}) for n in range(6)]), Wire.NEUTRAL)
    assert kinds(turn) == [Completed] * 6
    assert recorder.most == 2


async def test_one_at_once_is_one_after_the_other(tmp_path: Path) -> None:
    recorder = Recorder()
    async with opened(tmp_path, FakeTool("t", recorder), at_once=1) as session:
        await session.run(calls(*[("t", {})] * 5), Wire.NEUTRAL)
    assert recorder.most == 1
    assert recorder.seen == [f"{sign}c{n}" for n in range(1, 6) for sign in "+-"]


# Cancelling


async def test_a_queued_batch_that_is_cancelled_answers_all_its_calls(tmp_path: Path) -> None:
    recorder, journal = Recorder(), MemoryJournal()
    tool = FakeTool("t", recorder, claims=Claims.unknown())
    queued = {"calls": [{"id": f"q{n}", "name": "t", "arguments": {}} for n in range(3)]}
    async with opened(tmp_path, tool, journal=journal) as session:
        first = await started(session, request("t", {"hold": True}))
        running = asyncio.create_task(session.run(queued, Wire.NEUTRAL, turn="queued"))
        await asyncio.sleep(0)
        assert await session.cancel_turn("queued", "not needed")
        turn = await running
        assert not first.settled.done()
        recorder.go_on.set()
        await first.settled
    assert kinds(turn) == [Cancelled] * 3
    assert [entry["id"] for entry in turn.messages[-1]["results"]] == ["q0", "q1", "q2"]
    assert "the caller: not needed" in turn.calls[0].result.text
    assert len(tool.calls) == 1


async def test_a_parked_turn_that_is_cancelled_can_be_finished(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        parked = await session.run(calls(write("a.txt"), write("b.txt")), Wire.NEUTRAL, on_ask="park")
        assert await session.cancel_turn(parked)
        assert session.pending() == ()
        turn = await session.resume(parked)
        assert kinds(turn) == [Cancelled, Cancelled]
        assert not await session.cancel_turn(parked)


async def test_an_id_that_an_open_turn_has_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        await session.run(calls(write("a.txt")), Wire.NEUTRAL, on_ask="park", turn="mine")
        with pytest.raises(UsageError, match="mine"):
            await session.run(calls(), Wire.NEUTRAL, turn="mine")


async def test_a_turns_own_id_never_is_one_that_a_caller_gave(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        await session.run(calls(write("a.txt")), Wire.NEUTRAL, on_ask="park", turn="turn-2")
        assert (await session.run(calls(), Wire.NEUTRAL)).id == "turn-3"


async def test_an_interrupt_stops_every_call_and_the_session_goes_on(tmp_path: Path) -> None:
    async with opened(tmp_path, FaultyTool(Fault.HANGS), FakeTool()) as session:
        lives = [await started(session, request("faulty", id=f"c{n}")) for n in range(3)]
        await session.cancel_all("escape")
        assert all(isinstance(live.settled.result(), Cancelled) for live in lives)
        assert isinstance(await settled(session, "fake", id="c9"), Completed)


async def test_cancelling_one_of_two_leaves_the_other_its_result(tmp_path: Path) -> None:
    recorder = Recorder()
    async with opened(tmp_path, FakeTool("t", recorder)) as session:
        first = await started(session, request("t", {"hold": True}))
        second = await started(session, request("t", {"hold": True}, id="c2"))
        await session.cancel(CallId("c1"))
        recorder.go_on.set()
        assert isinstance(await second.settled, Completed)
    assert isinstance(first.settled.result(), Cancelled)


async def test_a_call_that_failed_keeps_its_fault_when_all_are_cancelled(tmp_path: Path) -> None:
    async with opened(tmp_path, FaultyTool(Fault.HANGS)) as session:
        failing = asyncio.create_task(until(session, lambda event: isinstance(getattr(event, "state", None), Failed)))
        await asyncio.sleep(0)
        running = asyncio.create_task(session.run(calls(("faulty", {}), ("missing", {})), Wire.NEUTRAL, turn="batch"))
        await failing
        await session.cancel_turn("batch")
        turn = await running
    assert kinds(turn) == [Cancelled, Failed]
    assert turn.calls[1].fault.kind is ErrorKind.UNKNOWN_TOOL


# Calls that the client carries out


async def test_a_result_that_comes_after_the_call_was_cancelled_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool("picker", client_side=True)) as session:
        live = session.submit(request("picker"))
        await live.rest()
        await session.cancel(CallId("c1"))
        assert not session.deliver(CallId("c1"), ToolResult.of_text("late"))
    assert isinstance(live.settled.result(), Cancelled)


async def test_a_result_that_never_comes_leaves_the_call_with_the_client(tmp_path: Path) -> None:
    journal = MemoryJournal()
    async with opened(tmp_path, FakeTool("picker", client_side=True), journal=journal) as session:
        held = await session.run(calls(("picker", {})), Wire.NEUTRAL)
        assert kinds(held) == [Executing]
    assert isinstance(states_of(journal, "c1")[-1], Executing)


async def test_a_result_that_does_not_come_in_the_tools_time_fails_the_call(tmp_path: Path) -> None:
    tool = FakeTool("picker", client_side=True)
    tool.timeout = 0.01
    async with opened(tmp_path, tool) as session:
        live = session.submit(request("picker"))
        state = await live.settled
        assert not session.deliver(CallId("c1"), ToolResult.of_text("late"))
    assert isinstance(state, Failed)
    assert state.fault.kind is ErrorKind.TIMEOUT


async def test_a_result_that_is_none_fails_the_call(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool("picker", client_side=True)) as session:
        live = session.submit(request("picker"))
        await live.rest()
        assert session.deliver(CallId("c1"), "the blue one")
        assert isinstance(await live.settled, Failed)


async def test_a_result_for_a_call_that_there_is_not_is_refused(tmp_path: Path) -> None:
    async with opened(tmp_path) as session:
        assert not session.deliver(CallId("nothing"), ToolResult.of_text("x"))


async def test_a_huge_result_of_the_client_is_bounded(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool("picker", client_side=True)) as session:
        live = session.submit(request("picker"))
        await live.rest()
        session.deliver(CallId("c1"), ToolResult.of_text("x" * 1_000_000))
        assert len((await live.settled).result.text) < 41_000


# What is left of a flood


async def test_the_results_of_a_turn_are_bounded_together(tmp_path: Path) -> None:
    async def flood(params: Any, context: Any) -> str:
        return "x" * 30_000

    async with opened(tmp_path, FakeTool("t", flood), turn_budget=50_000) as session:
        turn = await session.run(calls(*[("t", {})] * 5), Wire.NEUTRAL)
    texts = [entry["result"] for entry in turn.messages[-1]["results"]]
    assert 50_000 <= sum(map(len, texts)) < 51_000
    assert all(len(state.result.text) == 30_000 for state in turn.calls)


async def test_the_message_of_a_failure_is_bounded(tmp_path: Path) -> None:
    async def fail(params: Any, context: Any) -> str:
        raise ValueError("x" * 1_000_000)

    async with opened(tmp_path, FakeTool("t", fail)) as session:
        state = await settled(session, "t")
    assert isinstance(state, Failed)
    assert len(state.fault.message) < 11_000


async def test_what_a_cancelled_call_had_printed_is_kept_however_small_the_pieces(tmp_path: Path) -> None:
    async def print_and_hang(params: Any, context: Any) -> str:
        for number in range(1000):
            context.output.text(f"{number}\n")
        await asyncio.Event().wait()
        return "never"

    async with opened(tmp_path, FakeTool("t", print_and_hang), asker=Person()) as session:
        live = await started(session, request("t"))
        await session.cancel(CallId("c1"))
    assert "\n500\n" in live.settled.result().fault.message
    assert live.settled.result().fault.message.rstrip().endswith("999")
