"""A session whose process died, taken up by another: what becomes of each call, by the state it was in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from standing import Place

from handrail.contract.basics import CallId
from handrail.contract.calls import Cancelled, Completed, Executing, Failed, Interrupted, Rejected
from handrail.contract.confirmation import Once, QuestionConfirmation, Reply
from handrail.contract.context import RunContext
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import ErrorKind, ToolResult
from handrail.errors import JournalError, UsageError
from handrail.policy import rules_from
from handrail.runtime.audit import verify_chain
from handrail.testing import FakeTool
from handrail.wire import Wire
from neutral_calls import calls, kinds, write

ALLOWED = {"mode": "bypass"}


def writer() -> FakeTool:
    return FakeTool("writer", claims=lambda given: Claims(writes=(PathClaim("a.txt"),)))


def reader() -> FakeTool:
    return FakeTool("reader", claims=lambda given: Claims(reads=(PathClaim("a.txt"),)))


def unknown() -> FakeTool:
    return FakeTool("unknown", claims=Claims.unknown())


def bounded() -> FakeTool:
    return FakeTool("bounded", claims=Claims(reads=(PathClaim("a.txt"),), certainty="bounded"))


def client() -> FakeTool:
    return FakeTool("client", client_side=True)


AFTER_A_CRASH: list[Any] = [
    pytest.param(writer, "Pending", Completed, 1, id="pending: decided again and run"),
    pytest.param(writer, "Approved", Completed, 1, id="approved: looked at again and run"),
    pytest.param(writer, "Executing", Interrupted, 0, id="a write that had started is not run again"),
    pytest.param(unknown, "Executing", Interrupted, 0, id="unknown effects that had started are not run again"),
    pytest.param(bounded, "Executing", Interrupted, 0, id="bounded effects are not exact: not run again"),
    pytest.param(reader, "Executing", Completed, 1, id="an exact read that had started runs as the next attempt"),
    pytest.param(reader, "Completed", Completed, 0, id="what has its result keeps it"),
    pytest.param(writer, "Completed", Completed, 0, id="so does a write"),
]


@pytest.mark.parametrize(("made", "state", "becomes", "runs"), AFTER_A_CRASH)
async def test_each_state_becomes_what_the_table_says(
    tmp_path: Path, made: Callable[[], FakeTool], state: str, becomes: type, runs: int
) -> None:
    tool = made()
    place = Place(tmp_path, [tool], ALLOWED)
    async with place.session() as session:
        before = await session.run(calls((tool.name, {})))
    assert kinds(before) == [Completed]
    place.rewind(session.id, "c1", state)
    tool.calls.clear()
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert kinds(turn) == [becomes]
    assert len(tool.calls) == runs
    assert len(turn.messages) == len(before.messages)
    assert verify_chain(place.journal, session.id) == []


async def test_a_retried_read_is_the_next_attempt(tmp_path: Path) -> None:
    place = Place(tmp_path, [reader()], ALLOWED)
    async with place.session() as session:
        await session.run(calls(("reader", {})))
    place.rewind(session.id, "c1", "Executing")
    async with place.session(session.id) as again:
        seen: list[Any] = []
        again.subscribe(lambda event: seen.append(event.state))
        await again.take_up()
    assert [state.attempt for state in seen if isinstance(state, Executing)] == [2]
    assert [state for _, _, state in place.states(session.id)].count("Executing") == 2


async def test_results_that_were_journaled_are_given_back_byte_for_byte(tmp_path: Path) -> None:
    async def odd(given: Any, context: RunContext) -> str:
        return 'ünï\ud800\x00"\n'

    place = Place(tmp_path, [FakeTool("odd", odd)], ALLOWED)
    async with place.session() as session:
        before = await session.run(calls(("odd", {})))
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert turn.calls[0].result == before.calls[0].result
    assert turn.messages == before.messages


async def test_an_approved_call_needs_no_second_yes(tmp_path: Path) -> None:
    tool = writer()
    place = Place(tmp_path, [tool])
    async with place.session() as session:
        await session.run(calls(("writer", {})), on_ask=lambda _: Once())
    place.rewind(session.id, "c1", "Approved")
    tool.calls.clear()
    async with place.session(session.id) as again:
        (turn,) = await again.take_up(on_ask="reject")
    assert kinds(turn) == [Completed]
    assert str(turn.calls[0].decision.source) == "person:callback"
    assert len(tool.calls) == 1


async def test_an_approved_call_is_asked_about_anew_when_what_was_shown_has_changed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    place = Place(tmp_path)
    edit = ("edit_file", {"file_path": "a.txt", "old_string": "one", "new_string": "two"})
    async with place.session() as session:
        await session.run(calls(("read_file", {"file_path": "a.txt"}), edit), on_ask=lambda _: Once())
    place.rewind(session.id, "c2", "Approved")
    (tmp_path / "a.txt").write_text("one and more\n")
    async with place.session(session.id) as again:
        (turn,) = await again.take_up(on_ask="park")
    assert [question.confirmation.old for question in turn.pending] == ["one and more\n"]
    assert (tmp_path / "a.txt").read_text() == "one and more\n"


@pytest.mark.parametrize("state", ["Pending", "AwaitingApproval", "Approved"])
async def test_what_policy_denies_by_now_is_not_run(tmp_path: Path, state: str) -> None:
    tool = writer()
    place = Place(tmp_path, [tool])
    async with place.session() as session:
        await session.run(calls(("writer", {})), on_ask=lambda _: Once())
    place.rewind(session.id, "c1", state)
    tool.calls.clear()
    place.options = {"rules": rules_from([{"decision": "deny", "tool": "writer"}])}
    async with place.session(session.id) as again:
        (turn,) = await again.take_up(on_ask=lambda _: Once())
    assert kinds(turn) == [Rejected]
    assert turn.calls[0].fault.kind is ErrorKind.DENIED
    assert tool.calls == []


async def test_a_call_held_by_the_client_goes_on_waiting_for_it(tmp_path: Path) -> None:
    place = Place(tmp_path, [client()], ALLOWED)
    async with place.session() as session:
        await session.run(calls(("client", {})))
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
        assert kinds(turn) == [Executing]
        assert again.deliver(CallId("c1"), ToolResult.of_text("from the client"))
        turn = await again.resume(turn)
    assert kinds(turn) == [Completed]
    assert turn.calls[0].result.text == "from the client"


@pytest.mark.parametrize("state", ["Pending", "AwaitingApproval", "Approved", "Executing"])
async def test_a_call_whose_payload_is_gone_is_interrupted_and_never_run_altered(tmp_path: Path, state: str) -> None:
    tool = writer()
    place = Place(tmp_path, [tool])
    async with place.session() as session:
        await session.run(calls(("writer", {})), on_ask=lambda _: Once())
    place.rewind(session.id, "c1", state)
    place.forget(session.id)
    tool.calls.clear()
    async with place.session(session.id) as again:
        (turn,) = await again.take_up(on_ask=lambda _: Once())
    assert kinds(turn) == [Interrupted]
    assert turn.messages
    assert tool.calls == []
    assert verify_chain(place.journal, session.id) == []


async def test_a_result_that_is_gone_is_said_to_be_gone(tmp_path: Path) -> None:
    tool = writer()
    place = Place(tmp_path, [tool], ALLOWED)
    async with place.session() as session:
        await session.run(calls(("writer", {})))
    place.forget(session.id, "result")
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert kinds(turn) == [Interrupted]
    assert "no longer kept" in turn.calls[0].result.text
    assert len(tool.calls) == 1


async def test_a_call_whose_tool_is_gone_fails_or_is_interrupted(tmp_path: Path) -> None:
    place = Place(tmp_path, [writer(), reader()], ALLOWED)
    async with place.session() as session:
        await session.run(calls(("writer", {}), ("reader", {})))
    place.rewind(session.id, "c1", "Executing")
    place.tools = [unknown()]
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert kinds(turn) == [Interrupted, Failed]
    assert turn.calls[1].fault.kind is ErrorKind.UNKNOWN_TOOL


def parent_of(child: FakeTool) -> FakeTool:
    async def both(given: Any, context: RunContext) -> str:
        first = await context.calls.call(child.name, {})
        return (await context.calls.call(child.name, {"more": True})).text + first.text

    return FakeTool("parent", both, makes_calls=True)


@pytest.mark.parametrize(
    ("call", "state", "child"),
    [
        ("c1.1", "Pending", Cancelled),
        ("c1.1", "Approved", Cancelled),
        ("c1.1", "Executing", Interrupted),
        ("c1.1", "Completed", Completed),
        ("c1.2", "Executing", Interrupted),
    ],
)
async def test_a_parent_that_had_started_is_interrupted_and_its_open_children_end_with_it(
    tmp_path: Path, call: str, state: str, child: type
) -> None:
    tool = writer()
    place = Place(tmp_path, [tool, parent_of(tool)], ALLOWED)
    async with place.session() as session:
        await session.run(calls(("parent", {})))
    place.rewind(session.id, call, state)
    tool.calls.clear()
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert kinds(turn) == [Interrupted]
    assert tool.calls == []
    last = {name: event for _, name, event in place.states(session.id)}
    assert last[call] == child.__name__


async def test_a_parent_that_only_asked_asks_the_same_again(tmp_path: Path) -> None:
    async def ask(given: Any, context: RunContext) -> str:
        first = await context.questions.ask(QuestionConfirmation("A question", "Which port?"))
        return f"{first} {await context.questions.ask(QuestionConfirmation('A question', 'When?'))}"

    place = Place(tmp_path, [FakeTool("asks", ask, makes_calls=True)], ALLOWED)
    async with place.session() as session:
        turn = await session.run(calls(("asks", {})), on_ask="park")
        (first,) = session.pending()
        session.answer(first.approval, Reply("Brest"), "here")
        turn = await session.resume(turn)
        while [asked.approval for asked in session.pending()] in ([], [first.approval]):
            await anext(session.events())
    async with place.session(session.id) as again:
        (turn,) = await again.take_up(on_ask="park")
        (second,) = again.pending()
        assert second.confirmation.question == "When?"
        again.answer(second.approval, Reply("06:12"), "here")
        turn = await again.resume(turn)
    assert turn.calls[0].result.text == "Brest 06:12"


async def test_the_order_of_requests_holds_after_a_restart(tmp_path: Path) -> None:
    ran: list[Any] = []

    async def note(given: Any, context: RunContext) -> str:
        ran.append(given["n"])
        return "ok"

    tool = FakeTool("noter", note, claims=lambda given: Claims(writes=(PathClaim("a.txt"),)))
    place = Place(tmp_path, [tool])
    async with place.session() as session:
        await session.run(calls(*(("noter", {"n": n}) for n in range(5))), on_ask="park")
    for question in reversed(place.open_questions()):
        place.answer(question.id, Once())
    async with place.session(session.id) as again:
        (turn,) = await again.take_up()
    assert ran == [0, 1, 2, 3, 4]
    assert kinds(turn) == [Completed] * 5


async def test_every_unfinished_turn_is_finished_and_later_ones_have_new_ids(tmp_path: Path) -> None:
    place = Place(tmp_path, [writer()])
    async with place.session() as session:
        await session.run(calls(("writer", {"n": 1})), on_ask=lambda _: Once())
        parked = [await session.run(calls(("writer", {"n": n})), on_ask="park") for n in (2, 3)]
    async with place.session(session.id) as again:
        turns = await again.take_up(on_ask=lambda _: Once())
        later = await again.run(calls(("writer", {"n": 4})), on_ask=lambda _: Once())
    assert [turn.id for turn in turns] == [turn.id for turn in parked]
    assert later.id not in {turn.id for turn in (*turns, *parked)}
    assert later.calls[0].request.id not in {turn.calls[0].request.id for turn in turns}


RESPONSES = {
    Wire.ANTHROPIC: {
        "type": "message",
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm", "signature": "c2ln"},
            {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "write_file",
                "input": {"file_path": "a.txt", "content": "x"},
            },
        ],
        "stop_reason": "tool_use",
    },
    Wire.OPENAI_CHAT: {
        "object": "chat.completion",
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "message": {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {"name": "write_file", "arguments": '{"file_path":"a.txt","content":"x"}'},
                        }
                    ],
                },
            }
        ],
    },
}


@pytest.mark.parametrize("wire", RESPONSES)
async def test_the_conversation_goes_back_as_if_nothing_had_happened(tmp_path: Path, wire: Wire) -> None:
    place = Place(tmp_path)
    async with place.session() as session:
        await session.run(RESPONSES[wire], on_ask="park")
    async with place.session(session.id) as again:
        (turn,) = await again.take_up(on_ask=lambda _: Once())
    (tmp_path / "a.txt").unlink()
    async with place.session() as other:
        plain = await other.run(RESPONSES[wire], on_ask=lambda _: Once())
    assert json.dumps(turn.messages) == json.dumps(plain.messages)
    assert turn.response == plain.response


async def test_only_a_session_of_the_journal_can_be_taken_up(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.session() as session:
        with pytest.raises(UsageError, match="open the session by its id"):
            await session.take_up()
    with pytest.raises(JournalError, match="holds no session"):
        async with place.session("no-such-session"):
            pass
    async with place.session(session.id) as again:
        assert await again.take_up() == ()
        with pytest.raises(UsageError, match="once"):
            await again.take_up()


async def test_a_session_that_another_process_holds_is_not_taken_up(tmp_path: Path) -> None:
    place = Place(tmp_path)
    async with place.session() as session:
        await session.run(calls(write("a.txt")), on_ask="park")
        with pytest.raises(JournalError, match="is held by process"):
            async with place.session(session.id):
                pass


BROKEN_OFF: list[Any] = [
    pytest.param(writer, "Pending", Cancelled, id="pending: not decided again"),
    pytest.param(writer, "Approved", Cancelled, id="approved: not started"),
    pytest.param(writer, "Executing", Interrupted, id="a write that had started is interrupted"),
    pytest.param(reader, "Executing", Cancelled, id="a read that had started is not run again"),
    pytest.param(client, "Executing", Cancelled, id="held by the client: nobody waits for it"),
]


@pytest.mark.parametrize(("made", "state", "becomes"), BROKEN_OFF)
async def test_calls_of_a_response_that_broke_off_with_the_process_are_not_gone_on_with(
    tmp_path: Path, made: Callable[[], FakeTool], state: str, becomes: type
) -> None:
    tool = made()
    place = Place(tmp_path, [tool], ALLOWED)
    async with place.session() as session:
        await session.run(calls((tool.name, {})))
    place.rewind(session.id, "c1", state)
    place.break_off(session.id)
    tool.calls.clear()
    async with place.session(session.id) as again:
        assert await again.take_up() == ()
    assert [event[1:] for event in place.states(session.id)][-1] == ("c1", becomes.__name__)
    assert tool.calls == []


async def test_nobody_is_asked_about_a_call_of_a_response_that_broke_off(tmp_path: Path) -> None:
    place = Place(tmp_path, [writer()])
    async with place.session() as session:
        await session.run(calls(("writer", {})), on_ask="park")
    place.break_off(session.id)
    async with place.session(session.id) as again:
        await again.take_up()
    assert place.open_questions() == []
    assert [event[1:] for event in place.states(session.id)][-1] == ("c1", Cancelled.__name__)
