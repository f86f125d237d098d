"""Questions that are answered by another process: while the asking one lives, and while it is dead."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from standing import ADA, BEN, Place

from handrail.authoring.json_schema import schema_parameters
from handrail.contract.basics import Instant
from handrail.contract.calls import AwaitingApproval, Cancelled, Completed, Rejected
from handrail.contract.confirmation import (
    Always,
    Answer,
    CancelCall,
    EditArguments,
    GrantOption,
    Once,
    QuestionConfirmation,
    Reject,
    Reply,
)
from handrail.contract.context import RunContext
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import ErrorKind, ToolResult
from handrail.errors import UsageError
from handrail.runtime.audit import verify_chain
from handrail.runtime.stored_sessions import prune
from handrail.testing import FakeTool
from neutral_calls import calls, kinds, read, write


def writer() -> FakeTool:
    return FakeTool("writer", claims=lambda given: Claims(writes=(PathClaim(str(given["path"])),)))


def asking(question: QuestionConfirmation) -> FakeTool:
    async def ask(given: Any, context: RunContext) -> ToolResult:
        return ToolResult.of_text(f"They said {await context.questions.ask(question)}.")

    return FakeTool("asking", ask, makes_calls=True)


WRITE = ("writer", {"path": "a.txt"})


@pytest.fixture
def tool() -> FakeTool:
    return writer()


@pytest.fixture
def place(tmp_path: Path, tool: FakeTool) -> Place:
    return Place(tmp_path, [tool])


ANSWERS: list[tuple[Answer, type, int]] = [
    (Once(), Completed, 1),
    (Reject("use b.txt"), Rejected, 0),
    (CancelCall(), Cancelled, 0),
]


@pytest.mark.parametrize(("answer", "state", "runs"), ANSWERS)
async def test_an_answer_from_another_process_is_noticed_by_the_one_that_asks(
    place: Place, tool: FakeTool, answer: Answer, state: type, runs: int
) -> None:
    async with place.session() as session:
        parked = await session.run(calls(WRITE), on_ask="park")
        await asyncio.to_thread(place.answer, parked.pending[0].approval, answer)
        turn = await session.resume(parked)
        while turn.waiting:  # not noticed yet: it stays parked until then
            await anext(session.events())
            turn = await session.resume(turn)
    assert kinds(turn) == [state]
    assert len(tool.calls) == runs
    assert str(turn.calls[0].fault.message if state is Cancelled else turn.calls[0].decision.source).endswith(
        "It had not started, and changed nothing. Ask them before you make it again." if state is Cancelled else "cli"
    )


@pytest.mark.parametrize(("answer", "state", "runs"), ANSWERS)
async def test_an_answer_to_a_dead_process_waits_for_the_next_one(
    place: Place, tool: FakeTool, answer: Answer, state: type, runs: int
) -> None:
    async with place.session() as session:
        parked = await session.run(calls(WRITE), on_ask="park")
    place.answer(parked.pending[0].approval, answer)
    assert tool.calls == []
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert kinds(turn) == [state]
    assert turn.messages
    assert len(tool.calls) == runs
    assert place.find(parked.pending[0].approval).state == "settled"
    assert verify_chain(place.journal, session.id) == []


async def test_a_question_is_asked_again_under_its_own_id_and_runs_once(place: Place, tool: FakeTool) -> None:
    async with place.session() as session:
        parked = await session.run(calls(WRITE), on_ask="park")
    async with place.session(session.id) as again:
        (turn,) = await again.take_up(on_ask="park")
        assert turn.pending == parked.pending
        assert again.pending() == parked.pending
        turn = await again.resume(turn, {parked.pending[0].approval: Once()})
    assert kinds(turn) == [Completed]
    async with place.session(session.id) as third:
        (repeated,) = await third.take_up()
    assert repeated.messages == turn.messages
    assert len(tool.calls) == 1


async def test_several_questions_are_all_there_with_ids_of_their_own(place: Place, tool: FakeTool) -> None:
    async with place.session() as session:
        parked = await session.run(calls(WRITE, ("writer", {"path": "b.txt"})), on_ask="park")
    first, second = (asked.approval for asked in parked.pending)
    assert {question.id for question in place.open_questions()} == {first, second}
    place.answer(second, Reject("not b"), BEN)
    place.answer(first, Once())
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert kinds(turn) == [Completed, Rejected]
    assert "not b" in turn.calls[1].result.text
    assert tool.calls == [{"path": "a.txt"}]


async def test_the_first_answer_wins_and_the_second_is_told_who_was_first(place: Place) -> None:
    async with place.session() as session:
        await session.run(calls(WRITE), on_ask="park")
    (question,) = place.open_questions()
    place.answer(question.id, Reject("no"), ADA)
    with pytest.raises(UsageError, match="ada at cli: no: no"):
        place.answer(question.id, Once(), BEN)
    assert place.find(question.id).given.by == ADA


async def test_of_two_processes_that_answer_at_once_the_file_says_who_was_first(place: Place, tool: FakeTool) -> None:
    async with place.session() as session:
        parked = await session.run(calls(WRITE), on_ask="park")
        approval = parked.pending[0].approval
        place.answer(approval, Reject("no"), BEN)
        assert session.answer(approval, Once(), "here")
        turn = await session.resume(parked)
    assert kinds(turn) == [Rejected]
    assert str(turn.calls[0].decision.source) == "person:web"
    assert tool.calls == []


async def test_an_answer_given_here_is_kept_with_who_gave_it(place: Place) -> None:
    async with place.session() as session:
        parked = await session.run(calls(WRITE), on_ask="park")
        await session.resume(parked, {parked.pending[0].approval: Once()})
    kept = place.find(parked.pending[0].approval)
    assert kept.state == "settled"
    assert kept.given.answer == Once()
    assert kept.given.by.surface == "resume"
    assert kept.given.by.user
    assert kept.given.by.ancestry[0].pid > 0


async def test_an_answer_to_something_else_than_is_shown_is_refused(place: Place) -> None:
    async with place.session() as session:
        await session.run(calls(WRITE), on_ask="park")
    (question,) = place.open_questions()
    with pytest.raises(UsageError, match="has changed since you saw it"):
        place.answer(question.id, Once(), fingerprint="0" * 64)
    place.answer(question.id, Once(), fingerprint=question.fingerprint)


async def test_a_yes_is_void_when_what_would_be_shown_has_changed_meanwhile(tmp_path: Path) -> None:
    place = Place(tmp_path)
    (tmp_path / "a.txt").write_text("one\n")
    async with place.session() as session:
        await session.run(calls(read("a.txt"), write("a.txt", "two\n")), on_ask="park")
    (question,) = place.open_questions()
    place.answer(question.id, Once())
    (tmp_path / "a.txt").write_text("three\n")
    async with place.session(session.id) as again:
        (turn,) = await again.take_up(on_ask="park")
    (asked_anew,) = turn.pending
    assert asked_anew.approval != question.id
    assert asked_anew.confirmation.old == "three\n"
    assert (tmp_path / "a.txt").read_text() == "three\n"


async def test_edited_arguments_from_elsewhere_are_decided_anew_and_told_to_the_model(
    place: Place, tool: FakeTool
) -> None:
    async with place.session() as session:
        await session.run(calls(WRITE), on_ask="park")
    place.answer(place.open_questions()[0].id, EditArguments({"path": "b.txt"}))
    async with place.session(session.id) as again:
        (turn,) = await again.take_up(on_ask="park")
    (question,) = place.open_questions()
    assert question.shown.arguments == {"path": "b.txt"}
    place.answer(question.id, Once())
    async with place.session(session.id) as third:
        (turn,) = await third.take_up()
    assert tool.calls == [{"path": "b.txt"}]
    assert "A person changed the arguments" in turn.calls[0].result.text


MISFITS = [
    ({"path": 7}, r"- path: got an integer"),
    ({}, r"- path: "),
    ({"path": "b", "more": 1}, r"- more: "),
    ({"path": "b", "wait_for_previous": 1, "more": 1}, r"- more: "),
]


def strict_writer() -> FakeTool:
    schema = {"properties": {"path": {"type": "string"}}, "required": ["path"], "additionalProperties": False}
    tool = writer()
    tool.parameters = schema_parameters(schema)
    return tool


@pytest.mark.parametrize(("arguments", "problem"), MISFITS)
async def test_an_edit_that_does_not_fit_the_tool_leaves_the_question_open(
    tmp_path: Path, arguments: dict[str, Any], problem: str
) -> None:
    place = Place(tmp_path, [tool := strict_writer()])
    async with place.session() as session:
        parked = await session.run(calls(WRITE), on_ask="park")
        (question,) = place.open_questions()
        for answer in (place.answer, lambda id, edited: session.answer(id, edited, "here")):
            with pytest.raises(UsageError, match=problem):
                answer(question.id, EditArguments(arguments))
        assert place.open_questions() == [question]
        turn = await session.resume(parked, {question.id: Once()})
    assert kinds(turn) == [Completed]
    assert tool.calls == [{"path": "a.txt"}]


async def test_the_schema_of_a_tool_is_kept_once_and_goes_with_its_last_question(place: Place) -> None:
    async with place.session() as session:
        await session.run(calls(WRITE, ("writer", {"path": "b.txt"})), on_ask="park")
    with place.store() as store:
        first, second = store.open_questions()
        assert first.schema == second.schema
        assert store.schema_of(first)["type"] == "object"
    prune(place.journal, Instant(1e12), whole=True, unfinished=True, dry_run=False)
    with place.store() as store:
        assert store.schema_of(first) is None


@pytest.mark.parametrize(
    ("answer", "state", "ran"),
    [
        (Reject("use b.txt"), Rejected, []),
        (CancelCall(), Cancelled, []),
        (EditArguments({"path": "b.txt"}), Completed, [{"path": "b.txt"}]),
        (Once(), Completed, [{"path": "a.txt"}]),
    ],
)
async def test_what_a_person_said_holds_though_nothing_would_be_asked_any_more(
    place: Place, tool: FakeTool, answer: Answer, state: type, ran: list[Any]
) -> None:
    async with place.session() as session:
        await session.run(calls(WRITE), on_ask="park")
    place.answer(place.open_questions()[0].id, answer)
    place.options["mode"] = "bypass"
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert kinds(turn) == [state]
    assert tool.calls == ran


async def test_a_question_that_expired_is_rejected_though_nothing_would_be_asked_any_more(
    place: Place, tool: FakeTool
) -> None:
    async with place.session(clock=lambda: 1_000.0, answer_within=60.0) as session:
        await session.run(calls(WRITE), on_ask="park")
    place.options["mode"] = "bypass"
    async with place.session(session.id, clock=lambda: 2_000.0) as again:
        (turn,) = await again.take_up()
    assert turn.calls[0].fault.kind is ErrorKind.EXPIRED
    assert tool.calls == []


async def test_a_cancelled_call_leaves_no_open_question(place: Place) -> None:
    async with place.session() as session:
        parked = await session.run(calls(WRITE), on_ask="park")
        await session.cancel(parked.calls[0].request.id)
    assert place.open_questions() == []
    with pytest.raises(UsageError, match="no longer asked"):
        place.answer(parked.pending[0].approval, Once())


async def test_an_unanswered_question_expires_by_the_clock(place: Place, tool: FakeTool) -> None:
    now = 1_000.0
    async with place.session(clock=lambda: now, answer_within=60.0) as session:
        parked = await session.run(calls(WRITE), on_ask="park")
        assert parked.pending[0].expires_at == 1_060.0
        now = 1_061.0
        turn = await session.resume(parked)
        while turn.waiting:
            await anext(session.events())
            turn = await session.resume(turn)
    assert kinds(turn) == [Rejected]
    assert turn.calls[0].fault.kind is ErrorKind.EXPIRED
    assert place.find(parked.pending[0].approval).state == "expired"
    assert tool.calls == []


async def test_a_question_expires_while_the_process_is_dead(place: Place, tool: FakeTool) -> None:
    async with place.session(clock=lambda: 1_000.0, answer_within=60.0) as session:
        parked = await session.run(calls(WRITE), on_ask="park")
    with place.store() as store, pytest.raises(UsageError, match="expired"):
        store.answer(parked.pending[0].approval, Once(), ADA, at=2_000.0)
    async with place.session(session.id, clock=lambda: 2_000.0) as again:
        (turn,) = await again.take_up()
    assert turn.calls[0].fault.kind is ErrorKind.EXPIRED
    assert tool.calls == []


async def test_a_question_waits_for_ever_unless_told_otherwise(place: Place) -> None:
    async with place.session() as session:
        parked = await session.run(calls(WRITE), on_ask="park")
    assert parked.pending[0].expires_at is None
    assert place.open_questions()[0].expires_at is None


COLOUR = QuestionConfirmation("A question", "Which colour?", ("red", "blue"))


@pytest.mark.parametrize("answer", [Once(), EditArguments({"path": "b"})])
async def test_a_yes_is_no_answer_to_a_question(tmp_path: Path, answer: Answer) -> None:
    place = Place(tmp_path, [asking(COLOUR)])
    async with place.session() as session:
        parked = await session.run(calls(("asking", {})), on_ask="park")
        (question,) = session.pending()
        with pytest.raises(UsageError, match="no answer"):
            session.answer(question.approval, answer, "here")
        with pytest.raises(UsageError, match="no answer"):
            place.answer(question.approval, answer)
        session.answer(question.approval, Reply("blue"), "here")
        turn = await session.resume(parked)
    assert turn.calls[0].result.text == "They said blue."


async def test_a_reply_and_a_grant_that_was_not_offered_answer_no_call(place: Place) -> None:
    async with place.session() as session:
        await session.run(calls(WRITE), on_ask="park")
    (question,) = place.open_questions()
    for answer in (Reply("yes"), Always(GrantOption("all", "user", "writer"))):
        with pytest.raises(UsageError):
            place.answer(question.id, answer)


async def test_a_tools_question_outlives_its_process_and_is_asked_once(tmp_path: Path) -> None:
    place = Place(tmp_path, [asking(COLOUR)])
    async with place.session() as session:
        await session.run(calls(("asking", {})), on_ask="park")
    (question,) = place.open_questions()
    assert (question.kind, question.shown.confirmation) == ("question", COLOUR)
    place.answer(question.id, Reply("red"))
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert turn.calls[0].result.text == "They said red."
    assert place.open_questions() == []
    assert verify_chain(place.journal, session.id) == []


async def test_a_rejected_question_is_told_to_the_tool_that_asks(tmp_path: Path) -> None:
    place = Place(tmp_path, [asking(COLOUR)])
    async with place.session() as session:
        turn = await session.run(calls(("asking", {})), on_ask=lambda _: Reject("ask later"))
    assert turn.calls[0].fault.kind is ErrorKind.FAILED
    assert "ask later" in turn.calls[0].result.text


async def test_no_allow_rule_or_mode_replies_to_a_question(tmp_path: Path) -> None:
    place = Place(tmp_path, [asking(COLOUR)], {"mode": "bypass"})
    async with place.session() as session:
        turn = await session.run(calls(("asking", {})), on_ask="park")
        assert [type(asked) for asked in session.pending()] == [AwaitingApproval]
        await session.cancel_turn(turn)
