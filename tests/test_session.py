"""What a session offers a loop beside carrying calls out: questions, resumption, events, cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from handrail.contract.basics import ApprovalId
from handrail.contract.calls import (
    Approved,
    AwaitingApproval,
    Cancelled,
    Completed,
    Executing,
    Failed,
    Rejected,
)
from handrail.contract.confirmation import Answer, EditArguments, EditConfirmation, Once, Reject
from handrail.contract.events import CallChanged, Event, NoticeGiven, OutputArrived, ProgressMade
from handrail.contract.ports import Unanswered
from handrail.contract.results import ErrorKind, ToolResult
from handrail.errors import UsageError
from handrail.runtime.parts import Parts
from handrail.runtime.turns import Turn
from handrail.session import Session
from handrail.testing import FakeTool, MemoryJournal
from handrail.tools import builtin_tools
from neutral_calls import calls, kinds, read, write

Opened = Callable[..., AbstractAsyncContextManager[Session]]


@pytest.fixture
def opened(tmp_path: Path) -> Opened:
    @asynccontextmanager
    async def opened(*tools: Any, **options: Any) -> AsyncIterator[Session]:
        parts = Parts(tools=tools or None, journal=MemoryJournal())
        async with Session.open(tmp_path, parts=parts, **options) as session:
            yield session

    return opened


async def asked(session: Session) -> AwaitingApproval:
    """The first open question, as soon as there is one."""
    async for _ in session.events():
        if session.pending():
            break
    return session.pending()[0]


# Questions


async def test_hold_waits_in_place_for_an_answer_at_the_desk(opened: Opened, tmp_path: Path) -> None:
    async with opened() as session:
        asking = asyncio.create_task(asked(session))
        await asyncio.sleep(0)
        running = asyncio.create_task(session.run(calls(write("a.txt"), read("a.txt")), on_ask="hold"))
        question = await asking
        assert isinstance(question.confirmation, EditConfirmation)
        assert not running.done()
        assert session.answer(question.approval, Once(), "web")
        turn = await running
    assert kinds(turn) == [Completed, Completed]
    assert str(turn.calls[0].decision.source) == "person:web"
    assert (tmp_path / "a.txt").read_text() == "x"


async def test_reject_denies_what_would_be_asked_and_runs_the_rest(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("b")
    async with opened() as session:
        turn = await session.run(calls(write("a.txt"), read("b.txt")), on_ask="reject")
    assert kinds(turn) == [Rejected, Completed]
    assert turn.calls[0].fault.kind is ErrorKind.DENIED
    assert turn.messages
    assert not (tmp_path / "a.txt").exists()


def yes(call: AwaitingApproval) -> Answer:
    return Once()


def no(call: AwaitingApproval) -> Answer:
    return Reject("use another name")


def elsewhere(call: AwaitingApproval) -> Answer:
    if call.invocation.arguments["file_path"] == "b.txt":
        return Once()
    return EditArguments({"file_path": "b.txt", "content": "x"})


def nobody(call: AwaitingApproval) -> Unanswered:
    return Unanswered.NOBODY


def later(call: AwaitingApproval) -> Unanswered:
    return Unanswered.LATER


def raising(call: AwaitingApproval) -> Answer:
    raise LookupError("the form is gone")


def absent_minded(call: AwaitingApproval) -> Answer:
    return None


ANSWERS: list[tuple[Callable[[AwaitingApproval], Any], type, ErrorKind | None]] = [
    (yes, Completed, None),
    (no, Rejected, ErrorKind.REJECTED),
    (elsewhere, Completed, None),
    (nobody, Rejected, ErrorKind.DENIED),
    (later, AwaitingApproval, None),
    (raising, Rejected, ErrorKind.DENIED),
    (absent_minded, Rejected, ErrorKind.DENIED),
]


@pytest.mark.parametrize("is_async", [False, True], ids=["function", "coroutine"])
@pytest.mark.parametrize(("answer", "state", "kind"), ANSWERS, ids=[answer.__name__ for answer, *_ in ANSWERS])
async def test_a_function_answers_and_only_a_yes_is_one(
    opened: Opened, tmp_path: Path, answer: Any, state: type, kind: ErrorKind | None, is_async: bool
) -> None:
    async def answer_later(call: AwaitingApproval) -> Any:
        await asyncio.sleep(0)
        return answer(call)

    async with opened() as session:
        turn = await session.run(calls(write("a.txt")), on_ask=answer_later if is_async else answer)
    assert kinds(turn) == [state]
    assert getattr(getattr(turn.calls[0], "fault", None), "kind", None) is kind
    assert [path.name for path in tmp_path.iterdir()] == {yes: ["a.txt"], elsewhere: ["b.txt"]}.get(answer, [])


# Parking


async def test_a_parked_turn_has_no_messages_until_it_is_resumed(opened: Opened, tmp_path: Path) -> None:
    async with opened() as session:
        parked = await session.run(calls(write("a.txt"), read("a.txt"), read("b.txt")), on_ask="park")
        assert kinds(parked) == [AwaitingApproval, Approved, Failed]
        assert [call.request.id for call in parked.pending] == ["c1"]
        assert [call.request.id for call in parked.waiting] == ["c1", "c2"]
        assert parked.messages == ()
        assert not parked.done
        assert not (tmp_path / "a.txt").exists()

        turn = await session.resume(parked, {parked.pending[0].approval: Once()})
    assert kinds(turn) == [Completed, Completed, Failed]
    assert turn.id == parked.id
    assert turn.waiting == ()
    assert [entry["id"] for entry in turn.messages[-1]["results"]] == ["c1", "c2", "c3"]


async def test_a_parked_turn_is_resumed_by_its_id_alone(opened: Opened) -> None:
    async with opened() as session:
        parked = await session.run(calls(write("a.txt")), on_ask="park")
        turn = await session.resume(parked.id, {parked.pending[0].approval: Reject("not that one")})
    assert kinds(turn) == [Rejected]
    assert "not that one" in turn.calls[0].result.text


async def test_a_turn_stays_parked_while_a_question_is_open(opened: Opened) -> None:
    async with opened() as session:
        parked = await session.run(calls(write("a.txt"), write("b.txt")), on_ask="park")
        first, second = (question.approval for question in parked.pending)
        half = await session.resume(parked, {second: Once()})
        assert [question.approval for question in half.pending] == [first]
        assert half.messages == ()
        assert isinstance(half.calls[1], Completed)
        whole = await session.resume(half, {first: Once()})
    assert kinds(whole) == [Completed, Completed]


async def test_a_question_answered_at_the_desk_needs_no_answer_in_resume(opened: Opened) -> None:
    async with opened() as session:
        parked = await session.run(calls(write("a.txt")), on_ask="park")
        assert session.answer(parked.pending[0].approval, Once(), "phone")
        turn = await session.resume(parked)
    assert kinds(turn) == [Completed]
    assert str(turn.calls[0].decision.source) == "person:phone"


async def test_parked_turns_do_not_hinder_each_other(opened: Opened, tmp_path: Path) -> None:
    async with opened() as session:
        first = await session.run(calls(write("a.txt", "first")), on_ask="park")
        second = await session.run(calls(write("b.txt", "second")), on_ask="park")
        for parked in (second, first):
            turn = await session.resume(parked, {parked.pending[0].approval: Once()})
            assert kinds(turn) == [Completed]
    assert [(tmp_path / name).read_text() for name in ("a.txt", "b.txt")] == ["first", "second"]


async def test_an_answer_that_edits_can_lead_to_the_next_question(opened: Opened, tmp_path: Path) -> None:
    async with opened() as session:
        parked = await session.run(calls(write("a.txt")), on_ask="park")
        edited = EditArguments({"file_path": "b.txt", "content": "x"})
        again = await session.resume(parked, {parked.pending[0].approval: edited})
        assert again.pending[0].approval != parked.pending[0].approval
        turn = await session.resume(again, {again.pending[0].approval: Once()})
    assert kinds(turn) == [Completed]
    assert [path.name for path in tmp_path.iterdir()] == ["b.txt"]


async def test_a_turn_waits_for_the_client_until_its_result_is_delivered(opened: Opened) -> None:
    async with opened(FakeTool("picker", client_side=True)) as session:
        held = await session.run(calls(("picker", {})), on_ask="park")
        assert kinds(held) == [Executing]
        assert held.pending == ()
        assert session.deliver(held.calls[0].request.id, ToolResult.of_text("the blue one"))
        turn = await session.resume(held)
    assert kinds(turn) == [Completed]
    assert turn.messages[-1]["results"][0]["result"] == "the blue one"


@pytest.mark.parametrize("unknown", ["turn-1", "turn-77", ""])
async def test_only_a_parked_turn_can_be_resumed(opened: Opened, unknown: str) -> None:
    async with opened() as session:
        await session.run(calls(read("a.txt")))
        with pytest.raises(UsageError, match="no parked turn"):
            await session.resume(unknown)


@pytest.mark.parametrize("answer", [True, None, "yes", Once])
async def test_only_an_answer_answers(opened: Opened, answer: Any) -> None:
    async with opened() as session:
        parked = await session.run(calls(write("a.txt")), on_ask="park")
        (question,) = parked.pending
        with pytest.raises(UsageError, match="no answer to a question; give one of Once, Always"):
            await session.resume(parked, {question.approval: answer})
        with pytest.raises(UsageError, match="no answer to a question"):
            session.answer(question.approval, answer, "web")
        assert session.pending() == (question,)


async def test_an_answer_to_no_open_question_is_refused(opened: Opened) -> None:
    async with opened() as session:
        parked = await session.run(calls(write("a.txt")), on_ask="park")
        with pytest.raises(UsageError, match="is not open"):
            await session.resume(parked, {ApprovalId("a-nothing"): Once()})
        assert len(session.pending()) == 1


# Events


async def test_events_are_told_in_order_from_the_request_to_the_outcome(opened: Opened) -> None:
    async def speak(params: Any, context: Any) -> str:
        context.output.text("half of it")
        context.output.progress(0.5, "half")
        context.output.notice("by the way")
        return "all of it"

    seen: list[Event] = []
    async with opened(FakeTool("talker", speak), mode="bypass") as session:
        events = session.events()
        await session.run(calls(("talker", {})))
        await anext(events)
        watching = asyncio.create_task(_all(events, seen))
    await watching
    states = [type(event.state).__name__ for event in seen if isinstance(event, CallChanged)]
    assert states == ["Approved", "Executing", "Completed"]
    assert [type(event) for event in seen if not isinstance(event, CallChanged)] == [
        OutputArrived,
        ProgressMade,
        NoticeGiven,
    ]


async def _all(events: AsyncIterator[Event], seen: list[Event]) -> None:
    async for event in events:
        seen.append(event)


async def test_every_watcher_has_all_events_and_one_that_stops_takes_nothing_away(opened: Opened) -> None:
    first: list[Event] = []
    second: list[Event] = []
    async with opened(FakeTool(), mode="bypass") as session:
        leaving, staying = session.events(), session.events()
        await session.run(calls(("fake", {})))
        first.append(await anext(leaving))
        await leaving.aclose()
        await session.run(calls(("fake", {})))
    await _all(staying, second)
    assert len(first) == 1
    assert sum(isinstance(event, CallChanged) and isinstance(event.state, Completed) for event in second) == 2


# Several at once


async def test_two_sessions_work_at_once_each_in_its_own_folder(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        folder.mkdir()

    async def work(folder: Path) -> Turn:
        parts = Parts(journal=MemoryJournal())
        async with Session.open(folder, mode="accept-edits", parts=parts) as session:
            return await session.run(calls(write("name.txt", folder.name), read("name.txt")))

    turns = await asyncio.gather(*map(work, folders))
    assert ["one" in turns[0].calls[1].result.text, "two" in turns[1].calls[1].result.text] == [True, True]
    assert [turn.id for turn in turns] == ["turn-1", "turn-1"]


async def test_two_turns_of_one_session_can_run_at_once(opened: Opened) -> None:
    both = asyncio.Barrier(2)

    async def meet(params: Any, context: Any) -> str:
        await both.wait()
        return "met"

    async with opened(FakeTool("meet", meet), mode="bypass") as session:
        turns = await asyncio.gather(*(session.run(calls(("meet", {}))) for _ in range(2)))
    assert [turn.messages[-1]["results"][0]["result"] for turn in turns] == ["met", "met"]
    assert len({turn.id for turn in turns}) == 2


# Cancellation


async def test_cancelling_run_cancels_its_calls_and_no_others(opened: Opened) -> None:
    running = asyncio.Event()

    async def hang(params: Any, context: Any) -> str:
        running.set()
        await asyncio.Event().wait()
        return "never"

    events: list[Event] = []
    async with opened(FakeTool("hang", hang), *builtin_tools(), mode="bypass") as session:
        session.subscribe(events.append)
        parked = await session.run(calls(write(".git/config")), on_ask="park")
        run = asyncio.create_task(session.run(calls(("hang", {}))))
        await running.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        ended = [e.state for e in events if isinstance(e, CallChanged) and isinstance(e.state, Cancelled)]
        assert [state.request.name for state in ended] == ["hang"]
        assert "the caller" in ended[0].fault.message
        assert [question.approval for question in session.pending()] == [q.approval for q in parked.pending]
        assert kinds(await session.resume(parked, {parked.pending[0].approval: Once()})) == [Completed]


async def test_a_run_that_takes_too_long_leaves_nothing_running(opened: Opened) -> None:
    ended, limit = asyncio.Event(), asyncio.timeout(None)

    async def hang(params: Any, context: Any) -> str:
        limit.reschedule(0)
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "never"

    async with opened(FakeTool("hang", hang), mode="bypass") as session:
        with pytest.raises(TimeoutError):
            async with limit:
                await session.run(calls(("hang", {})))
        assert ended.is_set()
        assert kinds(await session.run(calls(("nothing", {})))) == [Failed]
