"""Gemini's part of JSON Schema: what `google.genai.types.Schema` has a field for, without references. Pure.

ai.google.dev, "Function calling" and the reference of `Schema`: keywords besides these make a request fail.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from handrail.contract.basics import Json, JsonObject
from handrail.contract.schema_walk import list_of, referred
from handrail.wire.schemas.combining import noted, resolved, together

MOST_NODES = 2_000
"""Schemas in one schema, references written out: those beyond are cut, and a model knows less of what is wanted."""
DEEPEST = 24

_LONGEST_NOTE = 500
_BY_TYPE: dict[str, tuple[str, ...]] = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum"),
    "number": ("minimum", "maximum"),
    "array": ("minItems", "maxItems"),
    "object": ("minProperties", "maxProperties"),
}
_FORMATS = {"string": ("date-time",), "integer": ("int32", "int64"), "number": ("float", "double")}
_KINDS: tuple[tuple[type, str], ...] = ((bool, "boolean"), (str, "string"), (int, "integer"), (float, "number"))
_ANY = ("title", "description", "default")


def for_gemini(schema: JsonObject) -> JsonObject:
    """The schema of a tool's parameters."""
    return {**_Adapting(schema).adapted(schema, frozenset(), 0), "type": "object"}


class _Adapting:
    """One schema: how much of it is written."""

    def __init__(self, root: JsonObject) -> None:
        self._root = root
        self._left = MOST_NODES

    def adapted(self, given: Json, seen: frozenset[str], depth: int) -> JsonObject:
        self._left -= 1
        found = resolved(self._root, given, seen)
        if found.circle:
            return self._cut(found.schema, found.circle)
        schema = found.schema
        if self._left < 0 or depth > DEEPEST:
            return _told({}, schema)
        alternatives = list_of(schema.get("anyOf")) or list_of(schema.get("oneOf"))
        kinds = _kinds_of(schema)
        if alternatives:
            common = {key: said for key, said in schema.items() if key not in ("anyOf", "oneOf", *_ANY)}
            each = [resolved(self._root, branch, found.seen) for branch in alternatives]
            parts = [(together(branch.schema, common), branch.seen, branch.circle) for branch in each]
            return self._any_of(schema, [self._cut(s, c) if c else self.adapted(s, b, depth + 1) for s, b, c in parts])
        if len(kinds) > 1:
            bare = {key: said for key, said in schema.items() if key not in _ANY}
            return self._any_of(schema, [self._of_kind({**bare, "type": k}, k, found.seen, depth) for k in kinds])
        return self._of_kind(schema, kinds[0] if kinds else "", found.seen, depth)

    def _any_of(self, schema: JsonObject, branches: Sequence[JsonObject]) -> JsonObject:
        """One that takes anything makes the others meaningless."""
        different: list[JsonObject] = []
        for branch in branches:
            if branch not in different:
                different.append(branch)
        if not all(different):
            return _told({}, schema)
        if len(different) == 1:
            return _told(different[0], schema)
        return _told({"anyOf": different}, schema)

    def _cut(self, schema: JsonObject, reference: str) -> JsonObject:
        """Where a schema holds itself: of what it is there only the kind is told."""
        target = referred(self._root, reference)
        kind = target.get("type") if isinstance(target, Mapping) else None
        made: JsonObject = {"type": kind, "items": {}} if kind == "array" else {"type": kind}
        cut = noted(_told({}, schema), f"Another {reference.rpartition('/')[2] or 'of the whole'}, of the same form.")
        return {**made, **cut} if isinstance(kind, str) else cut

    def _of_kind(self, schema: JsonObject, kind: str, seen: frozenset[str], depth: int) -> JsonObject:
        made: dict[str, Json] = {"type": kind} if kind else {}
        made |= {key: schema[key] for key in _BY_TYPE.get(kind, ()) if key in schema}
        if kind in ("integer", "number"):
            for bound, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
                if bound not in made and exclusive in schema:
                    made[bound] = schema[exclusive]  # the bound itself is refused here, with a reason
        if kind == "array" or (not kind and ("items" in schema or "prefixItems" in schema)):
            made["items"] = self._items(schema, seen, depth)
        if kind in ("object", ""):
            self._members(schema, made, seen, depth)
        return _told(_with_values(made, schema, kind), schema)

    def _items(self, schema: JsonObject, seen: frozenset[str], depth: int) -> JsonObject:
        first, rest = list_of(schema.get("prefixItems")), schema.get("items")
        if not first:
            return self.adapted(rest, seen, depth + 1)
        if not isinstance(rest, Mapping) and rest is not False:
            return {}
        each = [*first, *([rest] if isinstance(rest, Mapping) else [])]
        return self._any_of({}, [self.adapted(item, seen, depth + 1) for item in each])

    def _members(self, schema: JsonObject, made: dict[str, Json], seen: frozenset[str], depth: int) -> None:
        properties = schema.get("properties")
        members = properties if isinstance(properties, Mapping) else {}
        if members:
            made["properties"] = {name: self.adapted(each, seen, depth + 1) for name, each in members.items()}
        required: list[Json] = [name for name in list_of(schema.get("required")) if name in members]
        if required:
            made["required"] = required
        others = schema.get("additionalProperties")
        if "patternProperties" in schema:
            return
        if others is False:
            made["additionalProperties"] = False
        elif isinstance(others, Mapping) and (adapted := self.adapted(others, seen, depth + 1)):
            made["additionalProperties"] = adapted


