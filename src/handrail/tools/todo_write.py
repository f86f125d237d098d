"""Write the list of todos: the whole of it, in place of what was there."""

from __future__ import annotations

from pydantic import Field

from handrail.contract.context import Workspace
from handrail.contract.effects import Claims
from handrail.contract.results import TodoItem, ToolResult
from handrail.contract.session_values import SessionValues
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters
from handrail.tools.planning import todos
from handrail.tools.planning.lines import one_line
from handrail.tools.text.counting import counted

MOST = 100
LONGEST = 500
"""Characters of one todo: it is a line, not a page."""


class Todo(Parameters):
    text: str = Field(min_length=1, max_length=LONGEST, description="What is to be done, as an order: 'Run the tests'.")
    status: todos.Status = Field(description="How far it is. One todo at most is in_progress.")


class Params(Parameters):
    todos: list[Todo] = Field(
        max_length=MOST, description="The whole list, in order, those that are done too. An empty one clears it."
    )


class TodoWrite(Tool[Params]):
    name = "todo_write"
    title = "Write the todos"
    kind = Kind.PLAN
    description = description_of("todo_write")

    async def check(self, params: Params, workspace: Workspace) -> str | None:
        return todos.problem_of(_items(params))

    def effects(self, params: Params) -> Claims:
        return Claims(keys=frozenset((todos.KEY,)), idempotent=True)

    def describe(self, params: Params) -> str:
        active = next((item.text for item in _items(params) if item.status == "in_progress"), "")
        return f"{counted(len(params.todos), 'todo')}{f', now: {active}' if active else ''}"

    async def run(self, params: Params, values: SessionValues) -> ToolResult:
        items = _items(params)
        todos.keep(values, items)
        return todos.told(items, "The list is empty now.")


def _items(params: Params) -> tuple[TodoItem, ...]:
    return tuple(TodoItem(one_line(todo.text), todo.status) for todo in params.todos)
