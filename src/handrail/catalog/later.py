"""Tools that are on a menu before they are loaded: what is said of them is data, the rest comes with a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any, cast

from handrail.contract.basics import JsonObject
from handrail.contract.confirmation import Confirmation
from handrail.contract.context import Environment, FileReader, RunContext, Workspace
from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.tool import Invocation, Opinion, Tool


class LaterTool(Tool[Any]):
    """Stands for a tool until it is called. Whatever its data doesn't say is asked of the tool itself, which is then
    imported; an invocation is always the tool's own."""

    def __init__(
        self,
        place: str,
        said: Mapping[str, object],
        schema: JsonObject,
        enabled: Callable[[Environment], bool] | None = None,
    ) -> None:
        """`place` is `module:class`, of a class that takes no arguments. `said` are the attributes of the tool that
        are not those of every tool. `enabled` answers without the tool; None where every machine will do."""
        self._place = place
        for name, value in said.items():
            setattr(self, name, value)
        self.parameters = _LaterParameters(schema, self)
        self._enabled = enabled

    @property
    def is_loaded(self) -> bool:
        return "loaded" in vars(self)

    @cached_property
    def loaded(self) -> Tool[Any]:
        """The tool itself. What is said of it is the same."""
        module, _, name = self._place.partition(":")
        return cast(Tool[Any], getattr(import_module(module), name)())

    def enabled(self, environment: Environment) -> bool:
        return self._enabled is None or self._enabled(environment)

    @property
    def makes_calls(self) -> bool:
        return self.loaded.makes_calls

    def bind(self, arguments: JsonObject) -> Invocation:
        return self.loaded.bind(arguments)

    async def check(self, params: Any, workspace: Workspace) -> str | None:
        return await self.loaded.check(params, workspace)

    def opinion(self, params: Any) -> Opinion | None:
        return self.loaded.opinion(params)

    def subagent(self, params: Any) -> str:
        return self.loaded.subagent(params)

    def server_of(self, params: Any) -> str:
        return self.loaded.server_of(params)

    def effects(self, params: Any) -> Claims:
        return self.loaded.effects(params)

    def describe(self, params: Any) -> str:
        return self.loaded.describe(params)

    async def confirmation(self, params: Any, files: FileReader, workspace: Workspace) -> Confirmation:
        return await self.loaded.confirmation(params, files, workspace)

    async def execute(self, params: Any, context: RunContext) -> ToolResult:
        return await self.loaded.execute(params, context)


class _LaterParameters:
    def __init__(self, schema: JsonObject, tool: LaterTool) -> None:
        self.schema = schema
        self._tool = tool

    def validate(self, arguments: JsonObject) -> object:
        return self._tool.loaded.parameters.validate(arguments)


def itself(tool: Tool[Any]) -> Tool[Any]:
    """The tool that is to be called."""
    return tool.loaded if isinstance(tool, LaterTool) else tool
