"""Faults that people reported of schedulers and interrupts: a test for each.

Every case of the areas below has a test here, is tested elsewhere, or waits for a capability that is not
there yet. A case that is in none of the lists fails, and so does one that is in two.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from accounts import accounted, case
from call_harness import Person, opened, request, settled, started, states_of
from corpus_files import cases
from handrail.contract.basics import CallId
from handrail.contract.calls import Cancelled, Canceller, Completed, Failed, Rejected
from handrail.contract.confirmation import Once, Reject
from handrail.contract.results import ErrorKind, ToolResult
from handrail.errors import ToolFailed, UsageError
from handrail.policy import rules_from
from handrail.session import Session
from handrail.testing import FakeTool, Fault, FaultyTool, MemoryJournal
from handrail.tools import builtin_tools
from handrail.wire import Wire
from neutral_calls import calls, kinds, read, write

PERMISSION = cases("permission_faults", "tool_result pairing / parallel", "interrupt")
REPORTED = cases("reported_faults", "scheduler_approval")

TESTED_ELSEWHERE = {
    "SC32": "tests/cases/test_hook_cases.py",
    "SC34": "tests/cases/test_hook_cases.py",
    "SC35": "tests/cases/test_hook_cases.py",
    "cc-086": "tests/runtime/test_recovery.py",
    "SC04": "tests/runtime/test_recovery.py",
    "SC24": "tests/e2e/test_approvals.py",
    "SC37": "tests/policy/test_rule_file.py",
    "cc-085": "tests/cases/test_subagent_cases.py",
    "SC02": "tests/agent/test_compacting.py",
}
WAITING = {
    "SC33": "hooks as commands: what a hook in Python does when it fails is in tests/runtime/test_hooks.py",
}


def test_every_case_is_accounted_for_once() -> None:
    assert accounted(globals(), TESTED_ELSEWHERE, WAITING) == sorted({**PERMISSION, **REPORTED})


@pytest.mark.parametrize("path", sorted(set(TESTED_ELSEWHERE.values())))
def test_what_is_tested_elsewhere_is_there(path: str) -> None:
    assert (Path(__file__).parents[2] / path).is_file()


def results(turn: Any) -> list[dict[str, Any]]:
    return turn.messages[-1]["results"]


# Pairing, and calls side by side


@case("cc-076")
async def test_a_response_that_breaks_off_gives_no_call_without_a_result(tmp_path: Path) -> None:
    async def broken_off() -> AsyncIterator[dict[str, Any]]:
        block = {"type": "tool_use", "id": "t1", "name": "t", "input": {}}
        yield {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}}
        yield {"type": "content_block_start", "index": 0, "content_block": block}
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": '{"a'}}

    tool = FakeTool("t")
    async with opened(tmp_path, tool) as session:
        turn = await session.run(broken_off())
    assistant, answer = turn.messages
    assert [block["id"] for block in assistant["content"]] == [block["tool_use_id"] for block in answer["content"]]
    assert tool.calls == []


@case("cc-078")
async def test_a_search_without_a_match_is_no_error_and_touches_no_other_call(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    batch = calls(("shell", {"command": "grep nothing a.txt"}), *[read("a.txt")] * 26)
    async with opened(tmp_path, *builtin_tools()) as session:
        turn = await session.run(batch, Wire.NEUTRAL)
    assert kinds(turn) == [Completed] * 27
    assert "Exit code: 1" in results(turn)[0]["result"]


@case("cc-079", "SC05")
async def test_each_cause_has_its_own_words_and_none_blames_the_user(tmp_path: Path) -> None:
    slow = FaultyTool(Fault.HANGS, "slow")
    slow.timeout = 0.01
    texts = {}
    async with opened(tmp_path, FaultyTool(Fault.HANGS, "hang"), slow, FaultyTool(Fault.RAISES)) as session:
        texts["timeout"] = (await settled(session, "slow", id="c1")).result.text
        texts["failure"] = (await settled(session, "faulty", id="c2")).result.text
        running = await started(session, request("hang", id="c3"))
        await session.cancel(CallId("c3"), "not needed")
        texts["cancelled"] = running.settled.result().result.text
        waiting = await started(session, request("hang", id="c4"))
    texts["shutdown"] = waiting.settled.result().result.text
    assert len(set(texts.values())) == 4
    assert "the session: it was closed" in texts["shutdown"]
    assert "the caller: not needed" in texts["cancelled"]
    assert "stopped after 0.01 s" in texts["timeout"]
    assert all("user" not in text.lower() for text in texts.values())
    assert all("may have done a part of its work" in texts[cause] for cause in ("timeout", "cancelled", "shutdown"))


@case("cc-080", "cc-081", "SC16")
async def test_a_failing_call_keeps_its_own_message_and_takes_nobody_along(tmp_path: Path) -> None:
    async def no_route(params: Any, context: Any) -> str:
        raise ToolFailed("The server has no route to Brest.")

    async def invalid(params: Any, context: Any) -> str:
        raise ValueError("bad tide")

    tools = (
        *builtin_tools(),
        FakeTool("ok"),
        FakeTool("maps", no_route),
        FakeTool("tide", invalid),
        FaultyTool(Fault.CANCELS_ITSELF),
    )
    async with opened(tmp_path, *tools) as session:
        names = ("maps", "ok", "tide", "faulty", "ok")
        turn = await session.run(calls(*[(name, {}) for name in names], read("none.txt")), Wire.NEUTRAL)
    assert kinds(turn) == [Failed, Completed, Failed, Failed, Completed, Failed]
    assert results(turn)[0]["error"]["message"] == "The server has no route to Brest."
    assert "ValueError: bad tide" in results(turn)[2]["error"]["message"]


@case("cc-082")
async def test_a_limit_of_one_runs_one_call_after_the_other(tmp_path: Path) -> None:
    running = most = 0

    async def count(params: Any, context: Any) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1
        return "ok"

    async with opened(tmp_path, FakeTool("t", count), at_once=1) as session:
        await session.run(calls(*[("t", {})] * 8), Wire.NEUTRAL)
    assert most == 1


@case("cc-084")
async def test_an_id_that_comes_twice_in_a_response_is_answered_twice_under_two_ids(tmp_path: Path) -> None:
    block = {"type": "tool_use", "id": "t1", "name": "t", "input": {"a": 1}}
    message = {"type": "message", "role": "assistant", "content": [block, block], "stop_reason": "tool_use"}
    async with opened(tmp_path, FakeTool("t")) as session:
        turn = await session.run(message)
    asked = [block["id"] for block in turn.messages[0]["content"]]
    assert len(set(asked)) == 2
    assert [block["tool_use_id"] for block in turn.messages[1]["content"]] == asked


@case("SC07")
async def test_a_server_that_gives_every_call_the_same_id_gets_every_result(tmp_path: Path) -> None:
    async def echo(params: Any, context: Any) -> str:
        return f"result {params['n']}"

    said = []
    async with opened(tmp_path, FakeTool("t", echo)) as session:
        for n in range(3):
            turn = await session.run({"calls": [{"id": "K", "name": "t", "arguments": {"n": n}}]}, Wire.NEUTRAL)
            said.append([(entry["id"], entry["result"]) for entry in results(turn)])
    assert said == [[("K", f"result {n}")] for n in range(3)]


@case("SC11")
async def test_arguments_that_can_not_be_read_run_nothing_and_ask_nobody(tmp_path: Path) -> None:
    tool, person = FakeTool("delete_all", needs_approval=True), Person(Once())
    call = {"id": "c1", "type": "function", "function": {"name": "delete_all", "arguments": '{"path": "a'}}
    response = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    async with opened(tmp_path, tool, asker=person) as session:
        turn = await session.run(response)
    assert kinds(turn) == [Failed]
    assert (tool.calls, person.asked) == ([], [])


@case("SC12")
@pytest.mark.parametrize(
    ("sent", "ran"),
    [("null", {}), ("[]", None), ('"{\\"a\\":1}"', {"a": 1}), ("5", None), ("x" * 1_000_000, None)],
    ids=["null", "array", "object in a string", "number", "garbage"],
)
async def test_arguments_that_are_no_object_have_one_rule_and_a_short_echo(
    tmp_path: Path, sent: str, ran: dict[str, Any] | None
) -> None:
    tool = FakeTool("t")
    call = {"id": "c1", "type": "function", "function": {"name": "t", "arguments": sent}}
    response = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}, "finish_reason": "tool_calls"}]}
    async with opened(tmp_path, tool) as session:
        turn = await session.run(response)
    assert tool.calls == ([] if ran is None else [ran])
    assert len(turn.messages[-1]["content"]) < 1_000


@case("SC13")
async def test_an_unknown_tool_fails_alone_and_near_names_are_given(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool("get_weather")) as session:
        turn = await session.run(calls(("get_weather2", {}), ("get_weather", {})), Wire.NEUTRAL)
    assert kinds(turn) == [Failed, Completed]
    assert "get_weather" in results(turn)[0]["error"]["message"].partition("closest")[2]


@case("SC18")
async def test_cancelling_one_agent_leaves_the_other_and_both_have_results(tmp_path: Path) -> None:
    go_on = asyncio.Event()

    async def work(params: Any, context: Any) -> str:
        await go_on.wait()
        return "done"

    async def delegate(params: Any, context: Any) -> ToolResult:
        return await context.calls.call("work", {})

    async with opened(tmp_path, FakeTool("agent", delegate, makes_calls=True), FakeTool("work", work)) as session:
        one, other = [await started(session, request("agent", id=id)) for id in ("c1", "c2")]
        await session.cancel(CallId("c1"))
        go_on.set()
        assert isinstance(await other.settled, Completed)
    assert isinstance(one.settled.result(), Cancelled)


@case("SC38")
async def test_a_call_that_fits_no_schema_has_its_own_record_and_shifts_nobodys_result(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("content of a")
    journal = MemoryJournal()
    async with opened(tmp_path, *builtin_tools(), journal=journal) as session:
        turn = await session.run(calls(("read_file", {"path": "a.txt"}), read("a.txt")), Wire.NEUTRAL)
    assert [entry["id"] for entry in results(turn)] == ["c1", "c2"]
    assert results(turn)[0]["error"]["kind"] == "invalid_arguments"
    assert "content of a" in results(turn)[1]["result"]
    assert isinstance(states_of(journal, "c1")[-1], Failed)


# Interrupts


async def _nested(session: Session, began: asyncio.Event) -> Any:
    live = session.submit(request("agent"))
    await began.wait()
    return live


def _agents(began: asyncio.Event, after: FakeTool) -> tuple[FakeTool, ...]:
    """An agent that calls an agent that calls a tool that hangs, and then another."""

    async def hang(params: Any, context: Any) -> str:
        began.set()
        await asyncio.Event().wait()
        return "never"

    async def inner(params: Any, context: Any) -> ToolResult:
        await context.calls.call("hang", {})
        return await context.calls.call(after.name, {})

    async def outer(params: Any, context: Any) -> ToolResult:
        await context.calls.call("inner", {})
        return await context.calls.call(after.name, {})

    return (
        FakeTool("agent", outer, makes_calls=True),
        FakeTool("inner", inner, makes_calls=True),
        FakeTool("hang", hang),
        after,
    )


@case("cc-139", "cc-141")
async def test_an_interrupt_reaches_every_nested_call(tmp_path: Path) -> None:
    began, after, journal = asyncio.Event(), FakeTool("after"), MemoryJournal()
    async with opened(tmp_path, *_agents(began, after), journal=journal) as session:
        live = await _nested(session, began)
        await session.cancel_all("escape")
        assert isinstance(live.settled.result(), Cancelled)
        assert all(isinstance(states_of(journal, id)[-1], Cancelled) for id in ("c1", "c1.1", "c1.1.1"))
    assert after.calls == []


@case("cc-142")
async def test_an_interrupt_leaves_background_work_alone(tmp_path: Path) -> None:
    async def serve() -> None:
        await asyncio.Event().wait()

    async def start(params: Any, context: Any) -> str:
        return str(context.jobs.start("server", serve()))

    async with opened(tmp_path, FakeTool("start", start), FaultyTool(Fault.HANGS)) as session:
        await settled(session, "start")
        await started(session, request("faulty", id="c2"))
        await session.cancel_all("escape")
        assert [job.name for job in session.jobs()] == ["server"]


@case("cc-143")
async def test_no_call_starts_after_a_stop(tmp_path: Path) -> None:
    began, after = asyncio.Event(), FakeTool("after")
    async with opened(tmp_path, *_agents(began, after)) as session:
        await _nested(session, began)
        await session.end(Canceller("a person", "stop"))
        turn = await session.run(calls(("after", {})), Wire.NEUTRAL)
    assert kinds(turn) == [Cancelled]
    assert after.calls == []


# Approvals side by side


@case("SC19", "SC20", "SC26")
async def test_questions_side_by_side_have_their_own_ids_and_answers(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default") as session:
        batch = calls(write("a.txt"), write("b.txt"), write("c.txt"))
        parked = await session.run(batch, Wire.NEUTRAL, on_ask="park")
        a, b, c = (question.approval for question in parked.pending)
        assert len({a, b, c}) == 3
        turn = await session.resume(parked, {c: Reject(""), b: Reject("use d.txt"), a: Once()})
    assert kinds(turn) == [Completed, Rejected, Rejected]
    assert "use d.txt" in results(turn)[1]["error"]["message"]
    assert "use d.txt" not in results(turn)[2]["error"]["message"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt"]


@case("SC22")
async def test_a_question_is_answered_once_and_an_unknown_one_never(tmp_path: Path) -> None:
    tool = FakeTool("t", needs_approval=True)
    async with opened(tmp_path, tool) as session:
        parked = await session.run(calls(("t", {})), Wire.NEUTRAL, on_ask="park")
        (question,) = parked.pending
        assert session.answer(question.approval, Once(), "one")
        assert not session.answer(question.approval, Once(), "two")
        assert not session.answer(question.approval, Reject(), "three")
        with pytest.raises(UsageError, match="not open"):
            await session.resume(parked, {"a-unknown": Once()})
        await session.resume(parked)
    assert len(tool.calls) == 1


@case("SC27")
async def test_a_gated_batch_starts_nothing_until_all_decisions_are_in(tmp_path: Path) -> None:
    batch = calls(write("x.txt"), ("shell", {"command": "touch y"}))
    rules = rules_from([{"tool": "shell", "decision": "allow"}])
    async with opened(tmp_path, *builtin_tools(), mode="default", rules=rules, gate_batch=True) as session:
        parked = await session.run(batch, Wire.NEUTRAL, on_ask="park")
        assert not (tmp_path / "y").exists()
        await session.resume(parked, {parked.pending[0].approval: Reject()})
    assert [path.name for path in tmp_path.iterdir()] == ["y"]


@case("SC30")
async def test_a_no_is_a_result_and_no_cancelled_turn(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=Person(Reject("no"))) as session:
        turn = await session.run(calls(write("a.txt")), Wire.NEUTRAL)
    assert kinds(turn) == [Rejected]
    assert turn.calls[0].fault.kind is ErrorKind.REJECTED
    assert turn.messages
