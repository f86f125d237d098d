"""Parameter schemas as providers take them: accepted by their types, and never stricter than the tool's own."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest
from google.genai.types import JSONSchema, Schema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sdk_types import TOOLS, problem

from corpus_files import corpus
from handrail.authoring.schema_repair import as_2020
from handrail.wire import Wire, encode_menu
from handrail.wire.schemas import schema_for
from schema_values import values_of

PROVIDERS = (Wire.ANTHROPIC, Wire.OPENAI_CHAT, Wire.OPENAI_RESPONSES, Wire.GEMINI)
NODE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
    "required": ["name"],
}
ODD: dict[str, dict[str, Any]] = {
    "nothing": {},
    "a type alone": {"type": "object"},
    "a reference": {
        "type": "object",
        "properties": {"q": {"$ref": "#/$defs/Q", "description": "What to look for."}},
        "required": ["q"],
        "$defs": {"Q": {"type": "object", "properties": {"limit": {"type": "integer"}}}},
    },
    "a tree": {"type": "object", "properties": {"root": {"$ref": "#/$defs/Node"}}, "$defs": {"Node": NODE}},
    "a tree that is the whole": {**NODE, "$defs": {"Node": NODE}},
    "a reference at the top": {"$ref": "#/$defs/Node", "$defs": {"Node": NODE}},
    "a reference to the whole": {"type": "object", "properties": {"inner": {"$ref": "#"}}},
    "any JSON": {
        "type": "object",
        "properties": {"any": {"$ref": "#/$defs/Json"}},
        "$defs": {"Json": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/Json"}}]}},
    },
    "alternatives at the top": {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {}},
        "anyOf": [{"required": ["a"]}, {"required": ["b", "c"]}],
    },
    "forms at the top": {
        "oneOf": [
            {
                "type": "object",
                "properties": {"kind": {"const": "file"}, "path": {"type": "string"}},
                "required": ["kind"],
            },
            {
                "type": "object",
                "properties": {"kind": {"const": "url"}, "url": {"type": "string"}},
                "required": ["kind"],
            },
        ]
    },
    "parts at the top": {
        "allOf": [
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            {"type": "object", "properties": {"b": {"type": "integer"}}, "unevaluatedProperties": {}},
        ],
        "unevaluatedProperties": False,
    },
    "conditions": {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "if": {"properties": {"a": {"const": "x"}}},
        "then": {"properties": {"b": {"type": "integer"}}},
        "not": {"required": ["z"]},
    },
    "a list of types": {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"], "maxLength": 3, "enum": ["a", None]}},
    },
    "alternatives inside": {
        "type": "object",
        "properties": {
            "a": {"description": "One of two.", "anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
            "b": {"oneOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}], "default": None},
            "c": {"anyOf": [{}, {"type": "string"}]},
            "d": {"allOf": [{"type": "string"}, {"minLength": 1}], "title": "D"},
        },
    },
    "values": {
        "type": "object",
        "properties": {
            "texts": {"enum": ["a", "b"]},
            "numbers": {"type": "integer", "enum": [1, 2, 3]},
            "mixed": {"enum": ["a", 1, None]},
            "empty": {"type": "string", "enum": ["", "a"]},
            "const": {"const": 7},
            "word": {"const": "yes"},
            "flag": {"type": "boolean", "const": True},
            "thing": {"const": {"a": 1}},
        },
    },
    "bounds": {
        "type": "object",
        "properties": {
            "a": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 9.5, "multipleOf": 0.5},
            "b": {"type": "string", "minLength": 1, "pattern": "^(?=a).*$", "format": "email"},
            "c": {"type": "string", "format": "date-time"},
            "d": {
                "type": "array",
                "items": {"type": "integer"},
                "minItems": 1,
                "uniqueItems": True,
                "contains": {"const": 1},
            },
        },
        "minProperties": 1,
    },
    "tuples": {
        "type": "object",
        "properties": {
            "open": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]},
            "closed": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False},
            "bare": {"type": "array"},
        },
    },
    "maps": {
        "type": "object",
        "properties": {"m": {"type": "object", "additionalProperties": {"type": "integer"}}},
        "patternProperties": {"^x": {"type": "string"}},
        "additionalProperties": False,
    },
    "names that are no identifiers": {
        "type": "object",
        "properties": {"$filter": {"type": "string"}, "naïve": {"type": "integer"}, "ok.x-y_z": {"type": "string"}},
        "required": ["$filter", "ok.x-y_z"],
        "additionalProperties": False,
    },
    "properties of what may be no object": {
        "type": "object",
        "properties": {"a": {"properties": {"b": {"type": "string"}}}},
    },
    "schemas that are true and false": {"type": "object", "properties": {"a": True, "b": False}},
}
RECORDED = {f"{place}: {each['name']}"[:80]: each["inputSchema"] for place, each in enumerate(corpus("tool_schemas"))}


def refused(schema: dict[str, Any]) -> list[str]:
    """What the providers' own types have against it."""
    found = []
    for wire in PROVIDERS:
        (entry,) = encode_menu([("x", "Does x.", schema)], wire)
        if told := problem(entry, TOOLS[wire]):
            found.append(f"{wire}: {told}")
    return found


