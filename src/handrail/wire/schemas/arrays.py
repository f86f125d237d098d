"""OpenAI refuses an array that does not say what its items are. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from handrail.contract.basics import Json, JsonObject

_TABLES = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_SCHEMAS = ("items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames")
_LISTS = ("anyOf", "oneOf", "allOf", "prefixItems")


def with_items(schema: JsonObject) -> JsonObject:
    """Says of arrays of anything that their items are anything."""
    made: dict[str, Json] = {}
    for key, said in schema.items():
        if key in _TABLES and isinstance(said, Mapping):
            made[key] = {name: _sub(each) for name, each in said.items()}
        elif key in _SCHEMAS:
            made[key] = _sub(said)
        elif key in _LISTS and isinstance(said, (list, tuple)):
            made[key] = [_sub(each) for each in said]
        else:
            made[key] = said
    kind = made.get("type")
    if kind == "array" or (isinstance(kind, list) and "array" in kind):
        made.setdefault("items", {})
    return made


def _sub(said: Json) -> Json:
    return with_items(said) if isinstance(said, Mapping) else said
