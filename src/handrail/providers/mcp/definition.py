"""What a server says of one of its tools, read: one odd part costs that part alone. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from handrail.contract.basics import JsonObject
from handrail.contract.parameters import SchemaParameters
from handrail.contract.values import value
from handrail.policy.wording import shortened
from handrail.providers.mcp.names import ToolNames
from handrail.providers.mcp.nesting import LEFT_OUT, MOST_LEVELS
from handrail.providers.mcp.results import OutputCheck
from handrail.providers.mcp.schemas import digest, parameters_of
from handrail.settings.mcp.server import ServerConfig

if TYPE_CHECKING:
    from mcp import types

MOST_DESCRIPTION = 8_000
"""Characters: what a model would be sent with each request."""
MOST_SCHEMA = 200_000
"""Characters of one schema as JSON. Of the 402 schemas recorded from real servers the largest has 29,000."""

_HINTS = {
    "readOnlyHint": "read_only_hint",
    "destructiveHint": "destructive_hint",
    "idempotentHint": "idempotent_hint",
    "openWorldHint": "open_world_hint",
}
_MOST_CHARACTERS = "anthropic/maxResultSizeChars"
_ALWAYS_LOADED = "anthropic/alwaysLoad"


class Unusable(Exception):
    """Why a tool is left out, as a line for people."""


@value
class Definition:
    """One tool as it was listed."""

    name: str
    """The server's own."""
    names: ToolNames
    title: str
    description: str
    parameters: SchemaParameters
    output: OutputCheck | None
    hints: Mapping[str, bool]
    most_characters: int | None
    """Of a result, where the definition raises or lowers it."""
    always_loaded: bool
    size: int
    """Characters that a model would be sent."""
    digests: tuple[str, ...]
    """Of this tool; and, once all are known, of all."""
    problems: tuple[str, ...] = ()


def read_definition(tool: types.Tool, server: ServerConfig, names: ToolNames, most: int) -> Definition:
    """`names` are what it is called here; `most`: what it may raise the size of its results to.

    Raises Unusable.
    """
    shown = shortened(tool.name)
    text = json.dumps(tool.input_schema, ensure_ascii=False)
    if len(text) > MOST_SCHEMA:
        raise Unusable(f"{shown} is left out: its schema has {len(text):,} characters, and {MOST_SCHEMA:,} are taken.")
    if LEFT_OUT in text or LEFT_OUT in json.dumps(tool.output_schema):
        raise Unusable(f"{shown} is left out: its schema is nested too deeply; {MOST_LEVELS} levels are taken.")
    read = parameters_of(tool.input_schema, f"The schema of {shown}")
    description = tool.description or ""
    if len(description) > MOST_DESCRIPTION:
        description = f"{description[:MOST_DESCRIPTION]}…"
    hints = _hints(tool)
    title = shortened(tool.title or (tool.annotations.title if tool.annotations else None) or tool.name)
    meta = tool.meta or {}
    told = (tool.name, tool.title, tool.description, tool.input_schema, tool.output_schema, hints)
    own = digest(server.shown, server.digest, *told)
    return Definition(
        tool.name,
        names,
        title,
        description,
        read.parameters,
        _output(tool.output_schema, shown),
        hints,
        _most_characters(meta.get(_MOST_CHARACTERS), most),
        server.always_loaded or meta.get(_ALWAYS_LOADED) is True,
        len(text) + len(description) + len(tool.name),
        (own,),
        problems=(read.problem,) if read.problem else (),
    )


def _hints(tool: types.Tool) -> Mapping[str, bool]:
    given = {name: getattr(tool.annotations, field, None) for name, field in _HINTS.items()}
    return {name: hint for name, hint in given.items() if hint is not None}


def _output(schema: JsonObject | None, shown: str) -> OutputCheck | None:
    return None if schema is None else parameters_of(schema, f"The output schema of {shown}").parameters.problems


def _most_characters(said: object, most: int) -> int | None:
    return min(said, most) if isinstance(said, int) and not isinstance(said, bool) and said > 0 else None
