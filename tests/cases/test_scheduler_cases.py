"""How another product's scheduler behaves, where ours does the same: a test for each recorded case.

A case that has no test here, waits for nothing and is not decided otherwise fails, and so does one that is in
two of these lists.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from accounts import accounted, case
from call_harness import Person, opened, request, settled, started
from corpus_files import cases
from handrail.contract.basics import CallId
from handrail.contract.calls import Cancelled, Completed, Failed, Rejected
from handrail.contract.confirmation import Once
from handrail.contract.context import Output
from handrail.contract.events import fraction_of
from handrail.contract.hooks import Allow
from handrail.contract.results import FollowUp, ToolResult
from handrail.policy import rules_from
from handrail.runtime import resolver
from handrail.runtime.results import Budget
from handrail.runtime.spilling import SpillFolder
from handrail.session import Session
from handrail.testing import FakeTool, Fault, FaultyTool
from handrail.tools.update_topic import UpdateTopic
from handrail.wire import Wire
from neutral_calls import calls, kinds

GEMINI = cases("gemini_behaviour", "scheduler-*", "bus", "output-truncation")

DECIDED_OTHERWISE: dict[str, str] = {}


def test_every_case_is_accounted_for_once() -> None:
    assert accounted(globals(), DECIDED_OTHERWISE) == sorted(GEMINI)


def results(turn: Any) -> list[dict[str, Any]]:
    return turn.messages[-1]["results"]


@case("gm-scheduler-order-300")
async def test_a_topic_runs_first_and_alone_and_the_others_together(tmp_path: Path) -> None:
    met = asyncio.Barrier(2)
    ran: list[str] = []

    async def read(params: Any, context: Any) -> str:
        ran.append(params["path"])
        await met.wait()
        return "read"

    class Topic(UpdateTopic):
        async def run(self, params: Any, output: Output) -> ToolResult:
            await asyncio.sleep(0)
            ran.append("update_topic")
            return await super().run(params, output)

    given, expected = (GEMINI["gm-scheduler-order-300"][key] for key in ("given", "expect"))
    named = [word.split() for word in given["batch"]]
    batch = [(name, {"path": path[0]} if path else {"intent": "look"}) for name, *path in named]
    async with opened(tmp_path, FakeTool("read", read), Topic()) as session:
        turn = await session.run(calls(*batch), Wire.NEUTRAL)
    assert ran == [word.split()[-1] for group in expected for word in group]
    assert [state.request.name for state in turn.calls] == [name for name, *_ in named]


@case("gm-scheduler-cancel-303")
async def test_a_call_that_is_cancelled_before_it_runs_did_not_start(tmp_path: Path) -> None:
    tool = FakeTool("t")
    async with opened(tmp_path, tool) as session:
        live = session.submit(request("t"))
        await session.cancel(CallId("c1"))
    assert isinstance(live.settled.result(), Cancelled)
    assert "had not started" in live.settled.result().result.text
    assert tool.calls == []


@case("gm-scheduler-cancel-304")
async def test_a_call_that_is_cancelled_while_it_runs_keeps_its_partial_output(tmp_path: Path) -> None:
    async def talk(params: Any, context: Any) -> str:
        context.output.text(GEMINI["gm-scheduler-cancel-304"]["given"]["partialOutput"])
        await asyncio.Event().wait()
        return "never"

    async with opened(tmp_path, FakeTool("t", talk)) as session:
        live = await started(session, request("t"))
        await session.cancel(CallId("c1"))
    text = live.settled.result().result.text
    assert GEMINI["gm-scheduler-cancel-304"]["expect"]["response"]["output"] in text
    assert "cancelled by the caller" in text


@case("gm-scheduler-cancel-305", "gm-scheduler-cancel-306")
async def test_a_queued_batch_that_is_cancelled_has_its_results_and_keeps_its_errors(tmp_path: Path) -> None:
    async with opened(tmp_path, FaultyTool(Fault.HANGS), FakeTool("t"), at_once=1) as session:
        await started(session, request("faulty", id="first"))
        queued = asyncio.create_task(session.run(calls(("t", {}), ("missing", {})), Wire.NEUTRAL, turn="queued"))
        failed = asyncio.create_task(_until_failed(session))
        await failed
        await session.cancel_turn("queued")
        turn = await queued
    assert kinds(turn) == [Cancelled, Failed]
    assert results(turn)[1]["error"]["kind"] == "unknown_tool"


async def _until_failed(session: Session) -> None:
    async for event in session.events():
        if isinstance(getattr(event, "state", None), Failed):
            return


@case("gm-scheduler-error-310")
async def test_the_reason_of_a_deny_rule_reaches_the_model(tmp_path: Path) -> None:
    said = GEMINI["gm-scheduler-error-310"]["given"]["denyMessage"]
    rules = rules_from([{"tool": "t", "decision": "deny", "reason": said}])
    async with opened(tmp_path, FakeTool("t"), rules=rules) as session:
        state = await settled(session, "t")
    assert isinstance(state, Rejected)
    assert said in state.result.text


@case("gm-scheduler-tail-314", "gm-scheduler-tail-315")
@pytest.mark.parametrize(("tail", "kind"), [("t2", None), ("missing", "unknown_tool")])
async def test_a_tail_call_answers_under_the_first_ones_id_and_name(tmp_path: Path, tail: str, kind: Any) -> None:
    async def hand_on(params: Any, context: Any) -> ToolResult:
        return ToolResult((), follow_up=FollowUp(tail, {}))

    async with opened(tmp_path, FakeTool("t1", hand_on), FakeTool("t2")) as session:
        turn = await session.run(calls(("t1", {})), Wire.NEUTRAL)
    (answer,) = results(turn)
    expected = GEMINI["gm-scheduler-tail-314"]["expect"]
    assert (answer["id"], answer["name"]) == (expected["sameId"], expected["responseName"])
    assert (answer["error"] or {"kind": None})["kind"] == kind


@case("gm-scheduler-progress-316", "gm-scheduler-progress-317")
@pytest.mark.parametrize("id", ["gm-scheduler-progress-316", "gm-scheduler-progress-317"])
def test_progress_is_capped_and_an_invalid_total_ignored(id: str) -> None:
    given, percent = GEMINI[id]["given"], GEMINI[id]["expect"]["percent"]
    assert fraction_of(given["progress"], given["total"]) == (None if percent is None else percent / 100)


@case("gm-bus-346")
async def test_nobody_but_the_policy_lifts_a_deny(tmp_path: Path) -> None:
    tool = FakeTool("t")
    async with opened(tmp_path, tool, rules=rules_from([{"tool": "t", "decision": "deny"}])) as session:
        session.before_tool(trusted=True)(lambda use: Allow())
        assert isinstance(await settled(session, "t"), Rejected)
    assert tool.calls == []


@case("gm-bus-349")
async def test_a_tools_own_approval_that_does_not_come_in_time_is_asked_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolver, "APPROVAL_SECONDS", 0.01)

    async def never(params: Any) -> bool:
        await asyncio.Event().wait()
        return False

    person = Person(Once())
    async with opened(tmp_path, FakeTool("t", needs_approval=never), asker=person) as session:
        assert isinstance(await settled(session, "t"), Completed)
    assert len(person.asked) == 1


@case("gm-output-truncation-258")
async def test_a_fifth_of_what_is_shown_is_the_head_and_the_rest_the_tail(tmp_path: Path) -> None:
    expected = GEMINI["gm-output-truncation-258"]["expect"]
    threshold = GEMINI["gm-output-truncation-258"]["given"]["threshold"]
    budget = Budget(SpillFolder(tmp_path), threshold, threshold, lambda call: None)
    cut = await budget.fit(CallId("c1"), ToolResult.of_text("A" * 60 + "B" * 60), threshold)
    head, _, tail = cut.text.partition("\n[…")
    assert head == "A" * expected["head"]
    assert tail.endswith("\n" + "B" * expected["tail"])
    assert str(tmp_path / "c1.txt") in cut.text
