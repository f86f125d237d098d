"""The JSON Schema of a face: the tool's own, in the family's names and units. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from handrail.catalog.faces.face import Face
from handrail.catalog.faces.parameter import FaceParameter
from handrail.contract.basics import Json, JsonObject

_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "default")
_REFERENCE = "#/$defs/"


def shown_schema(face: Face, own: JsonObject) -> JsonObject:
    """What a model is told to send."""
    return own if face.parameters is None else _object(face.parameters, _Own.of(own), everything=False)


def checked_schema(face: Face, own: JsonObject) -> JsonObject:
    """What is taken: also what is not shown."""
    return own if face.parameters is None else _object(face.parameters, _Own.of(own), everything=True)


class _Own:
    """A schema of the tool's own, with what its references lead to."""

    def __init__(self, schema: JsonObject, definitions: JsonObject) -> None:
        self.schema = schema
        self.definitions = definitions

    @classmethod
    def of(cls, schema: JsonObject) -> _Own:
        return cls(schema, _mapping(schema.get("$defs")))

    @property
    def required(self) -> frozenset[str]:
        required = self.schema.get("required")
        return frozenset(map(str, required)) if isinstance(required, list) else frozenset()

    def parameter(self, name: str) -> JsonObject:
        return self.resolved(_mapping(self.schema.get("properties")).get(name))

    def items_of(self, name: str) -> _Own:
        return _Own(self.resolved(self.parameter(name).get("items")), self.definitions)

    def resolved(self, schema: Json) -> JsonObject:
        found = _mapping(schema)
        reference = found.get("$ref")
        if not isinstance(reference, str):
            return cast(JsonObject, _inlined(found, self.definitions))
        beside = {key: part for key, part in found.items() if key != "$ref"}
        return {**self.resolved(self.definitions.get(reference.removeprefix(_REFERENCE))), **beside}


def _object(parameters: Mapping[str, FaceParameter], own: _Own, *, everything: bool) -> JsonObject:
    taken = {name: each for name, each in parameters.items() if everything or not each.hidden}
    schema: dict[str, Json] = {
        "additionalProperties": False,
        "properties": {name: _property(each, own, everything=everything) for name, each in taken.items()},
    }
    required: list[Json] = [name for name, each in taken.items() if _is_required(each, own)]
    return {**schema, **({"required": required} if required else {}), "type": "object"}


def _is_required(parameter: FaceParameter, own: _Own) -> bool:
    if parameter.required is not None:
        return parameter.required
    return parameter.to in own.required and parameter.default is None and not parameter.hidden


def _property(parameter: FaceParameter, own: _Own, *, everything: bool) -> JsonObject:
    replaced = parameter.schema or {}
    if parameter.fields is not None:
        return {**_object(parameter.fields, own, everything=everything), **replaced}
    schema: dict[str, Json] = dict(own.parameter(parameter.to))
    if "type" in replaced:
        schema = {key: part for key, part in schema.items() if key == "description"}
    if parameter.per != 1:
        schema |= {key: _times(schema[key], parameter.per) for key in _BOUNDS if key in schema}
    if parameter.negated and "default" in schema:
        schema["default"] = not schema["default"]
    if parameter.values is not None:
        schema |= _in_family_words(schema, parameter.values)
    if parameter.items is not None:
        schema["items"] = _object(parameter.items, own.items_of(parameter.to), everything=everything)
    if parameter.default is not None:
        schema["default"] = parameter.default
    return {**schema, **replaced}


def _in_family_words(schema: JsonObject, values: Mapping[str, Json]) -> JsonObject:
    words: dict[str, Json] = {}
    if "enum" in schema:
        words["enum"] = list(values)
    if "default" in schema:
        words["default"] = next((word for word, own in values.items() if own == schema["default"]), None)
    return words


def _times(bound: Json, factor: int) -> Json:
    return bound * factor if isinstance(bound, (int, float)) else bound


def _inlined(schema: Json, definitions: JsonObject) -> Json:
    """Without references, which would lead nowhere in another schema."""
    if isinstance(schema, Mapping):
        reference = schema.get("$ref")
        if isinstance(reference, str):
            return _inlined(definitions.get(reference.removeprefix(_REFERENCE)), definitions)
        return {key: _inlined(part, definitions) for key, part in schema.items()}
    if isinstance(schema, list):
        return [_inlined(part, definitions) for part in schema]
    return schema


def _mapping(schema: Json) -> JsonObject:
    return schema if isinstance(schema, dict) else {}
