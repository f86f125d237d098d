"""Arguments that are secret because the tool says so, in its JSON Schema.

A parameter is secret where its schema says `"writeOnly": true` or `"format": "password"`: raw schemas say it so,
pydantic's `SecretStr` does, and `Annotated[str, Secret]` does it for any other type. The tool gets the value as
it is; the journal's events, logs and what people see get a placeholder.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from handrail.contract.basics import Json, JsonObject
from handrail.contract.schema_walk import applying, list_of, of_item, of_member
from handrail.contract.values import value


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
    return any(marks_secrets(item) for item in list_of(schema))


def secrets_in(schema: JsonObject, arguments: Json) -> Iterator[str]:
    """Every text and number in the arguments that the schema marks, as text.

    Goes down the arguments, and beside them down all that the schema says of each value.
    """
    waiting: list[tuple[Sequence[Json], Json]] = [([schema], arguments)]
    while waiting:
        schemas, item = waiting.pop()
        all_applying = list(applying(schema, schemas))
        if any(map(_is_secret, all_applying)):
            yield from _texts(item)
        elif isinstance(item, Mapping):
            for name, member in item.items():
                waiting.append(([found for each in all_applying for found in of_member(each, name)], member))
        else:
            for place, member in enumerate(list_of(item)):
                waiting.append(([found for each in all_applying for found in of_item(each, place)], member))


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
            waiting += list_of(item)
