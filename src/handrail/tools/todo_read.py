"""Read the list of todos."""

from __future__ import annotations

from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.session_values import SessionValues
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning import todos


class Params(Parameters):
    pass


class TodoRead(Tool[Params]):
    name = "todo_read"
    title = "Read the todos"
    kind = Kind.PLAN
    aliases = ("TodoRead",)
    description = description_of("todo_read")

    def effects(self, params: Params) -> Claims:
        return Claims(keys=frozenset((todos.KEY,)), idempotent=True)

    async def run(self, params: Params, values: SessionValues) -> ToolResult:
        return todos.told(todos.kept(values), "There are no todos.")
