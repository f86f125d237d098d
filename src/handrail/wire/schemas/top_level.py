"""Anthropic and OpenAI take no alternatives and no reference at the top of a schema: it is one table. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from handrail.contract.basics import Json, JsonObject
from handrail.contract.schema_walk import list_of
from handrail.wire.schemas.combining import noted, resolved

_ALTERNATIVES = ("anyOf", "oneOf")
_NOT_AT_TOP = (*_ALTERNATIVES, "allOf", "$ref", "not", "enum", "const", "if", "then", "else")
_KEPT_APART = ("$defs", "definitions")


def flat(schema: JsonObject) -> JsonObject:
    """The same parameters without any of that; which go together is told in words."""
    if not any(keyword in schema for keyword in _NOT_AT_TOP):
        return {**schema, "type": "object"}
    top = dict(resolved(schema, schema).schema)
    for keyword in _ALTERNATIVES:
        branches = [resolved(schema, each).schema for each in list_of(top.get(keyword))]
        if branches:
            top = dict(_with_alternatives(top, branches))
    dropped = (*_NOT_AT_TOP, "unevaluatedProperties", "$dynamicRef")
    made = {key: said for key, said in top.items() if key not in dropped}
    # Made of several, it knows no more what else they allowed.
    apart = {key: schema[key] for key in _KEPT_APART if key in schema}
    return {**made, **apart, "type": "object"}


def _with_alternatives(top: JsonObject, branches: Sequence[JsonObject]) -> JsonObject:
    """The parameters of all of them, each optional unless all require it."""
    found: dict[str, list[Json]] = {}
    for branch in branches:
        properties = branch.get("properties")
        for name, said in properties.items() if isinstance(properties, Mapping) else ():
            if said not in found.setdefault(name, []):
                found[name].append(said)
    own = top.get("properties")
    merged = {name: said[0] if len(said) == 1 else {"anyOf": said} for name, said in found.items()}
    made: dict[str, Json] = {**top, "properties": {**merged, **(own if isinstance(own, Mapping) else {})}}
    sets = [list(map(str, list_of(branch.get("required")))) for branch in branches]
    needed = [name for name in sets[0] if all(name in others for others in sets)]
    required = [*map(str, list_of(top.get("required"))), *needed]
    if required:
        made["required"] = list(dict.fromkeys(required))
    told = [", ".join(f"`{name}`" for name in names if name not in needed) for names in sets]
    if len(branches) > 1 and any(told):
        return noted(made, f"Give one of these: {'; '.join(each or 'none of them' for each in dict.fromkeys(told))}.")
    return made
