"""How a tool says what it takes, and how arguments are checked against that.

Two kinds: a pydantic model (what Python authors write) and raw JSON Schema (what servers send).
Both report every problem of one call at once. Nothing is coerced but a whole float for an integer,
which JSON can't tell apart.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Generic, Protocol, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from handrail.contract.basics import Json, JsonObject
from handrail.errors import ArgumentProblem

T_co = TypeVar("T_co", covariant=True)
M = TypeVar("M", bound=BaseModel)

_LARGEST_SAFE_INTEGER = 2**53
_WHAT = {
    type(None): "null",
    bool: "a boolean",
    int: "an integer",
    float: "a number",
    str: "a string",
    list: "an array",
    dict: "an object",
}


class BadArguments(ValueError):
    """The problems of one set of arguments; the tool's name is added by who knows it."""

    def __init__(self, problems: Sequence[ArgumentProblem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


class ParameterSchema(Protocol[T_co]):
    """What a tool takes: a JSON Schema to show, and a check that gives the tool's own value."""

    @property
    def schema(self) -> JsonObject: ...

    def validate(self, arguments: JsonObject) -> T_co:
        """Raises BadArguments with every problem."""
        ...


class ModelParameters(Generic[M]):
    """Parameters written as a pydantic model."""

    def __init__(self, model: type[M]) -> None:
        self.model = model
        self._adapter = TypeAdapter(model)

    @cached_property
    def schema(self) -> JsonObject:
        return cast(JsonObject, _without_titles(self.model.model_json_schema()))

    def validate(self, arguments: JsonObject) -> M:
        try:
            return self._adapter.validate_json(json.dumps(arguments), strict=True)
        except ValidationError as first:
            whole = _whole_floats(first)
            if not whole:
                raise BadArguments(_problems(first)) from first
        mended = _with_integers(arguments, whole)
        try:
            return self._adapter.validate_json(json.dumps(mended), strict=True)
        except ValidationError as second:
            raise BadArguments(_problems(second)) from second


class SchemaParameters:
    """Parameters given as raw JSON Schema. The check is compiled by whoever registers the tool."""

    def __init__(self, schema: JsonObject, check: Callable[[JsonObject], Sequence[ArgumentProblem]]) -> None:
        self.schema = schema
        self._check = check

    def validate(self, arguments: JsonObject) -> JsonObject:
        problems = self._check(arguments)
        if problems:
            raise BadArguments(problems)
        return arguments


def argument_path(location: Sequence[str | int]) -> str:
    """`("edits", 0, "old")` as a model writes it: `edits[0].old`."""
    path = ""
    for step in location:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
    return path


def _problems(error: ValidationError) -> list[ArgumentProblem]:
    return [ArgumentProblem(argument_path(e["loc"]), _in_words(e)) for e in error.errors(include_url=False)]


def _in_words(error: ErrorDetails) -> str:
    match error["type"]:
        case "missing":
            return "is required and missing"
        case "extra_forbidden":
            return "is not a parameter of this tool"
    message = error["msg"]
    expected = message[0].lower() + message[1:]
    return f"got {_WHAT.get(type(error['input']), 'a value')}; {expected}"


def _whole_floats(error: ValidationError) -> list[tuple[int | str, ...]]:
    """Where an integer was wanted and 1.0 came."""
    return [
        e["loc"]
        for e in error.errors(include_url=False, include_context=False)
        if isinstance(e["input"], float) and e["input"].is_integer() and abs(e["input"]) <= _LARGEST_SAFE_INTEGER
    ]


def _with_integers(arguments: JsonObject, locations: Sequence[tuple[int | str, ...]]) -> JsonObject:
    mended = json.loads(json.dumps(arguments))
    for location in locations:
        holder = mended
        for step in location[:-1]:
            holder = _step(holder, step)
        last = location[-1]
        value = _step(holder, last)
        if isinstance(value, float) and isinstance(holder, (dict, list)):
            operator.setitem(cast("dict[int | str, object]", holder), last, int(value))
    return cast(JsonObject, mended)


def _step(holder: object, step: int | str) -> object:
    """One step down; union members put the variant's name in pydantic's path, which is no step."""
    if isinstance(holder, dict) and step in holder:
        return holder[step]
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        return holder[step]
    return holder


def _without_titles(schema: Json) -> Json:
    """pydantic's generated titles repeat the names and cost tokens."""
    if isinstance(schema, Mapping):
        return {
            key: ({name: _without_titles(sub) for name, sub in value.items()} if isinstance(value, Mapping) else value)
            if key in ("properties", "$defs")
            else _without_titles(value)
            for key, value in schema.items()
            if not (key == "title" and isinstance(value, str))
        }
    if isinstance(schema, list):
        return [_without_titles(item) for item in schema]
    return schema
