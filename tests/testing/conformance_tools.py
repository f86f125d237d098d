"""Tools that other processes can import, and what the tests of the kit share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from handrail.contract.basics import JsonObject
from handrail.contract.parameters import SchemaParameters
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.testing import NotConforming, assert_conforms


class HarbourNames(Tool[JsonObject]):
    """Shows a set in the order in which this process happens to hash it."""

    name = "harbour_names"
    description = "Says which harbours there are."
    kind = Kind.READ
    parameters = SchemaParameters(
        {
            "type": "object",
            "properties": {
                "port": {"description": "The harbour.", "enum": list({"Brest", "Calais", "Dieppe", "Le Havre", "Sète"})}
            },
            "additionalProperties": True,
        },
        lambda _: (),
    )

    async def run(self, params: JsonObject) -> ToolResult:
        return ToolResult.of_text("none")


class SortedHarbourNames(HarbourNames):
    """The same, in order."""

    name = "sorted_harbour_names"
    parameters = SchemaParameters(
        {
            "type": "object",
            "properties": {"port": {"description": "The harbour.", "enum": ["Brest", "Calais", "Dieppe"]}},
            "additionalProperties": True,
        },
        lambda _: (),
    )


async def problems_of(tool: Tool[Any], *examples: JsonObject, workspace: Path, **options: Any) -> list[str]:
    """All that the kit has against a tool; it must have something."""
    options.setdefault("cancellations", 0)
    with pytest.raises(NotConforming) as raised:
        await assert_conforms(tool, *examples, workspace=workspace, **options)
    return [str(problem) for problem in raised.value.problems]


async def the_problem(tool: Tool[Any], *examples: JsonObject, workspace: Path, **options: Any) -> str:
    """The only one."""
    found = await problems_of(tool, *examples, workspace=workspace, **options)
    assert len(found) == 1, found
    return found[0]


def with_schema(schema: JsonObject, check: Callable[[JsonObject], Any] = lambda _: ()) -> Tool[JsonObject]:
    """A tool that does nothing, and shows this schema."""

    class Shown(Tool[JsonObject]):
        name = "shown"
        description = "Shows a schema."
        kind = Kind.READ
        parameters = SchemaParameters(schema, check)

        async def run(self, params: JsonObject) -> ToolResult:
            return ToolResult.of_text("ok")

    return Shown()
