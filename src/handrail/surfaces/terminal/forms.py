"""A form to fill in, made of its JSON Schema. Pure.

Forms of servers are flat objects of texts, numbers, yes or no, and choices:
https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation#requested-schema
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from handrail.contract.basics import Json, JsonObject

_BLANK: Mapping[str, Json] = {"string": "", "number": 0, "integer": 0, "boolean": False, "array": [], "object": {}}


def blank_form(schema: JsonObject) -> JsonObject:
    """Every field with its default, its first choice, or nothing in it."""
    return {name: _blank(field) for name, field in _fields(schema)}


def field_lines(schema: JsonObject) -> list[str]:
    """A line for each field: its name, what it takes, what it means. Not made printable yet."""
    required = schema.get("required")
    needed = required if isinstance(required, list | tuple) else ()
    return [_line(name, field, must=name in needed) for name, field in _fields(schema)]


def _fields(schema: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    fields = schema.get("properties")
    if isinstance(fields, Mapping):
        yield from ((name, field) for name, field in fields.items() if isinstance(field, Mapping))


def _blank(field: JsonObject) -> Json:
    if "default" in field:
        return field["default"]
    choices = _choices(field)
    return choices[0] if choices else _BLANK.get(str(field.get("type")), None)


def _line(name: str, field: JsonObject, *, must: bool) -> str:
    choices = _choices(field)
    takes = " or ".join(json.dumps(choice, ensure_ascii=False) for choice in choices) or str(
        field.get("type", "anything")
    )
    meaning = field.get("description") or field.get("title")
    return f"{name}{'' if must else ' (may be left out)'}: {takes}{f'; {meaning}' if meaning else ''}"


def _choices(field: JsonObject) -> list[Json]:
    choices = field.get("enum")
    return list(choices) if isinstance(choices, list | tuple) else []
