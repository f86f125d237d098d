"""The parameters of a tool from what authors have: a signature, a model, a dataclass, a TypedDict, a schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cached_property
from inspect import Parameter
from types import SimpleNamespace
from typing import Any, NewType, NotRequired, Required, TypeAlias, cast, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, PydanticUndefinedAnnotation, PydanticUserError, TypeAdapter, create_model
from pydantic.fields import FieldInfo
from pydantic_core import SchemaError

from handrail.authoring.json_schema import schema_parameters
from handrail.authoring.signatures import Taken
from handrail.contract.basics import JsonObject
from handrail.contract.models import AdapterParameters, ModelParameters
from handrail.contract.parameters import ParameterSchema, SchemaParameters
from handrail.contract.tool import marks_of
from handrail.errors import ToolDefinitionError

ParameterSource: TypeAlias = "type[Any] | JsonObject | SchemaParameters"
"""A pydantic model, a dataclass, a TypedDict, a JSON Schema, or what `schema_parameters` made of one."""

_PREFIX = "p_"
"""Before each parameter's name in the model: pydantic has uses of its own for `copy`, `json` or `_port`."""

_STRICT = ConfigDict(extra="forbid", alias_generator=lambda field: field.removeprefix(_PREFIX))

_REFUSED = (PydanticUserError, PydanticUndefinedAnnotation, SchemaError, TypeError, ValueError, AssertionError)
"""What pydantic raises for a type it can't check, or a constraint that doesn't fit its type."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a tool takes, and which of it is marked as a path or a host."""

    schema: ParameterSchema[Any]
    marked: tuple[tuple[str, object], ...] = ()


class SignatureParameters:
    """Parameters of a function. Checked, they are a namespace: each value under its parameter's name."""

    def __init__(self, model: type[BaseModel], described: Mapping[str, str]) -> None:
        """`described` is what the docstring says of the parameters; what a Field says goes before it."""
        self._checked = ModelParameters(model)
        self._described = {
            info.validation_alias if isinstance(info.validation_alias, str) else name: described[name]
            for name, info in _fields_of(model).items()
            if name in described
        }

    @cached_property
    def schema(self) -> JsonObject:
        schema = self._checked.schema
        properties = cast("Mapping[str, JsonObject]", schema.get("properties", {}))
        return {**schema, "properties": {name: self._described_as(name, said) for name, said in properties.items()}}

    def validate(self, arguments: JsonObject) -> SimpleNamespace:
        """Raises BadArguments with every problem."""
        fields = self._checked.validate(arguments).__dict__
        return SimpleNamespace(**{name.removeprefix(_PREFIX): value for name, value in fields.items()})

    def _described_as(self, name: str, said: JsonObject) -> JsonObject:
        text = self._described.get(name)
        return said if text is None or "description" in said else {"description": text, **said}


def parameters_of(taken: Sequence[Taken], described: Mapping[str, str], where: str) -> Parameters:
    """A signature's. Raises ToolDefinitionError that names the first parameter with a type of no use."""
    fields: dict[str, Any] = {
        _PREFIX + one.name: (one.annotation, ... if one.default is Parameter.empty else one.default) for one in taken
    }
    try:
        model = create_model(where, __config__=_STRICT, **fields)
        schema = SignatureParameters(model, described)
        _ = schema.schema
    except _REFUSED as error:
        if len(taken) == 1:
            raise _of_no_use(f"{where}: {taken[0].name}", error) from error
        for one in taken:
            parameters_of([one], {}, where)
        raise _of_no_use(where, error) from error
    return Parameters(schema, tuple(marks_of(_fields_of(model), where)))


def parameters_from(source: ParameterSource, where: str) -> Parameters:
    """A type's, or a schema's. Unknown keys are refused, except where a pydantic model says itself what to do.

    Raises ToolDefinitionError for a type that pydantic can't check or that is no object, and for a schema
    that doesn't compile.
    """
    if isinstance(source, SchemaParameters):
        return Parameters(source)
    if not isinstance(source, type):
        return Parameters(schema_parameters(source, f"The schema of {where}"))
    try:
        fields, schema = _read_type(source, where)
        shown = schema.schema
    except _REFUSED as error:
        raise _of_no_use(f"{where}: {source.__name__}", error) from error
    if shown["type"] != "object":
        raise ToolDefinitionError(f"{where}: {source.__name__} is no object, and arguments have names. Wrap it in one.")
    return Parameters(schema, tuple(marks_of(fields, f"{where}: {source.__name__}")))


def _read_type(source: type[Any], where: str) -> tuple[Mapping[str, FieldInfo], AdapterParameters[Any]]:
    if issubclass(source, BaseModel):
        return source.model_fields, ModelParameters(source)
    if not (is_dataclass(source) or hasattr(source, "__required_keys__")):
        raise ToolDefinitionError(
            f"{where}: parameters are a pydantic model, a dataclass, a TypedDict or a JSON Schema, not {source!r}"
        )
    hints = get_type_hints(source, include_extras=True)
    fields = {name: FieldInfo.from_annotation(_value_type(hint)) for name, hint in hints.items()}
    # Under another name, for pydantic takes no settings beside a dataclass or TypedDict itself.
    renamed: Callable[[str, type[Any]], Any] = NewType
    adapter = TypeAdapter(renamed(source.__name__, source), config=ConfigDict(extra="forbid"))
    return fields, AdapterParameters(adapter)


def _value_type(hint: Any) -> Any:
    while get_origin(hint) in (Required, NotRequired):
        (hint,) = get_args(hint)
    return hint


def _fields_of(model: type[BaseModel]) -> dict[str, FieldInfo]:
    return {name.removeprefix(_PREFIX): info for name, info in model.model_fields.items()}


def _of_no_use(what: str, error: Exception) -> ToolDefinitionError:
    reason = " ".join(str(error).partition("\n\n")[0].split()).partition(". Set `")[0]
    return ToolDefinitionError(
        f"{what}: its type can't be checked: {reason.rstrip('.')}. Use what JSON can say: str, int, float, bool, list, "
        "dict, Literal, an Enum, a dataclass, a TypedDict or a pydantic model."
    )
