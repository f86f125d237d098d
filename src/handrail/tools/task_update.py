"""Change a task: how far it is, who does it, what it depends on."""

from __future__ import annotations

from dataclasses import replace

from pydantic import Field

from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.session_values import SessionValues
from handrail.contract.tool import Kind, Tool
from handrail.errors import ToolFailed
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning import tasks
from handrail.tools.planning.lines import one_line
from handrail.tools.task_create import LONGEST


class Params(Parameters):
    task: str = Field(min_length=1, description="The task's id.")
    status: tasks.Status | None = Field(default=None, description="How far it is now.")
    subject: str | None = Field(default=None, min_length=1, max_length=200, description="Another subject.")
    description: str | None = Field(default=None, max_length=LONGEST, description="Another description.")
    owner: str | None = Field(default=None, max_length=100, description="Who does it; empty for whoever takes it.")
    add_depends_on: list[str] = Field(default=[], max_length=100, description="Ids of tasks that must be done before.")
    remove_depends_on: list[str] = Field(
        default=[], max_length=100, description="Ids of tasks that need not be done before any more."
    )
    add_blocks: list[str] = Field(default=[], max_length=100, description="Ids of tasks that must wait for this one.")


class TaskUpdate(Tool[Params]):
    name = "task_update"
    title = "Change a task"
    kind = Kind.PLAN
    description = description_of("task_update")

    def effects(self, params: Params) -> Claims:
        return Claims(keys=frozenset((tasks.KEY,)))

    def describe(self, params: Params) -> str:
        return f"Change task {params.task}{f' to {params.status}' if params.status else ''}"

    async def run(self, params: Params, values: SessionValues) -> ToolResult:
        """All of it, or nothing."""
        known = tasks.kept(values)
        before = tasks.find(known, params.task)
        known = tasks.with_task(known, _changed(before, params))
        for id in params.add_blocks:
            later = tasks.find(known, id)
            known = tasks.with_task(known, replace(later, depends_on=_joined(later.depends_on, [before.id])))
        tasks.keep(values, known)
        now = known[before.id]
        said = "Changed" if now != before or params.add_blocks else "Nothing was to be changed"
        ended = now.status in tasks.OVER and before.status not in tasks.OVER
        freed = [id for id in tasks.after(known, now.id) if ended and _is_freed(known, known[id])]
        ready = f"\nReady now: {', '.join(freed)}" if freed else ""
        return ToolResult.of_text(
            f"{said}: {tasks.line(known, now)}{ready}", data={"task": tasks.as_data(known, now), "ready": freed}
        )


def _changed(task: tasks.Task, params: Params) -> tasks.Task:
    if params.subject is not None:
        if not (subject := one_line(params.subject)):
            raise ToolFailed("The new subject is empty. Say what is to be done, or leave it out.")
        task = replace(task, subject=subject)
    kept = [id for id in task.depends_on if id not in params.remove_depends_on]
    return replace(
        task,
        status=params.status or task.status,
        description=task.description if params.description is None else params.description,
        owner=task.owner if params.owner is None else one_line(params.owner),
        depends_on=_joined(kept, params.add_depends_on),
    )


def _joined(first: tuple[str, ...] | list[str], more: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *more)))


def _is_freed(known: tasks.Tasks, task: tasks.Task) -> bool:
    return task.status == "pending" and not tasks.open_before(known, task)
