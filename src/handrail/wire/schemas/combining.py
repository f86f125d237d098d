"""Schemas that hold together made one, and references followed. Pure.

What is made is a part of what all of them ask for, so it never refuses what they take.
"""

from __future__ import annotations

from collections.abc import Mapping

from handrail.contract.basics import Json, JsonObject
from handrail.contract.schema_walk import list_of, referred
from handrail.contract.values import value


@value
class Resolved:
    """A schema without a reference or `allOf` at its top."""

    schema: JsonObject
    seen: frozenset[str] = frozenset()
    """The references that led to it: one that comes again leads in a circle."""
    circle: str = ""
    """The reference that did."""


def resolved(root: JsonObject, schema: Json, seen: frozenset[str] = frozenset()) -> Resolved:
    """What leads nowhere, or out of the schema, asks nothing."""
    made: JsonObject = {}
    waiting = [schema]
    while waiting:
        part = waiting.pop(0)
        if not isinstance(part, Mapping):
            continue
        reference = part.get("$ref")
        if isinstance(reference, str):
            if reference in seen:
                return Resolved(together(made, part), seen, reference)
            seen |= {reference}
            waiting.insert(0, referred(root, reference))
        waiting += list_of(part.get("allOf"))
        made = together(made, {key: said for key, said in part.items() if key not in ("$ref", "allOf")})
    return Resolved(made, seen)


def together(first: JsonObject, second: JsonObject) -> JsonObject:
    """Both: where they say different things by one keyword, what the first says."""
    made = {**second, **first}
    for table in ("properties", "patternProperties"):
        ours, theirs = first.get(table), second.get(table)
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            made[table] = {**theirs, **ours}
    required = [*list_of(first.get("required")), *list_of(second.get("required"))]
    if required:
        made["required"] = list(dict.fromkeys(map(str, required)))
    return made


def noted(schema: JsonObject, note: str) -> JsonObject:
    """With a sentence more in its description."""
    told = schema.get("description")
    return {**schema, "description": f"{told.rstrip()} {note}" if isinstance(told, str) and told.strip() else note}
