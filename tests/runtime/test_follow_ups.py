"""A call that hands on to another: one answer, under the model's own id and name, and the whole pipeline again."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from call_harness import Person, opened, request, settled, states_of
from handrail.contract.basics import CallId
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    Cancelled,
    Completed,
    Executing,
    Failed,
    Pending,
)
from handrail.contract.confirmation import Once, Reject
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import CallFault, ErrorKind, FollowUp, ToolResult
from handrail.policy import rules_from
from handrail.runtime.running import MOST_FOLLOW_UPS
from handrail.testing import FakeTool, MemoryJournal
from handrail.wire import Wire
from neutral_calls import calls


def handing_on(name: str = "t1", to: str = "t2", **options: Any) -> FakeTool:
    async def hand_on(params: Any, context: Any) -> ToolResult:
        return ToolResult((), follow_up=FollowUp(to, {"from": name}))

    return FakeTool(name, hand_on, **options)


async def test_the_follow_up_answers_under_the_first_calls_id_and_name(tmp_path: Path) -> None:
    async def answer(params: Any, context: Any) -> str:
        return f"after {params['from']}"

    journal = MemoryJournal()
    async with opened(tmp_path, handing_on(), FakeTool("t2", answer), journal=journal) as session:
        turn = await session.run(calls(("t1", {})), Wire.NEUTRAL)
    (answered,) = turn.messages[-1]["results"]
    assert (answered["id"], answered["name"], answered["result"]) == ("c1", "t1", "after t1")
    assert turn.calls[0].request.id == "c1"
    assert [type(s) for s in states_of(journal, "c1.1")] == [Pending, Approved, Executing, Completed]
    assert [type(s) for s in states_of(journal, "c1")] == [Pending, Approved, Executing, Completed]


@pytest.mark.parametrize(
    ("following", "rules", "answer", "kind", "said"),
    [
        ("missing", [], None, ErrorKind.UNKNOWN_TOOL, "There is no tool named 'missing'"),
        ("t2", [{"tool": "t2", "decision": "deny"}], None, ErrorKind.DENIED, "Denied by the rule"),
        ("t2", [{"tool": "t2", "decision": "ask"}], Reject("use t3"), ErrorKind.REJECTED, "use t3"),
        ("broken", [], None, ErrorKind.FAILED, "division by zero"),
    ],
)
async def test_a_follow_up_is_found_and_decided_like_any_call_and_its_fault_is_told(
    tmp_path: Path, following: str, rules: Any, answer: Any, kind: ErrorKind, said: str
) -> None:
    async def divide(params: Any, context: Any) -> str:
        raise ZeroDivisionError("division by zero")

    tools = (handing_on(to=following), FakeTool("t2"), FakeTool("broken", divide))
    async with opened(tmp_path, *tools, rules=rules_from(rules), asker=Person(answer)) as session:
        state = await settled(session, "t1")
    assert isinstance(state, Failed)
    assert state.fault.kind is kind
    assert state.fault.message.startswith("t1 ran, and handed on to ")
    assert said in state.result.text


async def test_calls_that_hand_on_without_end_are_stopped(tmp_path: Path) -> None:
    tool = handing_on(to="t1")
    async with opened(tmp_path, tool) as session:
        state = await settled(session, "t1")
    assert isinstance(state, Failed)
    assert len(tool.calls) == MOST_FOLLOW_UPS + 1
    assert f"{MOST_FOLLOW_UPS} calls have followed each other already" in state.result.text


async def test_a_follow_up_needs_no_second_place(tmp_path: Path) -> None:
    async with opened(tmp_path, handing_on(claims=Claims.unknown()), FakeTool("t2"), at_once=1) as session:
        assert isinstance(await settled(session, "t1"), Completed)


async def test_nobody_comes_between_a_call_and_its_follow_up(tmp_path: Path) -> None:
    order: list[str] = []

    async def note(params: Any, context: Any) -> str:
        order.append(str(context.call))
        return "ok"

    writes = Claims(writes=(PathClaim("a.txt"),))
    tools = (handing_on(claims=writes), FakeTool("t2", note, claims=writes), FakeTool("t3", note, claims=writes))
    async with opened(tmp_path, *tools) as session:
        await session.run(calls(("t1", {}), ("t3", {})), Wire.NEUTRAL)
    assert order == ["c1.1", "c2"]


async def test_a_follow_up_that_waits_for_a_person_parks_its_turn(tmp_path: Path) -> None:
    rules = rules_from([{"tool": "t2", "decision": "ask"}])
    async with opened(tmp_path, handing_on(), FakeTool("t2"), rules=rules) as session:
        parked = await session.run(calls(("t1", {})), Wire.NEUTRAL, on_ask="park")
        assert isinstance(parked.calls[0], Executing)
        (question,) = session.pending()
        assert question.request.parent == "c1"
        assert session.answer(question.approval, Once(), "web")
        turn = await session.resume(parked)
    assert isinstance(turn.calls[0], Completed)


async def test_a_child_that_waits_for_a_person_parks_the_turn_of_its_parent(tmp_path: Path) -> None:
    async def call(params: Any, context: Any) -> ToolResult:
        return await context.calls.call("t2", {})

    rules = rules_from([{"tool": "t2", "decision": "ask"}])
    tools = (FakeTool("agent", call, makes_calls=True), FakeTool("t2"))
    async with opened(tmp_path, *tools, rules=rules) as session:
        parked = await session.run(calls(("agent", {})), Wire.NEUTRAL, on_ask="park")
        (question,) = session.pending()
        assert session.answer(question.approval, Once(), "web")
        turn = await session.resume(parked)
    assert isinstance(turn.calls[0], Completed)


async def test_a_cancelled_call_takes_its_follow_up_along(tmp_path: Path) -> None:
    began, journal = asyncio.Event(), MemoryJournal()

    async def hang(params: Any, context: Any) -> str:
        began.set()
        await asyncio.Event().wait()
        return "never"

    async with opened(tmp_path, handing_on(), FakeTool("t2", hang), journal=journal) as session:
        live = session.submit(request("t1"))
        await began.wait()
        await session.cancel(CallId("c1"))
        assert isinstance(live.settled.result(), Cancelled)
        assert isinstance(states_of(journal, "c1.1")[-1], Cancelled)


async def test_a_call_that_failed_hands_on_to_nobody(tmp_path: Path) -> None:
    async def fail(params: Any, context: Any) -> ToolResult:
        return ToolResult((), fault=CallFault(ErrorKind.FAILED, "no"), follow_up=FollowUp("t2", {}))

    following = FakeTool("t2")
    async with opened(tmp_path, FakeTool("t1", fail), following) as session:
        assert isinstance(await settled(session, "t1"), Failed)
    assert following.calls == []


async def test_a_result_from_the_client_may_hand_on_too(tmp_path: Path) -> None:
    following = FakeTool("t2")
    async with opened(tmp_path, FakeTool("t1", client_side=True), following) as session:
        live = session.submit(request("t1"))
        await live.rest()
        session.deliver(CallId("c1"), ToolResult((), follow_up=FollowUp("t2", {"a": 1})))
        assert isinstance(await live.settled, Completed)
    assert following.calls == [{"a": 1}]


async def test_a_parent_and_its_parked_child_are_stopped_when_the_session_closes(tmp_path: Path) -> None:
    journal = MemoryJournal()
    rules = rules_from([{"tool": "t2", "decision": "ask"}])
    async with opened(tmp_path, handing_on(), FakeTool("t2"), rules=rules, journal=journal) as session:
        await session.run(calls(("t1", {})), Wire.NEUTRAL, on_ask="park")
    assert isinstance(states_of(journal, "c1")[-1], Cancelled)
    assert [type(s) for s in states_of(journal, "c1.1")] == [Pending, AwaitingApproval, Cancelled]
