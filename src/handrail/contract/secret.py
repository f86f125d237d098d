"""Arguments that are secret because the tool says so, in its JSON Schema.

A parameter is secret where its schema says `"writeOnly": true` or `"format": "password"`: raw schemas say it so,
pydantic's `SecretStr` does, and `Annotated[str, Secret]` does it for any other type. The tool gets the value as
it is; the journal's events, logs and what people see get a placeholder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import value

_COMBINING = ("allOf", "anyOf", "oneOf")
_MOST_SCHEMAS = 64
"""That one value may be held against: a schema of references that branch can't take forever."""


@value
class Secret:
    """Marks a parameter as secret: `token: Annotated[str, Secret]`."""

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: Any, handler: Any) -> dict[str, Any]:
        return {**handler(core_schema), "writeOnly": True}


def marks_secrets(schema: Json) -> bool:
    """Whether anything in a schema is marked as secret."""
    if isinstance(schema, Mapping):
        return _is_secret(schema) or any(marks_secrets(item) for item in schema.values())
    return any(marks_secrets(item) for item in _list(schema))


def secrets_in(schema: JsonObject, arguments: Json) -> Iterator[str]:
    """Every text and number in the arguments that the schema marks, as text.

    Goes down the arguments, and beside them down all that the schema says of each value.
    """
    waiting: list[tuple[Sequence[Json], Json]] = [([schema], arguments)]
    while waiting:
        schemas, item = waiting.pop()
        applying = list(_applying(schema, schemas))
        if any(map(_is_secret, applying)):
            yield from _texts(item)
        elif isinstance(item, Mapping):
            for name, member in item.items():
                waiting.append(([found for each in applying for found in _of_member(each, name)], member))
        else:
            for place, member in enumerate(_list(item)):
                waiting.append(([found for each in applying for found in _of_item(each, place)], member))


def _applying(root: JsonObject, schemas: Sequence[Json]) -> Iterator[JsonObject]:
    """The schemas, with references followed and alternatives spread out."""
    waiting, seen = list(schemas), 0
    while waiting and seen < _MOST_SCHEMAS:
        schema = waiting.pop()
        if isinstance(schema, Mapping):
            seen += 1
            yield schema
            waiting += [_referred(root, schema.get("$ref")), *(schema.get(part) for part in ("if", "then", "else"))]
            waiting += [item for word in _COMBINING for item in _list(schema.get(word))]


def _of_member(schema: JsonObject, name: str) -> Iterator[Json]:
    properties = schema.get("properties")
    if isinstance(properties, Mapping) and name in properties:
        yield properties[name]
    else:
        yield schema.get("additionalProperties")
    # Whether a pattern holds is not looked at: a member too many that is hidden does no harm.
    patterned = schema.get("patternProperties")
    if isinstance(patterned, Mapping):
        yield from patterned.values()


def _of_item(schema: JsonObject, place: int) -> Iterator[Json]:
    first = _list(schema.get("prefixItems"))
    yield first[place] if place < len(first) else schema.get("items")


def _referred(root: JsonObject, reference: Json) -> Json:
    """What `#/$defs/Name` stands for; None where it leads nowhere, or out of the schema."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found: Json = root
    for step in reference.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _is_secret(schema: JsonObject) -> bool:
    return schema.get("writeOnly") is True or schema.get("format") == "password"


def _texts(value: Json) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, Mapping):
            waiting += item.values()
        elif isinstance(item, (int, float)) and not isinstance(item, bool):
            yield str(item)
        else:
            waiting += _list(item)


def _list(value: Json) -> Sequence[Json]:
    return value if isinstance(value, (list, tuple)) else ()
