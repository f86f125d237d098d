from __future__ import annotations

import re

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema.validators import validator_for
from schema_arguments import JSON, altered, fitting

from corpus_files import corpus
from handrail.authoring.define import define_tool
from handrail.authoring.json_schema import schema_parameters
from handrail.contract.parameters import BadArguments
from handrail.errors import ToolDefinitionError

TOOLS = corpus("tool_schemas")
IDS = [f"{number}-{tool['name']}" for number, tool in enumerate(TOOLS)]

REFUSED: dict[str, str] = {}
"""Tools of the corpus that are refused, by id, each with what is wrong with its schema. There are none."""


def fault_of(tool):
    """Why the tool does not register, under a name that every provider takes; empty where it does."""
    name = tool["name"].replace(".", "_")
    try:
        made = define_tool(name=name, parameters=tool["inputSchema"], run=lambda arguments: None)
    except ToolDefinitionError as error:
        return str(error)
    return "" if made.parameters.schema == tool["inputSchema"] else "its schema is shown otherwise"


@pytest.mark.parametrize("number", range(len(TOOLS)), ids=IDS)
def test_a_real_tool_registers_or_is_refused_for_a_fault_of_its_own(number):
    assert fault_of(TOOLS[number]) == REFUSED.get(IDS[number], "")


def judged(parameters, arguments):
    """What our check finds wrong."""
    try:
        parameters.validate(arguments)
    except BadArguments as error:
        return [str(problem) for problem in error.problems]
    return []


def reference(schema):
    return validator_for(schema, default=jsonschema.Draft202012Validator)(schema)


def agree(schema, parameters, arguments):
    found, fits = judged(parameters, arguments), reference(schema).is_valid(arguments)
    assert fits == (not found) or any("in the format" in problem for problem in found), (arguments, found)


@pytest.mark.parametrize("tool", TOOLS, ids=IDS)
def test_arguments_are_judged_as_the_reference_library_judges_them(tool):
    schema = tool["inputSchema"]
    parameters = schema_parameters(schema)

    @settings(max_examples=10)
    @given(st.data())
    def holds(data):
        arguments = data.draw(fitting(schema))
        agree(schema, parameters, arguments)
        agree(schema, parameters, data.draw(altered(arguments)))

    holds()


DRAFT_07 = "http://json-schema.org/draft-07/schema#"
RICH = {
    "types": {"properties": {"a": {"type": ["integer", "null"]}, "b": {"type": "number"}, "c": {"type": "string"}}},
    "bounds": {"properties": {"a": {"minimum": 0, "exclusiveMaximum": 3}, "b": {"multipleOf": 2}}},
    "lengths": {"properties": {"a": {"minLength": 1, "maxLength": 2}, "b": {"minItems": 1, "maxItems": 1}}},
    "sizes": {"minProperties": 1, "maxProperties": 2},
    "closed": {"properties": {"a": {}}, "additionalProperties": False},
    "others typed": {"properties": {"a": {}}, "additionalProperties": {"type": "integer"}},
    "names": {"propertyNames": {"pattern": "^[a-c]$"}},
    "by pattern": {"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False},
    "choices": {"properties": {"a": {"enum": [1, "b", None, True, [], {}]}, "b": {"const": 0}}},
    "any": {"anyOf": [{"required": ["a"]}, {"required": ["b"], "properties": {"b": {"type": "integer"}}}]},
    "one": {"oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "all": {"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "boolean"}}}]},
    "not": {"not": {"required": ["a", "b"]}},
    "if": {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}},
    "dependent": {"dependentRequired": {"a": ["b"]}, "dependentSchemas": {"b": {"required": ["c"]}}},
    "unevaluated": {"anyOf": [{"properties": {"a": {}}, "required": ["a"]}, True], "unevaluatedProperties": False},
    "tuple": {"properties": {"a": {"prefixItems": [{"type": "integer"}], "items": {"type": "string"}}}},
    "unevaluated items": {"properties": {"a": {"prefixItems": [True], "unevaluatedItems": False}}},
    "contains": {"properties": {"a": {"contains": {"type": "integer"}, "minContains": 1, "maxContains": 1}}},
    "unique": {"properties": {"a": {"uniqueItems": True}}},
    "tree": {"properties": {"a": {"items": {"$ref": "#"}, "type": "array"}, "b": {"$ref": "#"}}, "required": ["c"]},
    "definitions": {"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"$anchor": "n", "minimum": 1}}},
    "anchors": {"properties": {"a": {"$ref": "#n"}}, "$defs": {"m": {"$anchor": "n", "type": "object"}}},
    "draft-07 tuple": {
        "$schema": DRAFT_07,
        "properties": {"a": {"items": [{"type": "null"}], "additionalItems": False}},
    },
    "draft-07 dependencies": {"$schema": DRAFT_07, "dependencies": {"a": ["b"], "b": {"required": ["c"]}}},
    "draft-07 reference": {
        "$schema": DRAFT_07,
        "properties": {"a": {"$ref": "#/definitions/n", "type": "string"}},
        "definitions": {"n": {"type": "integer"}},
    },
    "unknown keywords": {"properties": {"a": {"nullable": True, "optional": True, "x-order": 1, "type": "string"}}},
}
VALUES = JSON | st.dictionaries(st.sampled_from("abc"), JSON, max_size=2) | st.lists(st.integers(-1, 3) | st.none())
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "c", "ab", "x"]), VALUES, max_size=4)


@pytest.mark.parametrize("schema", RICH.values(), ids=RICH)
def test_what_real_tools_rarely_use_is_judged_the_same(schema):
    parameters = schema_parameters(schema)

    @settings(max_examples=60)
    @given(OBJECTS)
    def holds(arguments):
        agree(schema, parameters, arguments)

    holds()


DISAGREEMENTS = {
    "formats": ({"format": "date"}, "soon", False, "we check formats in every draft; the reference only when told to"),
    "infinity": ({"type": "number"}, float("inf"), False, "JSON has no infinity, though 1e400 is read as one"),
    "half a character": ({"type": "string"}, "\ud800", False, "it can't be sent on as UTF-8"),
    "a line's end": (
        {"pattern": "^a$"},
        "a\n",
        False,
        "JSON Schema means ECMA-262, where $ is the end and nothing else",
    ),
    "digits of other scripts": ({"pattern": r"^\d$"}, "٣", False, "in ECMA-262 a digit is 0 to 9"),
    "classes of characters": ({"pattern": r"^\p{L}$"}, "é", True, "ECMA-262 knows them; Python's expressions don't"),
    "encodings": ({"contentEncoding": "base64"}, "%", False, "draft-07 leaves that open; who writes it means it"),
}


@pytest.mark.parametrize("case", DISAGREEMENTS.values(), ids=DISAGREEMENTS)
def test_where_we_judge_otherwise_it_is_still_so(case):
    about, value, fits, reason = case
    schema = {"$schema": DRAFT_07, "properties": {"a": about}}
    try:
        theirs = reference(schema).is_valid({"a": value})
    except re.error:
        theirs = None
    assert (not judged(schema_parameters(schema), {"a": value})) is fits
    assert theirs is not fits, f"it is no exception any more: {reason}"
