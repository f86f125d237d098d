"""Tasks: who does what, in which order, shared by all agents of a session and kept with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_harness import Bench

from call_harness import opened, settled
from handrail.contract.calls import Completed
from handrail.contract.context import RunContext
from handrail.contract.results import TodoDisplay, TodoItem, ToolResult
from handrail.errors import ToolFailed
from handrail.runtime.session_values import LARGEST, KeptValues
from handrail.session import Session
from handrail.settings.places import STATE_VARIABLE
from handrail.testing import FakeTool
from handrail.tools import builtin_tools
from handrail.tools.planning import tasks
from handrail.tools.planning.tasks import STATUSES, Task, Tasks
from handrail.tools.task_create import TaskCreate
from handrail.tools.task_get import TaskGet
from handrail.tools.task_list import TaskList
from handrail.tools.task_update import TaskUpdate
from handrail.wire import Wire
from neutral_calls import calls


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


async def create(bench: Bench, *named: str | tuple[str, list[str]]) -> None:
    for each in named:
        subject, first = (each, []) if isinstance(each, str) else each
        await bench.run(TaskCreate(), subject=subject, depends_on=first)


async def update(bench: Bench, task: str, **changes: Any) -> str:
    return (await bench.run(TaskUpdate(), task=task, **changes)).text


async def test_a_task_says_what_it_waits_for_and_what_waits_for_it(bench: Bench) -> None:
    await create(bench, "Cut the port", ("Test it", ["1"]))
    await update(bench, "2", owner="ada", description="With care:\n- all of it")
    got = await bench.run(TaskGet(), task="2")
    assert got.text == ("2. [pending, waits for 1] Test it (owner: ada)\nDepends on: 1\n\nWith care:\n- all of it")
    assert "Blocks: 2" in (await bench.run(TaskGet(), task="1")).text
    assert got.data == {
        "task": {
            "id": "2",
            "subject": "Test it",
            "description": "With care:\n- all of it",
            "status": "pending",
            "owner": "ada",
            "depends_on": ["1"],
            "blocks": [],
            "blocked": True,
        }
    }


async def test_a_list_has_a_line_for_each_task_and_shows_who_is_held_up(bench: Bench) -> None:
    await create(bench, "a", ("b", ["1"]), "c")
    await update(bench, "3", status="in_progress", owner="ada")
    listed = await bench.run(TaskList())
    assert listed.text == "1. [pending] a\n2. [pending, waits for 1] b\n3. [in_progress] c (owner: ada)"
    assert listed.display == TodoDisplay(
        (TodoItem("a", "pending"), TodoItem("b", "blocked"), TodoItem("c", "in_progress"))
    )
    assert (await bench.run(TaskList(), owner="ada")).text == "3. [in_progress] c (owner: ada)"
    assert (await bench.run(TaskList(), status="ready", owner="bob")).text == "No task is like that."
    assert (await bench.run(TaskList(), status="ready")).text == "1. [pending] a\n3. [in_progress] c (owner: ada)"
    await update(bench, "1", status="cancelled")
    assert (await bench.run(TaskList(), status="open")).text == "2. [pending] b\n3. [in_progress] c (owner: ada)"


@pytest.mark.parametrize("end", ["completed", "cancelled"])
async def test_a_task_begins_when_what_it_depends_on_is_over(bench: Bench, end: str) -> None:
    await create(bench, "a", ("b", ["1"]))
    with pytest.raises(ToolFailed, match=r"Task 2 can't begin yet: it depends on 1 \(pending: a\)\. Do that first"):
        await update(bench, "2", status="in_progress")
    assert "Ready now: 2" in await update(bench, "1", status=end)
    assert "Ready now" not in await update(bench, "1", status=end, owner="ada")
    assert "[in_progress]" in await update(bench, "2", status="in_progress")


async def test_a_task_in_progress_may_come_to_wait_for_another(bench: Bench) -> None:
    await create(bench, "a", "b")
    await update(bench, "1", status="in_progress")
    assert await update(bench, "1", add_depends_on=["2"]) == "Changed: 1. [in_progress, waits for 2] a"
    assert await update(bench, "1", remove_depends_on=["2"]) == "Changed: 1. [in_progress] a"


@pytest.mark.parametrize(
    ("task", "changes", "circle"),
    [
        ("1", {"add_depends_on": ["1"]}, "1 → 1"),
        ("1", {"add_depends_on": ["3"]}, "1 → 3 → 2 → 1"),
        ("3", {"add_blocks": ["1"]}, "1 → 3 → 2 → 1"),
        ("2", {"add_blocks": ["2"]}, "2 → 2"),
    ],
)
async def test_tasks_never_wait_for_each_other_and_a_refused_change_changes_nothing(
    bench: Bench, task: str, changes: dict[str, Any], circle: str
) -> None:
    await create(bench, "a", ("b", ["1"]), ("c", ["2"]))
    before = bench.values.get(tasks.KEY)
    with pytest.raises(ToolFailed, match=f"would wait for each other: {circle}"):
        await update(bench, task, **changes, owner="ada")
    assert bench.values.get(tasks.KEY) == before


@pytest.mark.parametrize(
    ("task", "changes", "said"),
    [
        ("9", {}, r"There is no task '9'\. The latest are: 1, 2\."),
        ("1", {"add_depends_on": ["2", "x"]}, "There is no task 'x'"),
        ("1", {"add_blocks": ["2", "x"]}, "There is no task 'x'"),
        ("1", {"subject": " \u200b "}, "The new subject is empty"),
    ],
)
async def test_a_change_that_makes_no_sense_is_refused_whole(
    bench: Bench, task: str, changes: dict[str, Any], said: str
) -> None:
    await create(bench, "a", "b")
    before = bench.values.get(tasks.KEY)
    with pytest.raises(ToolFailed, match=said):
        await update(bench, task, **changes)
    assert bench.values.get(tasks.KEY) == before


async def test_a_change_of_nothing_says_so(bench: Bench) -> None:
    await create(bench, "a")
    assert await update(bench, "1", status="pending") == "Nothing was to be changed: 1. [pending] a"


async def test_without_tasks_there_is_none_to_find(bench: Bench) -> None:
    assert (await bench.run(TaskList())).text == "There are no tasks."
    with pytest.raises(ToolFailed, match="none was created"):
        await bench.run(TaskGet(), task="1")
    with pytest.raises(ToolFailed, match="The subject is empty"):
        await bench.run(TaskCreate(), subject="\n")


async def test_a_session_keeps_so_many_tasks_and_no_more(bench: Bench) -> None:
    many = {str(number): Task(str(number), "x") for number in range(1, tasks.MOST + 1)}
    tasks.keep(bench.values, many)
    with pytest.raises(ToolFailed, match=r"There are 1,000 tasks"):
        await create(bench, "one more")


def test_what_is_too_large_to_keep_is_refused_and_what_was_kept_stays() -> None:
    values = KeptValues()
    values.put("tasks", ["a"])
    with pytest.raises(ToolFailed, match="Nothing was changed"):
        values.put("tasks", "x" * LARGEST)
    assert values.get("tasks") == ["a"]


async def test_tasks_of_one_response_are_created_in_its_order(tmp_path: Path) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="plan") as session:
        asked = [("task_create", {"subject": f"task {number}"}) for number in range(1, 20)]
        turn = await session.run(calls(*asked), Wire.NEUTRAL)
        assert all(isinstance(state, Completed) for state in turn.calls)
        listed = (await settled(session, "task_list", {}, "last")).result.text
    assert listed.split("\n") == [f"{number}. [pending] task {number}" for number in range(1, 20)]


async def test_a_call_within_a_call_has_the_same_tasks(tmp_path: Path) -> None:
    async def delegate(params: Any, context: RunContext) -> ToolResult:
        await context.calls.call("task_update", {"task": "1", "status": "in_progress", "owner": "helper"})
        return ToolResult.of_text("done")

    async with opened(tmp_path, FakeTool("delegate", delegate, makes_calls=True), *builtin_tools()) as session:
        await settled(session, "task_create", {"subject": "a"})
        await settled(session, "delegate", {}, "c2")
        assert (await settled(session, "task_list", {}, "c3")).result.text == "1. [in_progress] a (owner: helper)"


async def test_tasks_outlive_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    async with Session.open(tmp_path / "ws") as session:
        await settled(session, "task_create", {"subject": "a"})
        await settled(session, "task_create", {"subject": "b", "depends_on": ["1"]}, "c2")
    async with Session.open(tmp_path / "ws", session=session.id) as again:
        assert (
            await settled(again, "task_list", {}, "c3")
        ).result.text == "1. [pending] a\n2. [pending, waits for 1] b"


CHANGES = st.lists(
    st.tuples(
        st.integers(1, 6), st.sampled_from((None, *STATUSES)), st.lists(st.integers(1, 6), max_size=3).map(tuple)
    ),
    max_size=30,
)


@given(CHANGES)
def test_whatever_is_asked_for_no_task_ever_waits_for_itself(changes: list[tuple[int, Any, tuple[int, ...]]]) -> None:
    known: Tasks = {}
    for number, status, first in changes:
        before = known.get(str(number), Task(str(number), "x"))
        changed = Task(before.id, "x", status=status or before.status, depends_on=tuple(map(str, first)))
        try:
            known = tasks.with_task(known, changed)
        except ToolFailed:
            continue
        left = dict(known)
        while ready := [id for id, task in left.items() if not any(first in left for first in task.depends_on)]:
            for id in ready:
                del left[id]
        assert not left
        if changed.status == "in_progress" and before.status != "in_progress":
            assert not tasks.open_before(known, changed)
