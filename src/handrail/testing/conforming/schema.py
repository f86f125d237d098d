"""Whether what a model is shown of a tool is right, and what the tool takes is what it shows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import jsonschema_rs

from handrail.contract.basics import Json, JsonObject
from handrail.contract.tool import Tool, check_name
from handrail.errors import ToolDefinitionError
from handrail.runtime.guard import Raised, guarded_call
from handrail.testing.conforming.examples import Example
from handrail.testing.conforming.report import Problem

DRAFTS = ("https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema")
"""The drafts that tools may be written in; a schema that names none is read as the first."""

_SURPRISE = "zz_never_declared"
"""A name that no tool has a parameter of."""

# JSON Schema core, 10.3 and 11: where schemas stand in a schema.
_ONE = ("items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems", "contains",
        "propertyNames", "not", "if", "then", "else")  # fmt: skip
_LISTED = ("anyOf", "oneOf", "allOf", "prefixItems", "items")
_NAMED = ("patternProperties", "dependentSchemas", "dependencies")
_DEFINED = ("$defs", "definitions")


def definition_problems(tool: Tool[Any], examples: Sequence[Example]) -> Iterator[Problem]:
    """All that is wrong before anything is run."""
    for name in (tool.name, *tool.aliases):
        try:
            check_name(name)
        except ToolDefinitionError as error:
            yield Problem("name", str(error))
    if not tool.description.strip():
        yield Problem(
            "schema", "the tool has no description. Say what it does and when to use it: a model has no more."
        )
    if tool.max_result_chars <= 0:
        yield Problem("result", f"max_result_chars is {tool.max_result_chars}. Give the characters a model may get.")
    if tool.timeout is not None and tool.timeout <= 0:
        yield Problem("run", f"timeout is {tool.timeout}. Give seconds, or None for a tool that bounds itself.")
    yield from _schema_problems(tool, examples[0].arguments if examples else {})
    for example in examples:
        yield from _example_problems(tool, example)


def _example_problems(tool: Tool[Any], example: Example) -> Iterator[Problem]:
    """Whether the tool and the schema it shows both take the example."""
    taken = guarded_call(lambda: tool.bind(example.arguments))
    if isinstance(taken, Raised):
        yield Problem("arguments", f"{example} is refused: {taken.message}")
        return
    shown = guarded_call(lambda: plain_schema(tool))
    if isinstance(shown, Raised):
        return  # told already
    for complaint in _complaints(shown.value, example.arguments):
        yield Problem("arguments", f"{example} is taken, but the schema shown to models refuses it: {complaint}")


def plain_schema(tool: Tool[Any]) -> dict[str, Any]:
    """As `json.loads` would give it. Raises TypeError or ValueError for what is no JSON object."""
    return cast("dict[str, Any]", json.loads(json.dumps(tool.parameters.schema)))


def _schema_problems(tool: Tool[Any], arguments: JsonObject) -> Iterator[Problem]:
    built = guarded_call(lambda: plain_schema(tool))
    if isinstance(built, Raised):
        yield Problem("schema", f"it can't be written as JSON: {built.message}")
        return
    schema = built.value
    if fault := _fault_of(schema):
        yield Problem("schema", f"it is no valid JSON Schema: {fault}")
        return
    if schema.get("type") != "object":
        yield Problem("schema", 'its type is not "object", and arguments are one. Wrap what it takes in an object.')
        return
    for path in _undescribed(schema, "", schema):
        yield Problem("schema", f"{path!r} has no description. Give it one: a model chooses its value by it.")
    yield from _surprise_problems(tool, schema, arguments)


def _fault_of(schema: dict[str, Any]) -> str:
    """Why it can't be compiled; empty when it can. Addresses outside the schema are not looked up."""
    named = schema.get("$schema", DRAFTS[0])
    if not isinstance(named, str) or named.rstrip("#") not in DRAFTS:
        return f"$schema is {named!r}. Use draft 2020-12 or draft-07."
    try:
        jsonschema_rs.meta.validate(schema)
        jsonschema_rs.validator_for(schema, offline=True)
    except (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError) as error:
        return str(error).partition("\n")[0]
    return ""


def _complaints(schema: dict[str, Any], arguments: JsonObject) -> list[str]:
    if _fault_of(schema):
        return []  # told already
    validator = jsonschema_rs.validator_for(schema, offline=True)
    errors = validator.iter_errors(json.loads(json.dumps(arguments)))
    return [f"{'.'.join(map(str, error.instance_path))}: {error.message}".removeprefix(": ") for error in errors]


def _surprise_problems(tool: Tool[Any], schema: Mapping[str, Any], arguments: JsonObject) -> Iterator[Problem]:
    """An argument that nobody declared is refused, or the schema says that it is welcome."""
    says = schema.get("additionalProperties", schema.get("unevaluatedProperties"))
    answer = guarded_call(lambda: tool.bind({**arguments, _SURPRISE: 1}))
    refused = isinstance(answer, Raised) and _SURPRISE in answer.message
    if not refused and says is None and "patternProperties" not in schema:
        yield Problem(
            "arguments",
            "an argument that the schema does not name is taken without a word, so a model's mistake goes unseen. "
            'Refuse it (pydantic: ConfigDict(extra="forbid")), or declare additionalProperties.',
        )
    elif not refused and says is False:
        yield Problem("arguments", "the schema refuses arguments that it does not name, but the tool takes them.")
    elif refused and says is True:
        yield Problem("arguments", "the schema welcomes arguments that it does not name, but the tool refuses them.")


def _undescribed(node: object, path: str, root: Mapping[str, Any]) -> Iterator[str]:
    """The paths of all properties that have no description, those in definitions too."""
    if not isinstance(node, Mapping):
        return
    for name, declared in _named(node, "properties"):
        here = f"{path}.{name}" if path else name
        if not _is_described(declared, root):
            yield here
        yield from _undescribed(declared, here, root)
    for keyword in _DEFINED:
        for name, definition in _named(node, keyword):
            yield from _undescribed(definition, name, root)
    inner: list[object] = [node.get(keyword) for keyword in _ONE]
    inner += [item for keyword in _LISTED if isinstance(node.get(keyword), list) for item in node[keyword]]
    inner += [item for keyword in _NAMED for _, item in _named(node, keyword)]
    for schema in inner:
        yield from _undescribed(schema, path, root)


def _named(node: Mapping[str, Any], keyword: str) -> Sequence[tuple[str, Json]]:
    schemas = node.get(keyword)
    return list(schemas.items()) if isinstance(schemas, Mapping) else []


def _is_described(declared: object, root: Mapping[str, Any]) -> bool:
    """By its own description, or by that of the definition it refers to."""
    if not isinstance(declared, Mapping):
        return False
    if isinstance(text := declared.get("description"), str) and text.strip():
        return True
    reference = declared.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return False
    target: object = root
    for step in reference.removeprefix("#/").split("/"):
        target = target.get(step) if isinstance(target, Mapping) else None
    return isinstance(target, Mapping) and bool(str(target.get("description", "")).strip())
