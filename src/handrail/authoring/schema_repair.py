"""JSON Schema of any age made JSON Schema 2020-12. Pure.

Servers send what their libraries wrote: draft-04 and draft-07, OpenAPI's `nullable`, keywords of wrong types. What has
a meaning is kept in 2020-12's words; what has none is left out, which refuses nothing that was allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from handrail.contract.basics import Json, JsonObject

DEEPEST = 64
"""Levels; below them anything is allowed."""

_TYPES = frozenset(("array", "boolean", "integer", "null", "number", "object", "string"))
_SCHEMAS = ("not", "if", "then", "else", "contains", "propertyNames", "additionalProperties", "unevaluatedProperties",
            "unevaluatedItems", "contentSchema")  # fmt: skip
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_TABLES = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_COUNTS = (
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minContains",
    "maxContains",
)
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")
_TEXTS = ("title", "description", "format", "pattern", "$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$comment",
          "contentEncoding", "contentMediaType")  # fmt: skip
_VALUES = ("const", "default")
"""Of which null is a value."""
_SWITCHES = ("uniqueItems", "readOnly", "writeOnly", "deprecated")
_DROPPED = ("$schema", "id", "nullable", "additionalItems", "dependencies", "divisibleBy", "extends", "disallow",
            "$vocabulary", "$recursiveRef", "$recursiveAnchor")  # fmt: skip


def as_2020(schema: Json) -> JsonObject:
    """The whole of a schema. What is no object takes anything."""
    made = _schema(schema, 0)
    return made if isinstance(made, dict) else {}


def _schema(given: Json, depth: int) -> Json:
    if isinstance(given, bool):
        return given
    if not isinstance(given, Mapping) or depth > DEEPEST:
        return {}
    made: dict[str, Json] = {}
    for key, said in given.items():
        kept = _kept(key, said, depth)
        if key in _VALUES or (key not in _DROPPED and kept is not None):
            made[key] = kept
    _bounds(given, made)
    _tuple(given, made, depth)
    _dependencies(given, made, depth)
    if given.get("nullable") is True:
        _or_null(made)
    return made


def _kept(key: str, said: Json, depth: int) -> Json:
    """The keyword in 2020-12's words; None where it says nothing there."""
    keep = _KEEPING.get(key)
    return keep(said, depth) if keep is not None else _plain(said, depth)


def _plain(said: Json, depth: int) -> Json:
    """Of keywords that nobody knows, and values of any kind; None is no value of a keyword that is kept."""
    return said


def _sub(said: Json, depth: int) -> Json:
    return _schema(said, depth + 1) if isinstance(said, (bool, Mapping)) else None


def _subs(said: Json, depth: int) -> Json:
    if not isinstance(said, (list, tuple)) or not said:
        return None
    return [_schema(each, depth + 1) for each in said]


def _table(said: Json, depth: int) -> Json:
    if not isinstance(said, Mapping):
        return None
    return {str(name): _schema(each, depth + 1) for name, each in said.items()}


def _type(said: Json, depth: int) -> Json:
    if isinstance(said, str):
        return said if said in _TYPES else None
    named = [each for each in said if isinstance(each, str)] if isinstance(said, (list, tuple)) else []
    return list(dict.fromkeys(named)) if named and all(each in _TYPES for each in named) else None


def _texts(said: Json, depth: int) -> Json:
    named = [each for each in said if isinstance(each, str)] if isinstance(said, (list, tuple)) else []
    return list(dict.fromkeys(named)) or None


def _options(said: Json, depth: int) -> Json:
    return list(said) if isinstance(said, (list, tuple)) and said else None


def _count(said: Json, depth: int) -> Json:
    whole = isinstance(said, int) or (isinstance(said, float) and said.is_integer())
    return int(said) if whole and not isinstance(said, bool) and isinstance(said, (int, float)) and said >= 0 else None


def _number(said: Json, depth: int) -> Json:
    return said if isinstance(said, (int, float)) and not isinstance(said, bool) else None


def _above_zero(said: Json, depth: int) -> Json:
    number = _number(said, depth)
    return number if isinstance(number, (int, float)) and number > 0 else None


def _text(said: Json, depth: int) -> Json:
    return said if isinstance(said, str) else None


def _switch(said: Json, depth: int) -> Json:
    return said if isinstance(said, bool) else None


def _named_lists(said: Json, depth: int) -> Json:
    if not isinstance(said, Mapping):
        return None
    return {str(name): listed for name, each in said.items() if (listed := _texts(each, depth)) is not None}


_KEEPING: dict[str, Callable[[Json, int], Json]] = {
    **dict.fromkeys(_SCHEMAS, _sub),
    **dict.fromkeys(_LISTS, _subs),
    **dict.fromkeys(_TABLES, _table),
    **dict.fromkeys(_COUNTS, _count),
    **dict.fromkeys(_NUMBERS, _number),
    **dict.fromkeys(_TEXTS, _text),
    **dict.fromkeys(_SWITCHES, _switch),
    "items": _sub,
    "multipleOf": _above_zero,
    "type": _type,
    "enum": _options,
    "required": _texts,
    "examples": _options,
    "dependentRequired": _named_lists,
}


def _bounds(given: JsonObject, made: dict[str, Json]) -> None:
    """In draft-04 `exclusiveMinimum: true` makes the minimum itself too small."""
    for exclusive, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if given.get(exclusive) is True and bound in made:
            made[exclusive] = made.pop(bound)


def _tuple(given: JsonObject, made: dict[str, Json], depth: int) -> None:
    """Up to 2019-09 a list of `items` is what `prefixItems` is now, and `additionalItems` what `items` is."""
    items = given.get("items")
    if isinstance(items, (list, tuple)):
        if items:
            made["prefixItems"] = [_schema(each, depth + 1) for each in items]
        if (rest := _sub(given.get("additionalItems"), depth)) is not None:
            made["items"] = rest


def _dependencies(given: JsonObject, made: dict[str, Json], depth: int) -> None:
    said = given.get("dependencies")
    schemas: dict[str, Json] = {}
    required: dict[str, Json] = {}
    for name, each in said.items() if isinstance(said, Mapping) else ():
        if isinstance(each, (Mapping, bool)):
            schemas[str(name)] = _schema(each, depth + 1)
        elif (listed := _texts([each] if isinstance(each, str) else each, depth)) is not None:
            required[str(name)] = listed
    for keyword, found in (("dependentSchemas", schemas), ("dependentRequired", required)):
        held = made.get(keyword)
        if found:
            made[keyword] = {**found, **(held if isinstance(held, dict) else {})}


def _or_null(made: dict[str, Any]) -> None:
    kind = made.get("type")
    if isinstance(kind, str) and kind != "null":
        made["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        made["type"] = [*kind, "null"]
    if "enum" in made and None not in made["enum"]:
        made["enum"] = [*made["enum"], None]
