"""What a server sent, read leniently: one bad part costs that part alone."""

from __future__ import annotations

import json

from mcp import types
from pydantic import TypeAdapter, ValidationError

from handrail.contract.basics import Json, JsonObject
from handrail.providers.mcp.pages import Listing, weight_of

MOST_BLOCKS = 1_000
"""Parts of one result that are read; of more, how many there were."""
MOST_OUTPUT_SCHEMA = 1_000_000
"""Weight of the schema of one tool's results, by which these are checked: to compile it holds up all else."""
_NAME_SHOWN = 80
_PROBLEM_SHOWN = 300
_NOTE_SHOWN = 2_000
"""Characters of what can't be read that go into a note of it."""
_BLOCK: TypeAdapter[types.ContentBlock] = TypeAdapter(types.ContentBlock)


def tools_of(listed: Listing[Json]) -> Listing[types.Tool]:
    """The tools that can be read; without a schema of its own a tool takes any object."""
    tools: list[types.Tool] = []
    problems = list(listed.problems)
    for item in listed.items:
        given = {**item} if isinstance(item, dict) else item
        if isinstance(given, dict) and given.get("inputSchema") in (None, True):
            given["inputSchema"] = {"type": "object"}
        if isinstance(given, dict) and weight_of(given.get("outputSchema"), MOST_OUTPUT_SCHEMA) > MOST_OUTPUT_SCHEMA:
            del given["outputSchema"]
            problems.append(f"{_name(item)}: the schema of its results is too large; they are not checked by it.")
        try:
            tools.append(types.Tool.model_validate(given, by_name=False))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            problems.append(f"{_name(item)} can't be used: {where}: {first['msg']}."[:_PROBLEM_SHOWN])
    return Listing(tuple(tools), tuple(problems))


def result_of(raw: JsonObject) -> types.CallToolResult:
    """What the tool gave; a part of a kind that is not known stands as text."""
    content = raw.get("content")
    parts = content if isinstance(content, list) else []
    try:
        if len(parts) <= MOST_BLOCKS:
            return types.CallToolResult.model_validate(raw, by_name=False)
    except ValidationError:
        pass
    blocks = [_block(item) for item in parts[:MOST_BLOCKS]]
    if len(parts) > MOST_BLOCKS:
        blocks.append(types.TextContent(text=f"[{len(parts) - MOST_BLOCKS:,} more parts are left out]"))
    return types.CallToolResult(
        content=blocks, structured_content=raw.get("structuredContent"), is_error=raw.get("isError") is True
    )


def _block(item: Json) -> types.ContentBlock:
    try:
        return _BLOCK.validate_python(item, by_name=False)
    except ValidationError:
        kind = item.get("type") if isinstance(item, dict) else None
        shown = json.dumps(item, ensure_ascii=False)[:_NOTE_SHOWN]
        named = repr(kind)[:_NAME_SHOWN]
        return types.TextContent(text=f"[content of the kind {named}, which is not known here: {shown}]")


def _name(item: Json) -> str:
    name = item.get("name") if isinstance(item, dict) else None
    return name[:_NAME_SHOWN] if isinstance(name, str) and name else "a tool without a name"
