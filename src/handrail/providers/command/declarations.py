"""Reads what a discovery command prints: declarations of functions, as JSON. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from handrail.contract.basics import Json, JsonObject
from handrail.contract.values import value

MOST_TOOLS = 1_000
LONGEST_DESCRIPTION = 10_000
"""Characters; the rest would be paid for in every request."""

_MOST_DIGITS = 4_000
_GROUPS = ("functionDeclarations", "function_declarations")
_SCHEMAS = ("parametersJsonSchema", "parameters_json_schema", "parameters")
_TYPES = frozenset(("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL"))
"""As Gemini's own schemas write them."""
_VALUES = ("default", "const", "enum", "example", "examples")
"""Keywords whose values are no schemas."""


class BadDeclarations(Exception):
    """The message completes `the discovery command …`."""


@value
class Declaration:
    """One tool as the command declares it."""

    name: str
    """Its own; any text."""
    description: str
    schema: Json
    """JSON Schema, or what was there in its place."""


@value
class Declared:
    tools: tuple[Declaration, ...]
    problems: tuple[str, ...] = ()
    """What is left out, a line each."""


def declarations(printed: bytes) -> Declared:
    """Raises BadDeclarations where it is not a JSON array of declarations or of groups of them."""
    try:
        items = json.loads(printed.decode("utf-8-sig"), parse_int=_number)
    except UnicodeDecodeError as error:
        raise BadDeclarations(f"printed bytes that are no UTF-8, at byte {error.start}") from error
    except json.JSONDecodeError as error:
        what = f"{error.msg}, line {error.lineno} column {error.colno}" if printed.strip() else "it printed nothing"
        raise BadDeclarations(f"must print a JSON array of function declarations on stdout: {what}") from error
    except RecursionError as error:
        raise BadDeclarations("printed JSON that is nested too deeply") from error
    if not isinstance(items, list):
        raise BadDeclarations(f"must print a JSON array of function declarations, and printed {_kind(items)}")
    tools: list[Declaration] = []
    problems: list[str] = []
    for item in _single(items):
        if len(tools) == MOST_TOOLS:
            problems.append(f"more than {MOST_TOOLS} tools are declared; the rest is left out")
            break
        if isinstance(item, Mapping) and isinstance(name := item.get("name"), str) and name.strip():
            try:
                tools.append(_declaration(name, item))
            except RecursionError:
                problems.append(f"{_cut(name, 100)} is left out: its schema is nested too deeply")
        else:
            problems.append(f"a declaration without a name is left out: {_cut(json.dumps(item), 100)}")
    return Declared(tuple(tools), tuple(problems))


def _number(digits: str) -> int | float:
    """Python reads integers of 4,300 digits, and of longer ones none of the document."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _single(items: list[Json]) -> Iterator[Json]:
    """Declarations, be they bare or in groups."""
    for item in items:
        groups = [item[name] for name in _GROUPS if isinstance(item, Mapping) and isinstance(item.get(name), list)]
        if groups:
            for group in groups:
                yield from group if isinstance(group, list) else ()
        else:
            yield item


def _declaration(name: str, item: JsonObject) -> Declaration:
    described = item.get("description")
    description = described if isinstance(described, str) else ""
    schema = next((item[key] for key in _SCHEMAS if isinstance(item.get(key), Mapping)), None)
    return Declaration(name, _cut(description, LONGEST_DESCRIPTION), {} if schema is None else _in_json_schema(schema))


def _in_json_schema(schema: Json) -> Json:
    """Gemini's schemas, which are OpenAPI's, in JSON Schema's words: small letters for types, `null` as a type."""
    if isinstance(schema, list):
        return [_in_json_schema(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    plain = {key: part if key in _VALUES else _in_json_schema(part) for key, part in schema.items()}
    kind = plain.get("type")
    if isinstance(kind, str) and kind in _TYPES:
        kind = plain["type"] = kind.lower()
    if plain.get("nullable") is True and isinstance(kind, str):
        plain["type"] = [kind, "null"]
    return plain


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _kind(value: Json) -> str:
    return "an object" if isinstance(value, Mapping) else f"{_cut(json.dumps(value), 40)}"
