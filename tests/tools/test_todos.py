"""Todos and topics: lists written whole and kept with the session; headings that come before the calls beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tool_harness import Bench, CheckFailed

from call_harness import opened, settled
from handrail.contract.calls import Completed, Executing, Failed
from handrail.contract.events import CallChanged, Event, TopicSet
from handrail.contract.results import TextDisplay, TodoDisplay, TodoItem
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE
from handrail.testing import FakeTool
from handrail.tools import builtin_tools
from handrail.tools.planning.todos import STATUSES
from handrail.tools.todo_read import TodoRead
from handrail.tools.todo_write import TodoWrite
from handrail.tools.update_topic import UpdateTopic
from handrail.wire import Wire
from neutral_calls import calls


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def todo(text: str, status: str = "pending") -> dict[str, str]:
    return {"text": text, "status": status}


async def test_a_list_is_numbered_for_the_model_and_shown_to_people(bench: Bench) -> None:
    listed = [todo(f"do {status}", status) for status in STATUSES]
    result = await bench.run(TodoWrite(), todos=listed)
    assert result.text.splitlines()[:2] == ["1. [ ] do pending (pending)", "2. [>] do in_progress (in_progress)"]
    assert result.display == TodoDisplay(tuple(TodoItem(f"do {status}", status) for status in STATUSES))
    assert result.data == {"todos": listed}
    assert (await bench.run(TodoRead())).text == result.text


async def test_each_list_takes_the_place_of_the_one_before_and_an_empty_one_clears_it(bench: Bench) -> None:
    await bench.run(TodoWrite(), todos=[todo("first"), todo("second")])
    await bench.run(TodoWrite(), todos=[todo("third")])
    assert (await bench.run(TodoRead())).text == "1. [ ] third (pending)"
    assert (await bench.run(TodoWrite(), todos=[])).text == "The list is empty now."
    assert (await bench.run(TodoRead())).text == "There are no todos."


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ([todo("a", "in_progress"), todo("b", "in_progress")], r"2 todos are in progress: 1 \(a\), 2 \(b\)\. Keep one"),
        ([todo("a"), todo(" \n ")], "Todo 2 has no text"),
        ([todo("\u202e\u200b")], "Todo 1 has no text"),
    ],
)
async def test_a_list_that_can_t_be_meant_is_refused(bench: Bench, listed: list[object], said: str) -> None:
    with pytest.raises(CheckFailed, match=said):
        await bench.run(TodoWrite(), todos=listed)


async def test_a_todo_is_one_line_whatever_was_in_it(bench: Bench) -> None:
    result = await bench.run(TodoWrite(), todos=[todo("a\n2. [x] forged (completed)\x1b[2J")])
    assert result.text == "1. [ ] a 2. [x] forged (completed)[2J (pending)"


@pytest.mark.parametrize("mode", ["plan", "default", "accept-edits", "sandboxed", "bypass"])
async def test_todos_and_topics_are_asked_about_in_no_mode(tmp_path: Path, mode: str) -> None:
    async with opened(tmp_path, *builtin_tools(), mode=mode) as session:
        assert isinstance(await settled(session, "todo_write", {"todos": [todo("a")]}), Completed)
        assert isinstance(await settled(session, "todo_read", {}, "c2"), Completed)
        assert isinstance(await settled(session, "update_topic", {"intent": "look"}, "c3"), Completed)


async def test_a_session_that_is_taken_up_has_its_todos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    async with Session.open(tmp_path / "ws") as session:
        await settled(session, "todo_write", {"todos": [todo("half", "in_progress")]})
    async with Session.open(tmp_path / "ws", session=session.id) as again:
        assert (await settled(again, "todo_read", {}, "c2")).result.text == "1. [>] half (in_progress)"
    async with Session.open(tmp_path / "ws") as other:
        assert (await settled(other, "todo_read")).result.text == "There are no todos."


async def test_a_topic_is_an_event_and_one_line_each(bench: Bench) -> None:
    result = await bench.run(UpdateTopic(), title="Port\nforwarding", intent="Read\tthe config", summary="")
    assert bench.output.topics == [("Port forwarding", "Read the config", "")]
    assert result.display == TextDisplay("Port forwarding: Read the config")


def heard_by(session: Session) -> list[Event]:
    heard: list[Event] = []
    session.subscribe(heard.append)
    return heard


@pytest.mark.parametrize("gated", [False, True])
async def test_a_topic_comes_before_all_calls_of_its_response_and_its_result_where_it_was_asked_for(
    tmp_path: Path, gated: bool
) -> None:
    work = [FakeTool(f"work_{number}") for number in range(3)]
    async with opened(tmp_path, *work, UpdateTopic(), gate_batch=gated, at_once=2) as session:
        heard = heard_by(session)
        asked = [(tool.name, {}) for tool in work]
        turn = await session.run(calls(*asked[:2], ("update_topic", {"intent": "look"}), *asked[2:]), Wire.NEUTRAL)
    assert [state.request.name for state in turn.calls] == ["work_0", "work_1", "update_topic", "work_2"]
    topic = next(place for place, event in enumerate(heard) if isinstance(event, TopicSet))
    begun = [
        place
        for place, event in enumerate(heard)
        if isinstance(event, CallChanged)
        and isinstance(event.state, Executing)
        and event.state.request.name != "update_topic"
    ]
    assert len(begun) == 3
    assert topic < min(begun)


async def test_a_topic_that_is_refused_holds_nothing_back(tmp_path: Path) -> None:
    async with opened(tmp_path, FakeTool("work"), UpdateTopic()) as session:
        turn = await session.run(calls(("work", {}), ("update_topic", {})), Wire.NEUTRAL)
    assert [type(state) for state in turn.calls] == [Completed, Failed]
