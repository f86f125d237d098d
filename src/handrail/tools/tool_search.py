"""Find tools that are not on the menu."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import Field

from handrail.contract.basics import JsonObject
from handrail.contract.context import ToolNames
from handrail.contract.deferred import DeferredTools, FoundTool, FoundTools
from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.parameters import Parameters

MOST_DESCRIPTION = 300
"""Characters of a found tool's description; the menu has all of it."""


class Params(Parameters):
    query: str = Field(min_length=1, description="Words, +word for one that is in the name, or select:NAME,NAME.")
    max_results: int = Field(default=5, ge=1, le=20, description="How many tools to find at most.")


class ToolSearch(Tool[Params]):
    name = "tool_search"
    title = "Search for tools"
    kind = Kind.SEARCH
    description = description_of("tool_search")

    def effects(self, params: Params) -> Claims:
        return Claims.nothing()

    def describe(self, params: Params) -> str:
        return f"Search for tools: {params.query}"

    async def run(self, params: Params, tools: DeferredTools, names: ToolNames) -> ToolResult:
        search = await tools.search(params.query, params.max_results)
        found = [tool.name for tool in search.found]
        return ToolResult.of_text("\n".join(_lines(search, names)), data={"found": found})


def _lines(search: FoundTools, names: ToolNames) -> Iterator[str]:
    if search.found:
        yield "Found; on your menu from your next response on:"
    for tool in search.found:
        yield f"- {names.of(tool.name)}({_parameters(tool.parameters)}): {_short(tool)}"
    if search.known:
        yield f"On your menu already: {', '.join(search.known)}"
    if search.missing:
        yield f"There is no tool named: {', '.join(search.missing)}. Search by words."
    if not (search.found or search.known or search.missing):
        yield f"None of {search.searched} tools has that. Try other words, fewer, or none with +."
        if search.near:
            yield f"Names that are like it: {', '.join(map(names.of, search.near))}"


def _short(tool: FoundTool) -> str:
    line = " ".join(tool.description.split())
    return line if len(line) <= MOST_DESCRIPTION else f"{line[: MOST_DESCRIPTION - 1]}…"


def _parameters(schema: JsonObject) -> str:
    """Names, those that may be left out with a question mark."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, Mapping):
        return ""
    needed = required if isinstance(required, (list, tuple)) else ()
    return ", ".join(name if name in needed else f"{name}?" for name in properties)
