"""Create a task."""

from __future__ import annotations

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

LONGEST = 20_000
"""Characters of a description."""


class Params(Parameters):
    subject: str = Field(min_length=1, max_length=200, description="What is to be done, in a line, as an order.")
    description: str = Field(
        default="", max_length=LONGEST, description="All that somebody must know who does it and knows nothing else."
    )
    owner: str = Field(default="", max_length=100, description="Who does it; left out, whoever takes it.")
    depends_on: list[str] = Field(default=[], max_length=100, description="Ids of tasks that have to be done before.")


class TaskCreate(Tool[Params]):
    name = "task_create"
    title = "Create a task"
    kind = Kind.PLAN
    description = description_of("task_create")

    def effects(self, params: Params) -> Claims:
        return Claims(keys=frozenset((tasks.KEY,)))

    def describe(self, params: Params) -> str:
        return f"Create the task: {one_line(params.subject)}"

    async def run(self, params: Params, values: SessionValues) -> ToolResult:
        known = tasks.kept(values)
        if not (subject := one_line(params.subject)):
            raise ToolFailed("The subject is empty. Say what is to be done.")
        first = tuple(dict.fromkeys(params.depends_on))
        made = tasks.Task(tasks.next_id(known), subject, params.description, "pending", one_line(params.owner), first)
        known = tasks.with_task(known, made)
        tasks.keep(values, known)
        return ToolResult.of_text(f"Created: {tasks.line(known, made)}", data={"task": tasks.as_data(known, made)})