@pytest.mark.parametrize("schema", ODD.values(), ids=ODD)
def test_any_schema_becomes_one_that_each_providers_types_accept(schema: dict[str, Any]) -> None:
    assert not refused(schema)
    adapted = schema_for(Wire.GEMINI, schema)
    Schema.model_validate(adapted)
    Schema.from_json_schema(json_schema=JSONSchema.model_validate(adapted))


def test_so_does_every_recorded_one() -> None:
    for name, schema in RECORDED.items():
        assert not refused(schema), name
        Schema.model_validate(schema_for(Wire.GEMINI, schema))


@pytest.mark.parametrize("wire", PROVIDERS)
@pytest.mark.parametrize("schema", ODD.values(), ids=ODD)
def test_the_top_is_one_table_of_parameters(schema: dict[str, Any], wire: Wire) -> None:
    adapted = schema_for(wire, schema)
    assert adapted["type"] == "object"
    assert {"anyOf", "oneOf", "allOf", "not", "enum", "$ref"}.isdisjoint(adapted)
    jsonschema_rs.validator_for(dict(adapted), offline=True)


QUICK = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), database=None)


@pytest.mark.parametrize("name", ODD)
def test_what_a_tool_takes_is_valid_by_what_a_provider_is_told(name: str) -> None:
    assert fitting(ODD[name], 15)


@pytest.mark.parametrize("part", range(20))
def test_so_it_is_for_the_recorded_schemas(part: int) -> None:
    assert sum(fitting(schema, 3) for schema in list(RECORDED.values())[part::20])


def fitting(schema: dict[str, Any], examples: int) -> int:
    """How many of so many examples a tool takes, all of which are valid by what each provider is told."""
    modern = dict(as_2020({**schema, "type": "object"}))
    own = jsonschema_rs.validator_for(modern, offline=True)
    told = {wire: jsonschema_rs.validator_for(dict(schema_for(wire, modern)), offline=True) for wire in PROVIDERS}

    taken = 0

    @settings(QUICK, max_examples=examples)
    @given(values_of(modern))
    def law(arguments: Any) -> None:
        nonlocal taken
        if own.is_valid(arguments):
            taken += 1
            for wire, validator in told.items():
                assert validator.is_valid(arguments), (wire, arguments, list(validator.iter_errors(arguments))[:3])

    law()
    return taken


def test_a_schema_that_names_itself_over_and_over_stays_small() -> None:
    wide = {f"p{number}": {"$ref": f"#/$defs/{'ab'[number % 2]}"} for number in range(30)}
    other = {f"q{number}": {"$ref": f"#/$defs/{'cd'[number % 2]}"} for number in range(30)}
    last = {f"r{number}": {"type": "object", "properties": dict(other)} for number in range(30)}
    schema = {
        "type": "object",
        "properties": dict(wide),
        "$defs": {
            "a": {"type": "object", "properties": other},
            "b": {"type": "object", "properties": other},
            "c": {"type": "object", "properties": last},
            "d": {"type": "object", "properties": last},
        },
    }
    assert len(json.dumps(schema_for(Wire.GEMINI, schema))) < 500_000


def test_what_a_provider_can_not_be_told_in_keywords_it_is_told_in_words() -> None:
    adapted = schema_for(Wire.GEMINI, ODD["values"])["properties"]
    assert adapted == {
        "texts": {"type": "string", "enum": ["a", "b"]},
        "numbers": {"type": "integer", "description": "One of [1, 2, 3]."},
        "mixed": {
            "anyOf": [
                {"type": "string", "enum": ["a"]},
                {"type": "integer", "description": 'One of ["a", 1, null].'},
                {"type": "null"},
            ]
        },
        "empty": {"type": "string", "description": 'One of ["", "a"].'},
        "const": {"type": "integer", "description": "One of [7]."},
        "word": {"type": "string", "enum": ["yes"]},
        "flag": {"type": "boolean"},
        "thing": {"description": 'One of [{"a": 1}].'},
    }
    top = schema_for(Wire.ANTHROPIC, ODD["alternatives at the top"])
    assert top["description"] == "Give one of these: `a`; `b`, `c`."
    keys = schema_for(Wire.ANTHROPIC, ODD["names that are no identifiers"])
    assert keys["required"] == ["ok.x-y_z"]
    assert "$filter" in str(keys["description"])


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        "type",
                        "properties",
                        "items",
                        "anyOf",
                        "allOf",
                        "$ref",
                        "enum",
                        "required",
                        "minimum",
                        "additionalProperties",
                        "$defs",
                        "const",
                        "prefixItems",
                        "description",
                        "default",
                    ]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
@settings(deadline=None)
def test_nothing_that_could_stand_there_is_too_odd(odd: Any) -> None:
    schema = odd if isinstance(odd, dict) else {"properties": {"a": odd}}
    assert not refused(schema)
    Schema.model_validate(schema_for(Wire.GEMINI, schema))
