"""Which schemas within a JSON Schema apply to a value, and to the values in it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from handrail.contract.basics import Json, JsonObject

_COMBINING = ("allOf", "anyOf", "oneOf")
_MOST_SCHEMAS = 64
"""That one value may be held against: a schema of references that branch can't take forever."""


def applying(root: JsonObject, schemas: Sequence[Json]) -> Iterator[JsonObject]:
    """The schemas, with references followed and alternatives spread out."""
    waiting, seen = list(schemas), 0
    while waiting and seen < _MOST_SCHEMAS:
        schema = waiting.pop()
        if isinstance(schema, Mapping):
            seen += 1
            yield schema
            waiting += [referred(root, schema.get("$ref")), *(schema.get(part) for part in ("if", "then", "else"))]
            waiting += [item for word in _COMBINING for item in list_of(schema.get(word))]


def of_member(schema: JsonObject, name: str) -> Iterator[Json]:
    """What a schema says of the member of an object."""
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and name in properties:
        yield properties[name]
    else:
        yield schema.get("additionalProperties")
    # Whether a pattern holds is not looked at: for those who ask, a schema too many does no harm.
    patterned = schema.get("patternProperties")
    if isinstance(patterned, Mapping):
        yield from patterned.values()


def of_item(schema: JsonObject, place: int) -> Iterator[Json]:
    """What a schema says of an item of an array."""
    first = list_of(schema.get("prefixItems"))
    yield first[place] if place < len(first) else schema.get("items")


def referred(root: JsonObject, reference: Json) -> Json:
    """What `#/$defs/Name` stands for; None where it leads nowhere, or out of the schema."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Json = root
    for step in reference.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def list_of(value: Json) -> Sequence[Json]:
    return value if isinstance(value, (list, tuple)) else ()
