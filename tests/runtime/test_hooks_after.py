"""Hooks after a call, at its failure, and around questions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from call_harness import Person, opened, settled
from handrail.contract.basics import CallId
from handrail.contract.calls import (
    AwaitingApproval,
    Completed,
    Failed,
    Rejected,
)
from handrail.contract.confirmation import Once, Reject
from handrail.contract.hooks import (
    AddContext,
    ApprovalAnswered,
    ApprovalAsked,
    Block,
    ReplaceResult,
    Rewrite,
    ToolFault,
    ToolUse,
    ToolUsed,
)
from handrail.contract.results import ErrorKind, FollowUp, ToolResult
from handrail.errors import ToolFailed
from handrail.testing import FakeTool, Fault, FaultyTool
from handrail.tools import builtin_tools

WRITE = {"file_path": "a.txt", "content": "x"}


async def _raises(use: ToolUse) -> None:
    raise LookupError("no such list")


def _says(reply: Any) -> Any:
    async def say(use: ToolUse) -> Any:
        return reply

    return say


# After


async def test_an_after_hook_sees_the_result_and_adds_to_it(tmp_path: Path) -> None:
    seen: list[str] = []

    async with opened(tmp_path, FakeTool()) as session:

        @session.after_tool
        async def review(used: ToolUsed) -> AddContext:
            seen.append(used.result.text)
            return AddContext("looks fine")

        state = await settled(session, "fake")
    assert seen == ["ok"]
    assert state.result.text == "ok\n(From the hook review: looks fine)"


async def test_an_after_hook_replaces_the_result_for_the_next_hook_and_the_model(tmp_path: Path) -> None:
    seen: list[str] = []

    async def look(used: ToolUsed) -> None:
        seen.append(used.result.text)

    async with opened(tmp_path, FakeTool()) as session:
        session.after_tool(_says(ReplaceResult(ToolResult.of_text("[withheld]"))))
        session.after_tool(look)
        state = await settled(session, "fake")
    assert state.result.text == "[withheld]"
    assert seen == ["[withheld]"]


async def test_a_replaced_result_has_the_tools_budget_too(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool()) as session:
        session.after_tool(_says(ReplaceResult(ToolResult.of_text("x" * 1_000_000))))
        state = await settled(session, "fake")
    assert len(state.result.text) < 41_000


async def test_an_after_hook_sees_all_of_a_result_that_is_too_long_for_the_model(tmp_path: Path) -> None:
    async def flood(params: Any, context: Any) -> str:
        return "x" * 100_000 + "hunter2" + "x" * 100_000

    async with opened(tmp_path, FakeTool("flood", flood)) as session:

        @session.after_tool
        async def dlp(used: ToolUsed) -> list[Any]:
            clean = used.result.text.replace("hunter2", "[gone]")
            return [ReplaceResult(ToolResult.of_text(clean)), AddContext(f"{len(clean):,} characters, cleaned")]

        state = await settled(session, "flood")
    assert state.result.text.endswith("(From the hook dlp: 200,006 characters, cleaned)")
    assert len(state.result.text) < 41_000


async def test_a_boolean_for_a_number_is_a_change_too(tmp_path: Path) -> None:
    tool = FakeTool()
    async with opened(tmp_path, tool) as session:
        session.before_tool(_says(Rewrite({"all": True})))
        await settled(session, "fake", {"all": 1})
    assert tool.calls[0]["all"] is True


async def test_a_block_after_the_call_withholds_the_result_and_says_that_it_ran(tmp_path: Path) -> None:
    async def secret(params: Any, context: Any) -> str:
        return "hunter2"

    async with opened(tmp_path, FakeTool("leak", secret)) as session:
        session.after_tool(name="dlp")(_says(Block("it holds a password")))
        state = await settled(session, "leak")
    assert isinstance(state, Failed)
    assert state.fault.kind is ErrorKind.DENIED
    assert "leak ran, but its result is withheld" in state.result.text
    assert "hunter2" not in state.result.text


async def test_an_after_hook_that_fails_leaves_the_result_and_is_told_of(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool()) as session:
        session.after_tool(name="review")(_raises)
        state = await settled(session, "fake")
    assert isinstance(state, Completed)
    assert "ok" in state.result.text
    assert "From the hook review: It failed" in state.result.text


async def test_an_after_hook_that_guards_what_goes_out_withholds_it_when_it_fails(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool()) as session:
        session.after_tool(on_error="block")(_raises)
        state = await settled(session, "fake")
    assert isinstance(state, Failed)
    assert "ok" not in state.result.text.split()


async def test_an_after_hook_asks_for_a_follow_up(tmp_path: Path) -> None:
    formatter = FakeTool("format")
    async with opened(tmp_path, FakeTool(), formatter) as session:
        session.after_tool("fake")(_says(FollowUp("format", {"path": "a"})))
        assert isinstance(await settled(session, "fake"), Completed)
    assert formatter.calls == [{"path": "a"}]


# Failures


async def test_a_failure_hook_hears_of_calls_that_ran_and_failed(tmp_path: Path) -> None:
    told: list[ToolFault] = []

    async def hear(fault: ToolFault) -> AddContext:
        told.append(fault)
        return AddContext("the server is down today")

    async with opened(tmp_path, FaultyTool(Fault.FAILS), FakeTool()) as session:
        session.on_failure(hear)
        state = await settled(session, "faulty")
        await settled(session, "fake", id="c2")
        await settled(session, "nothing", id="c3")
    assert [(fault.call, fault.kind) for fault in told] == [("c1", ErrorKind.FAILED)]
    assert "There is no such thing. Name another." in state.result.text
    assert "the server is down today" in state.result.text


async def test_a_failure_keeps_its_own_message_whatever_the_hook_does(tmp_path: Path) -> None:
    async def fail(params: Any, context: Any) -> str:
        raise ToolFailed("The disk is full.")

    async with opened(tmp_path, FakeTool("save", fail)) as session:
        session.on_failure(_raises)
        session.on_failure(_says(ReplaceResult(ToolResult.of_text("all good"))))
        state = await settled(session, "save")
    assert isinstance(state, Failed)
    assert state.fault.message == "The disk is full."


# Approvals


async def test_approval_hooks_hear_of_the_question_before_it_is_put_and_of_its_answer(tmp_path: Path) -> None:
    heard: list[Any] = []

    class Listening(Person):
        async def answer(self, call: AwaitingApproval) -> Any:
            heard.append("person")
            return await super().answer(call)

    async def hear(notice: ApprovalAsked | ApprovalAnswered) -> None:
        heard.append(notice)

    person = Listening(Reject("no"))
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person) as session:
        session.on_approval_asked(hear)
        session.on_approval_answered(hear)
        await settled(session, "write_file", WRITE)
        await settled(session, "read_file", {"file_path": "a.txt"}, id="c2")
    asked, who, answered = heard
    assert who == "person"
    assert asked == ApprovalAsked(
        CallId("c1"), None, "write_file", WRITE, person.asked[0].approval, person.asked[0].decision.reason
    )
    assert (answered.approval, answered.outcome, answered.source) == (asked.approval, "rejected", "person:test")


async def test_an_approval_hook_may_spare_a_person_the_question(tmp_path: Path) -> None:
    person = Person(Once())
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person) as session:
        session.on_approval_asked(name="night")(_says(Block("nobody is to be woken")))
        state = await settled(session, "write_file", WRITE)
    assert isinstance(state, Rejected)
    assert str(state.decision.source) == "hook:night"
    assert person.asked == []


async def test_an_approval_hook_that_fails_blocks(tmp_path: Path) -> None:
    person = Person(Once())
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=person) as session:
        session.on_approval_asked(_raises)
        assert isinstance(await settled(session, "write_file", WRITE), Rejected)
    assert person.asked == []


async def test_what_a_hook_says_of_an_answer_changes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=Person(Once())) as session:
        session.on_approval_answered(_says(Block("too late")))
        assert isinstance(await settled(session, "write_file", WRITE), Completed)
