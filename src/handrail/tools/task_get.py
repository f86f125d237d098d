"""Read one task whole."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.session_values import SessionValues
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning import tasks


class Params(Parameters):
    task: str = Field(min_length=1, description="The task's id.")


class TaskGet(Tool[Params]):
    name = "task_get"
    title = "Read a task"
    kind = Kind.PLAN
    description = description_of("task_get")

    def effects(self, params: Params) -> Claims:
        return Claims(keys=frozenset((tasks.KEY,)), idempotent=True)

    def describe(self, params: Params) -> str:
        return f"Read task {params.task}"

    async def run(self, params: Params, values: SessionValues) -> ToolResult:
        known = tasks.kept(values)
        found = tasks.find(known, params.task)
        blocks = tasks.after(known, found.id)
        told = (
            tasks.line(known, found),
            f"Depends on: {', '.join(found.depends_on)}" if found.depends_on else "",
            f"Blocks: {', '.join(blocks)}" if blocks else "",
            f"\n{found.description}" if found.description else "",
        )
        return ToolResult.of_text("\n".join(filter(None, told)), data={"task": tasks.as_data(known, found)})
