"""Parameters of types that pydantic checks. pydantic is longer to load than all else of a start together: a menu of
tools whose schemas are known needs none of this, their calls do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar, cast

from pydantic import BaseModel, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from handrail.contract.basics import Json, JsonObject
from handrail.contract.parameters import BadArguments
from handrail.contract.problems import problems_of, steps_into
from handrail.errors import ArgumentProblem

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)

_LARGEST_SAFE_INTEGER = 2**53
_WANTS_INTEGER = frozenset({"int_type", "int_from_float", "literal_error", "enum"})


class AdapterParameters(Generic[T]):
    """Parameters of a type that pydantic checks: a model, a dataclass, a TypedDict."""

    def __init__(self, adapter: TypeAdapter[T]) -> None:
        self._adapter = adapter

    @cached_property
    def schema(self) -> JsonObject:
        """A model that holds itself is a mere reference in pydantic's schema; providers want a type beside it."""
        schema = cast(JsonObject, _without_titles(self._adapter.json_schema()))
        return schema if "type" in schema else {**schema, "type": "object"}

    def validate(self, arguments: JsonObject) -> T:
        try:
            return self._validated(arguments)
        except ValidationError as first:
            whole = _whole_floats(first)
            if not whole:
                raise BadArguments(problems_of(first, arguments)) from first
        try:
            return self._validated(_with_integers(arguments, whole))
        except ValidationError as second:
            raise BadArguments(problems_of(second, arguments)) from second

    def _validated(self, arguments: JsonObject) -> T:
        """As JSON: strict checks of Python values would refuse a string for a path or an enum."""
        try:
            return cast(T, self._adapter.validator.validate_json(_as_json(arguments), strict=True))
        except RecursionError as error:
            raise BadArguments([ArgumentProblem("", "is nested too deeply")]) from error


class ModelParameters(AdapterParameters[M]):
    """Parameters written as a pydantic model."""

    def __init__(self, model: type[M]) -> None:
        super().__init__(TypeAdapter(model))
        self.model = model


def _as_json(arguments: JsonObject) -> bytes | str:
    """pydantic's writer is nine times faster, and raises for what its reader can say better: text, depth."""
    try:
        return to_json(arguments, inf_nan_mode="constants")
    except PydanticSerializationError:
        return json.dumps(arguments)


def _whole_floats(error: ValidationError) -> list[tuple[int | str, ...]]:
    """Where an integer was wanted and 1.0 came."""
    return [
        e["loc"]
        for e in error.errors(include_url=False, include_context=False)
        if e["type"] in _WANTS_INTEGER
        and isinstance(e["input"], float)
        and e["input"].is_integer()
        and abs(e["input"]) <= _LARGEST_SAFE_INTEGER
    ]


def _with_integers(arguments: JsonObject, locations: Sequence[tuple[int | str, ...]]) -> JsonObject:
    mended: JsonObject = json.loads(json.dumps(arguments))
    for location in locations:
        for holder, step, value in steps_into(mended, location):
            if isinstance(value, float):
                holder[step] = int(value)
    return mended


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
