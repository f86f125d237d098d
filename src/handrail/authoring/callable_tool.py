"""A tool whose work is one function: what `@tool` and `define_tool` make."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Mapping
from types import SimpleNamespace
from typing import Any

from pydantic_core import to_jsonable_python

from handrail.authoring.marked_paths import with_absolute_paths
from handrail.authoring.options import ToolOptions, check_options
from handrail.authoring.parameters import Parameters
from handrail.authoring.work import Work
from handrail.contract.confirmation import InfoConfirmation
from handrail.contract.context import CALL_MAKING, FileReader, RunContext, Workspace
from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool, check_name, claims_of
from handrail.errors import ToolDefinitionError, ToolFailed

_LONGEST_LINE = 100
"""Characters of a call's one-line description."""


class CallableTool(Tool[Any]):
    """Gives the checked arguments to its function: as the first argument, or spread over all by name."""

    def __init__(self, name: str, parameters: Parameters, work: Work | None, options: ToolOptions) -> None:
        check_name(name)
        check_options(options, name)
        if parameters.marked and "effects" in options:
            raise ToolDefinitionError(f"{name} has marked parameters and effects=; say in one place what it touches")
        self.name = name
        self.parameters = parameters.schema
        self.output_streams = work is not None and work.streams
        self._marked_parameters = parameters.marked
        self._work = work
        self._effects = options.get("effects")
        self._check = options.get("check")
        self._in_thread = work is not None and work.blocks and not options.get("client_side")
        if self._in_thread:
            self.on_cancel = "finish"
        for option, value in options.items():
            if option not in ("effects", "check"):
                setattr(self, option, value)
        self.kind, self.aliases = Kind(self.kind), tuple(self.aliases)
        self._seconds = self.timeout
        if self._in_thread:
            # The runtime would stop waiting and say that it was stopped, which a thread is not.
            self.timeout = None

    @property
    def makes_calls(self) -> bool:
        return self._work is not None and any(pick in CALL_MAKING for pick in self._work.injected.values())

    def effects(self, params: Any) -> Claims:
        if self._effects is not None:
            return self._effects(params)
        return claims_of(params, self._marked_parameters) if self._marked_parameters else super().effects(params)

    async def check(self, params: Any, workspace: Workspace) -> str | None:
        problem = self._check(params, workspace) if self._check is not None else None
        return await problem if isinstance(problem, Awaitable) else problem

    def describe(self, params: Any) -> str:
        """The title or name with the arguments, as far as a line holds them."""
        arguments = ", ".join(f"{name}={value}" for name, value in _shown(params))
        line = f"{self.title or self.name}: {arguments}" if arguments else self.title or self.name
        return line if len(line) <= _LONGEST_LINE else f"{line[: _LONGEST_LINE - 1]}…"

    async def confirmation(self, params: Any, files: FileReader, workspace: Workspace) -> InfoConfirmation:
        """Every argument in full: whoever says yes has seen it."""
        return InfoConfirmation(
            self.title or self.name, "\n".join(f"{name}: {value}" for name, value in _shown(params))
        )

    async def execute(self, params: Any, context: RunContext) -> ToolResult:
        if self._work is None:
            raise ToolDefinitionError(f"{self.name} has no function to run: it is for the client")
        positional, named = self._handed(with_absolute_paths(params, self._marked_parameters, context.workspace))
        try:
            if self._in_thread:
                return await self._work.run_in_thread(self.name, positional, named, context, self._seconds)
            return await self._work.run(self.name, positional, named, context)
        except SystemExit as error:
            raise ToolFailed(f"{self.name} tried to end the whole program, with exit code {error.code}.") from error

    def _handed(self, params: Any) -> tuple[tuple[object, ...], Mapping[str, object]]:
        """The arguments of the function: by position, and by name."""
        return (params,), {}


def _shown(params: Any) -> list[tuple[str, str]]:
    """Each argument's name and value; what has no JSON is shown as Python shows it."""
    values = vars(params) if isinstance(params, SimpleNamespace) else params
    plain = to_jsonable_python(values, fallback=repr, bytes_mode="base64")
    return [(name, json.dumps(value, ensure_ascii=False)) for name, value in plain.items()]