def _kinds_of(schema: JsonObject) -> list[str]:
    """The types that are named; else that of the values that are."""
    named = schema.get("type")
    if isinstance(named, str):
        return [named]
    if isinstance(named, (list, tuple)) and named:
        return [str(each) for each in named]
    values = [schema["const"]] if "const" in schema else list_of(schema.get("enum"))
    kinds = list(dict.fromkeys(map(_kind_of, values)))
    return [] if "" in kinds else kinds


def _kind_of(value: Json) -> str:
    if isinstance(value, float) and value.is_integer():
        return "number"
    return "null" if value is None else next((name for kind, name in _KINDS if isinstance(value, kind)), "")


def _with_values(made: dict[str, Json], schema: JsonObject, kind: str) -> JsonObject:
    """Lists of values are lists of texts there; other values are told in words."""
    values = [schema["const"]] if "const" in schema else list_of(schema.get("enum"))
    texts = [value for value in values if isinstance(value, str)]
    notes: list[str] = []
    if kind == "string" and texts and all(texts):
        made["enum"] = list(dict.fromkeys(texts))
    elif values and kind not in ("null", "boolean"):
        notes.append(f"One of {_json(values)}.")
    pattern, format_ = schema.get("pattern"), schema.get("format")
    if isinstance(pattern, str) and kind in ("string", ""):
        notes.append(f"Matches {pattern}.")
    if isinstance(format_, str):
        if format_ in _FORMATS.get(kind, ()):
            made["format"] = format_
        else:
            notes.append(f"Format: {format_}.")
    return noted(made, " ".join(notes)[:_LONGEST_NOTE]) if notes else made


def _told(made: JsonObject, schema: JsonObject) -> JsonObject:
    """With what is said for people and models."""
    told: dict[str, Any] = {key: schema[key] for key in _ANY if key in schema}
    texts = [each.get("description") for each in (schema, made)]
    description = " ".join(_sentences(texts))
    for key in ("title", "description"):
        if not isinstance(told.get(key), str):
            told.pop(key, None)
    return {**made, **told, **({"description": description} if description else {})}


def _sentences(texts: Iterable[Json]) -> list[str]:
    return [text.strip() for text in texts if isinstance(text, str) and text.strip()]


def _json(values: Sequence[Json]) -> str:
    return json.dumps(values, ensure_ascii=False)
