"""Tools for tests: one that does what it is told, and one that misbehaves in every way a tool can."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from typing import Any, cast

from handrail.contract.basics import JsonObject
from handrail.contract.context import RunContext
from handrail.contract.effects import Claims
from handrail.contract.parameters import SchemaParameters
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, NeedsApproval, Tool
from handrail.errors import ToolFailed

Behaviour = Callable[[Mapping[str, Any], RunContext], Awaitable[ToolResult | str]]


class FakeTool(Tool[JsonObject]):
    """Takes any object, claims the effects it is given, and does what `behaviour` says.

    Without a behaviour it answers `ok`. `calls` keeps the arguments of every run.
    """

    description = "Does what a test says."

    def __init__(
        self,
        name: str = "fake",
        behaviour: Behaviour | None = None,
        *,
        claims: Claims | Callable[[JsonObject], Claims] | None = None,
        kind: Kind = Kind.OTHER,
        needs_approval: NeedsApproval = None,
        client_side: bool = False,
        makes_calls: bool = False,
    ) -> None:
        self.name = name
        self.kind = kind
        self.needs_approval = needs_approval
        self.client_side = client_side
        self.parameters = SchemaParameters({"type": "object", "additionalProperties": True}, lambda _: ())
        self.calls: list[JsonObject] = []
        self._claims = claims or Claims.nothing()
        self._behaviour = behaviour
        self._makes_calls = makes_calls

    @property
    def makes_calls(self) -> bool:
        return self._makes_calls

    def effects(self, params: JsonObject) -> Claims:
        return self._claims(params) if callable(self._claims) else self._claims

    async def execute(self, params: JsonObject, context: RunContext) -> ToolResult:
        self.calls.append(params)
        if self._behaviour is None:
            return ToolResult.of_text("ok")
        result = await self._behaviour(params, context)
        return ToolResult.of_text(result) if isinstance(result, str) else result


class Fault(StrEnum):
    """The ways in which a tool can misbehave."""

    RAISES = "raises"
    FAILS = "fails"
    """Raises ToolFailed, as a tool should."""
    WRONG_TYPE = "wrong type"
    HANGS = "hangs"
    """Waits for ever; ends when it is cancelled."""
    STUBBORN = "stubborn"
    """Ignores one cancellation, then returns as if nothing had been."""
    CANCELS_ITSELF = "cancels itself"
    HUGE = "huge"
    """Returns ten million characters."""
    SILENT = "silent"
    """Raises an error whose text is empty and whose cause is another."""


class FaultyTool(FakeTool):
    """Misbehaves in the one way it is given, every time."""

    def __init__(self, fault: Fault, name: str = "faulty", **options: Any) -> None:
        super().__init__(name, None, **options)
        self.fault = fault

    async def execute(self, params: JsonObject, context: RunContext) -> ToolResult:
        self.calls.append(params)
        match self.fault:
            case Fault.RAISES:
                raise ZeroDivisionError("division by zero")
            case Fault.FAILS:
                raise ToolFailed("There is no such thing. Name another.")
            case Fault.WRONG_TYPE:
                return cast(ToolResult, "a string is no ToolResult")
            case Fault.HANGS:
                await asyncio.Event().wait()
            case Fault.STUBBORN:
                await _ignoring_one_cancellation()
            case Fault.CANCELS_ITSELF:
                raise asyncio.CancelledError
            case Fault.HUGE:
                return ToolResult.of_text("x" * 10_000_000)
            case Fault.SILENT:
                raise KeyError from OSError("disk on fire")
        return ToolResult.of_text("done after all")


async def _ignoring_one_cancellation() -> None:
    try:
        await asyncio.Event().wait()
    except asyncio.CancelledError:
        return
