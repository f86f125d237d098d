"""Tasks of a session, which its agents share: who does what, and what has to be done before. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Literal, TypeAlias, cast, get_args

from handrail.contract.basics import Json, JsonObject
from handrail.contract.session_values import SessionValues
from handrail.contract.values import value
from handrail.errors import ToolFailed

KEY = "tasks"
"""Of the session's values, and what calls exclude each other by."""

MOST = 1_000

Status: TypeAlias = Literal["pending", "in_progress", "completed", "cancelled"]
STATUSES: Sequence[Status] = get_args(Status)
"""That a task is blocked is not said but seen: something that it depends on is not done."""

OVER = ("completed", "cancelled")


@value
class Task:
    """`depends_on` holds ids of tasks that come first."""

    id: str
    subject: str
    description: str = ""
    status: Status = "pending"
    owner: str = ""
    depends_on: tuple[str, ...] = ()


Tasks: TypeAlias = Mapping[str, Task]
"""By id, in the order in which they were created."""


def kept(values: SessionValues) -> Tasks:
    listed = values.get(KEY)
    return {task.id: task for task in _revived(listed if isinstance(listed, list) else ())}


def keep(values: SessionValues, tasks: Tasks) -> None:
    values.put(KEY, [cast(Json, asdict(task)) for task in tasks.values()])


def with_task(tasks: Tasks, task: Task) -> Tasks:
    """With the task as it is now, new or in place of what it was. Raises ToolFailed for what makes no sense."""
    if task.id not in tasks and len(tasks) >= MOST:
        raise ToolFailed(f"There are {MOST:,} tasks, and no session keeps more. Put several things into one task.")
    together = {**tasks, task.id: task}
    for id in task.depends_on:
        find(together, id)
    if (circle := _circle(together, task.id)) is not None:
        raise ToolFailed(f"Tasks would wait for each other: {' → '.join(circle)}. Leave one of these dependencies out.")
    begins = task.status == "in_progress" and (task.id not in tasks or tasks[task.id].status != "in_progress")
    if begins and (first := open_before(together, task)):
        waits = ", ".join(f"{other.id} ({other.status}: {other.subject})" for other in first)
        raise ToolFailed(f"Task {task.id} can't begin yet: it depends on {waits}. Do that first, or set it aside.")
    return together


def find(tasks: Tasks, id: str) -> Task:
    """Raises ToolFailed, with the ids that there are."""
    if id not in tasks:
        known = ", ".join(list(tasks)[-20:]) or "none, for none was created"
        raise ToolFailed(f"There is no task {id!r}. The latest are: {known}.")
    return tasks[id]


def next_id(tasks: Tasks) -> str:
    """A number that no task has or had: none is ever taken away."""
    return str(len(tasks) + 1)


def open_before(tasks: Tasks, task: Task) -> list[Task]:
    """What it depends on and is not over."""
    return [tasks[id] for id in task.depends_on if id in tasks and tasks[id].status not in OVER]


def after(tasks: Tasks, id: str) -> list[str]:
    """The tasks that depend on this one."""
    return [other.id for other in tasks.values() if id in other.depends_on]


def line(tasks: Tasks, task: Task) -> str:
    """`3. [pending, waits for 1, 2] Cut the port (owner: ada)`"""
    first = [] if task.status in OVER else [other.id for other in open_before(tasks, task)]
    waits = f", waits for {', '.join(first)}" if first else ""
    return f"{task.id}. [{task.status}{waits}] {task.subject}{f' (owner: {task.owner})' if task.owner else ''}"


def as_data(tasks: Tasks, task: Task) -> JsonObject:
    """For programs, with what follows from the others."""
    blocked = task.status not in OVER and bool(open_before(tasks, task))
    return {**asdict(task), "depends_on": list(task.depends_on), "blocks": after(tasks, task.id), "blocked": blocked}


def _circle(tasks: Tasks, start: str) -> list[str] | None:
    """A way from a task back to itself along what it depends on; None where there is none."""
    came_from: dict[str, str] = {}
    waiting = [start]
    while waiting:
        id = waiting.pop()
        for other in tasks[id].depends_on if id in tasks else ():
            if other == start:
                return [start, *reversed(list(_back(came_from, id))), start] if id != start else [start, start]
            if other not in came_from:
                came_from[other] = id
                waiting.append(other)
    return None


def _back(came_from: Mapping[str, str], id: str) -> Iterator[str]:
    """The way that led to a task, from its end; the start is in no map."""
    while id in came_from:
        yield id
        id = came_from[id]


def _revived(listed: Iterable[Json]) -> Iterator[Task]:
    for entry in listed:
        if isinstance(entry, dict):
            status = [known for known in STATUSES if known == entry.get("status")]
            first = entry.get("depends_on")
            texts = {name: str(entry.get(name, "")) for name in ("id", "subject", "description", "owner")}
            depends_on = tuple(map(str, first)) if isinstance(first, list) else ()
            yield Task(**texts, status=status[0] if status else "pending", depends_on=depends_on)
