"""A server's schemas as parameters of ours: none is too odd for its tool to be offered. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256

from handrail.authoring.json_schema import schema_parameters
from handrail.authoring.schema_repair import as_2020
from handrail.authoring.whole_numbers import with_whole_numbers
from handrail.contract.basics import Json, JsonObject
from handrail.contract.parameters import SchemaParameters
from handrail.contract.values import value
from handrail.errors import ToolDefinitionError

_REFERRING = ("$ref", "$dynamicRef")


class ServersParameters(SchemaParameters):
    """Checked by the schema as it came, shown in the words of JSON Schema 2020-12."""

    def validate(self, arguments: JsonObject) -> JsonObject:
        """`3.0` is sent as `3` where an integer is wanted; all else as it was given. Raises BadArguments."""
        return super().validate(with_whole_numbers(self.schema, arguments))


@value
class Read:
    """A schema that was read, and what is not checked by it, as a line for people."""

    parameters: SchemaParameters
    problem: str = ""


def parameters_of(schema: JsonObject, where: str) -> Read:
    """Checks arguments by all of a schema that can be understood. Never raises.

    First as it is; where that is not 2020-12, as it is meant; without what can't be used; at last not at all.
    """
    problem = ""
    for attempt in _attempts(schema):
        try:
            made = schema_parameters(attempt, where)
        except ToolDefinitionError as error:
            problem = problem or str(error)
            continue
        return Read(_as_servers(as_2020(attempt), made), problem and f"{problem} What it says is checked in part.")
    return Read(_as_servers({}, schema_parameters({}, where)), f"{problem} Its arguments are not checked here.")


def _attempts(schema: JsonObject) -> tuple[JsonObject, ...]:
    modern = as_2020(schema)
    nullable = _says(schema, "nullable")
    return (*(() if nullable else (schema,)), modern, _without(modern, ("pattern", "patternProperties")),
            _without(modern, (*_REFERRING, "pattern", "patternProperties")))  # fmt: skip


def _as_servers(shown: JsonObject, made: SchemaParameters) -> ServersParameters:
    return ServersParameters({**shown, "type": "object"}, made.problems)


def digest(*parts: object) -> str:
    """Of parts of a definition, short: to see that one was changed, by somebody who may want that not to be seen."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return sha256(text.encode()).hexdigest()[:32]


def _says(schema: Json, keyword: str) -> bool:
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Mapping):
            if keyword in part:
                return True
            waiting += part.values()
        elif isinstance(part, (list, tuple)):
            waiting += part
    return False


def _without(schema: JsonObject, keywords: tuple[str, ...]) -> JsonObject:
    """Names of properties are no keywords: a table of schemas keeps all its names."""
    made: dict[str, Json] = {}
    for key, said in schema.items():
        if key in keywords:
            continue
        if key in ("properties", "$defs", "definitions", "dependentSchemas") and isinstance(said, Mapping):
            made[key] = {name: _without_in(each, keywords) for name, each in said.items()}
        elif key in ("enum", "const", "default", "examples", "required"):
            made[key] = said
        else:
            made[key] = _without_in(said, keywords)
    return made


def _without_in(said: Json, keywords: tuple[str, ...]) -> Json:
    if isinstance(said, Mapping):
        return _without(said, keywords)
    return [_without_in(each, keywords) for each in said] if isinstance(said, (list, tuple)) else said
