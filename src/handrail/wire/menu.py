"""Tool definitions as each wire takes them in a request."""

from __future__ import annotations

from collections.abc import Iterable

from handrail.contract.basics import JsonObject
from handrail.wire.response import Wire


def encode_menu(tools: Iterable[tuple[str, str, JsonObject]], wire: Wire) -> list[JsonObject]:
    """What to send as `tools`, from names, descriptions and parameter schemas; empty for no tools."""
    entries = [_tool(name, description, schema, wire) for name, description, schema in tools]
    if wire is Wire.GEMINI and entries:
        return [{"functionDeclarations": entries}]
    return entries


def _tool(name: str, description: str, schema: JsonObject, wire: Wire) -> JsonObject:
    # Here, since whoever only decodes responses shows no tools.
    from handrail.wire.schemas import schema_for

    schema = schema_for(wire, schema)
    match wire:
        case Wire.ANTHROPIC:
            return {"name": name, "description": description, "input_schema": schema}
        case Wire.OPENAI_CHAT:
            function: JsonObject = {"name": name, "description": description, "parameters": schema}
            return {"type": "function", "function": function}
        case Wire.OPENAI_RESPONSES:
            # Strict mode takes only a part of JSON Schema; the runtime checks arguments itself.
            return {
                "type": "function",
                "name": name,
                "description": description,
                "parameters": schema,
                "strict": False,
            }
        case Wire.GEMINI:
            return {"name": name, "description": description, "parametersJsonSchema": schema}
        case Wire.NEUTRAL:
            return {"name": name, "description": description, "parameters": schema}
