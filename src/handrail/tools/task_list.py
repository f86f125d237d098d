"""List the tasks."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from handrail.contract.effects import Claims
from handrail.contract.results import TodoDisplay, TodoItem, ToolResult
from handrail.contract.session_values import SessionValues
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning import tasks


class Params(Parameters):
    status: Literal["open", "ready", "all"] = Field(
        default="all", description="open: neither completed nor cancelled. ready: open, and nothing has to come before."
    )
    owner: str = Field(default="", description="Only tasks of this owner.")


class TaskList(Tool[Params]):
    name = "task_list"
    title = "List the tasks"
    kind = Kind.PLAN
    description = description_of("task_list")

    def effects(self, params: Params) -> Claims:
        return Claims(keys=frozenset((tasks.KEY,)), idempotent=True)

    async def run(self, params: Params, values: SessionValues) -> ToolResult:
        known = tasks.kept(values)
        found = [task for task in known.values() if _is_wanted(known, task, params)]
        none = "No task is like that." if known else "There are no tasks."
        return ToolResult.of_text(
            "\n".join(tasks.line(known, task) for task in found) or none,
            display=TodoDisplay(tuple(_shown(known, task) for task in found)),
            data={"tasks": [tasks.as_data(known, task) for task in found]},
        )


def _is_wanted(known: tasks.Tasks, task: tasks.Task, params: Params) -> bool:
    if params.owner and task.owner != params.owner:
        return False
    match params.status:
        case "open":
            return task.status not in tasks.OVER
        case "ready":
            return task.status not in tasks.OVER and not tasks.open_before(known, task)
        case _:
            return True


def _shown(known: tasks.Tasks, task: tasks.Task) -> TodoItem:
    is_blocked = task.status == "pending" and bool(tasks.open_before(known, task))
    return TodoItem(task.subject, "blocked" if is_blocked else task.status)
