from __future__ import annotations

import pytest

from handrail.authoring.json_schema import schema_parameters
from handrail.contract.parameters import BadArguments
from handrail.errors import ToolDefinitionError

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"


def of(**schema):
    """A schema whose one property, `a`, is this."""
    return {"properties": {"a": schema}}


def problems(schema, arguments):
    try:
        assert schema_parameters(schema).validate(arguments) is arguments
    except BadArguments as error:
        return [str(problem) for problem in error.problems]
    return []


WORDS = [
    (of(type="integer"), {"a": "1"}, "a: got a string, expected an integer"),
    (of(type="integer"), {"a": 1.5}, "a: got a number, expected an integer"),
    (of(type="integer"), {"a": True}, "a: got a boolean, expected an integer"),
    (of(type="string"), {"a": None}, "a: got null, expected a string"),
    (of(type="object"), {"a": []}, "a: got an array, expected an object"),
    (of(type="array"), {"a": {}}, "a: got an object, expected an array"),
    (of(type=["null", "integer"]), {"a": "1"}, "a: got a string, expected an integer or null"),
    (of(type="number"), {"a": float("inf")}, "a: got Infinity, expected a number"),
    (of(anyOf=[{"type": "integer"}, {"type": "null"}]), {"a": "1"}, "a: got a string, expected an integer or null"),
    (of(oneOf=[{"type": "integer"}, {"minimum": 3}]), {"a": 4}, "a: fits more than one of the forms it can have"),
    (of(enum=["x", 1, None]), {"a": "y"}, "a: got \"y\", expected 'x', 1 or null"),
    (of(enum=["x"]), {"a": "y" * 50}, "a: got a string, expected 'x'"),
    (of(const=True), {"a": False}, "a: got false, expected true"),
    (of(minimum=1), {"a": 0}, "a: got 0, expected at least 1"),
    (of(maximum=1), {"a": 2}, "a: got 2, expected at most 1"),
    (of(exclusiveMinimum=1), {"a": 1}, "a: got 1, expected more than 1"),
    (of(exclusiveMaximum=1), {"a": 1}, "a: got 1, expected less than 1"),
    (of(multipleOf=3), {"a": 4}, "a: got 4, expected a multiple of 3"),
    (of(minLength=2), {"a": "x"}, "a: got a length of 1, expected at least 2"),
    (of(maxLength=1), {"a": "xy"}, "a: got a length of 2, expected at most 1"),
    (of(minItems=1), {"a": []}, "a: got a length of 0, expected at least 1"),
    (of(maxItems=1), {"a": [1, 2]}, "a: got a length of 2, expected at most 1"),
    (of(maxProperties=0), {"a": {"b": 1}}, "a: got a length of 1, expected at most 0"),
    (of(pattern="^x{2}$"), {"a": "y"}, 'a: got "y", expected a string that matches ^x{2}$'),
    (of(format="date"), {"a": "soon"}, 'a: got "soon", expected a string in the format date'),
    (of(uniqueItems=True), {"a": [1, 1.0]}, "a: holds an item twice"),
    (of(contains={"type": "string"}), {"a": [1]}, "a: does not hold the items that it must"),
    (of(**{"not": {"type": "string"}}), {"a": "x"}, 'a: got "x", expected nothing that fits {"type": "string"}'),
    (of(prefixItems=[{}], items=False), {"a": [1, 2]}, "a[1]: is not allowed here"),
    (of(prefixItems=[{}], unevaluatedItems=False), {"a": [1, 2]}, "a: holds items that are not allowed: 2"),
    (
        {"$schema": DRAFT_07, **of(items=[{}], additionalItems=False)},
        {"a": [1, 2]},
        "a: got a length of 2, expected at",
    ),
    ({"$schema": DRAFT_07, **of(contentEncoding="base64")}, {"a": "%"}, 'a: got "%", expected text in base64'),
    ({"required": ["a"]}, {}, "a: is required and missing"),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, "b: is required and missing"),
    ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, "b: is required and missing"),
    ({"additionalProperties": False}, {"a": 1}, "a: is not a parameter of this tool"),
    (of(unevaluatedProperties=False), {"a": {"b": 1}}, "a.b: is not a parameter of this tool"),
    ({"additionalProperties": False, "properties": {}}, {"a": 1}, "a: is not a parameter of this tool"),
    ({"properties": {"a": {"propertyNames": False}}}, {"a": {"b": 1}}, "a.b: is not a parameter of this tool"),
    ({"additionalProperties": {"type": "string"}}, {"a": 1}, "a: got an integer, expected a string"),
    ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, 'has the key "ab": got a length of 2, expected at most 1'),
    (
        of(items={"properties": {"b": {"type": "string"}}}),
        {"a": [{}, {"b": 1}]},
        "a[1].b: got an integer, expected a str",
    ),
    (
        of(pattern=r"^(a|aa)+\1$"),
        {"a": "a" * 60 + "!"},
        "a: can't be checked against its pattern, which takes too long",
    ),
    ({}, {"a": "\ud800"}, "holds text that is not Unicode: half of a surrogate pair"),
    ({}, {"\ud800": 1}, "holds text that is not Unicode: half of a surrogate pair"),
]


@pytest.mark.parametrize(("schema", "arguments", "problem"), WORDS, ids=[problem for _, _, problem in WORDS])
def test_a_problem_says_where_what_was_found_and_what_was_expected(schema, arguments, problem):
    found = problems(schema, arguments)
    assert len(found) == 1
    assert found[0].startswith(problem)


def test_every_problem_is_reported_at_once():
    schema = {
        "properties": {"a": {"type": "integer"}, "b": {"items": {"enum": ["x", "y"]}}},
        "required": ["c"],
        "additionalProperties": False,
    }
    assert sorted(problems(schema, {"a": "1", "b": ["x", "z", 1], "d": 1, "e": 2})) == [
        "a: got a string, expected an integer",
        "b[1]: got \"z\", expected 'x' or 'y'",
        "b[2]: got 1, expected 'x' or 'y'",
        "c: is required and missing",
        "d: is not a parameter of this tool",
        "e: is not a parameter of this tool",
    ]


def test_a_union_reports_what_each_variant_wanted():
    schema = of(anyOf=[{"type": "array"}, {"type": "object", "required": ["old"]}])
    assert problems(schema, {"a": {}}) == ["a: got an object, expected an array", "a.old: is required and missing"]


FITS = [
    (of(type="integer"), {"a": 1.0}, "JSON can't tell it from 1"),
    (of(type="integer"), {"a": 10**400}, "integers have no bounds"),
    (of(type="string", format="uint32"), {"a": "x"}, "a format that nobody knows is a note"),
    (of(type="string", nullable=True), {"a": "x"}, "so is a keyword that nobody knows"),
    (of(pattern=r"^\p{L}+$"), {"a": "é"}, "classes of characters"),
    (of(pattern="(?<=a)b"), {"a": "ab"}, "looking back"),
    (of(pattern="b"), {"a": "abc"}, "a pattern is found anywhere"),
    ({}, {"a": [1, {"b": None}]}, "{} takes any object"),
    ({"properties": {"a": True}}, {"b": 1}, "other keys are free unless the schema closes itself"),
    ({"$schema": DRAFT_07, **of(items=[{"type": "string"}])}, {"a": ["x", 1]}, "draft-07 has lists of items"),
    ({"$schema": DRAFT_2020, **of(prefixItems=[{"type": "string"}])}, {"a": ["x", 1]}, "2020-12 has prefixItems"),
    ({"$schema": DRAFT_07, **of(prefixItems=[{"type": "string"}])}, {"a": [1]}, "which draft-07 does not know"),
    (
        {"$schema": "http://json-schema.org/draft-04/schema", **of(minimum=0, exclusiveMinimum=True)},
        {"a": 1},
        "draft-04",
    ),
    (of(**{"$ref": "#/$defs/b"}) | {"$defs": {"b": {"type": "string"}}}, {"a": "x"}, "references within the schema"),
]


@pytest.mark.parametrize(("schema", "arguments", "why"), FITS, ids=[why for _, _, why in FITS])
def test_what_fits_is_taken_as_it_is(schema, arguments, why):
    assert problems(schema, arguments) == []


def test_a_tree_of_trees_is_checked_at_every_depth():
    schema = {"properties": {"children": {"items": {"$ref": "#"}}}, "additionalProperties": False}
    assert problems(schema, {"children": [{"children": [{"name": "x"}]}]}) == [
        "children[0].children[0].name: is not a parameter of this tool"
    ]


@pytest.mark.parametrize("depth", [300, 100_000])
def test_arguments_nested_too_deeply_are_a_problem_like_any(depth):
    schema = {"properties": {"child": {"$ref": "#"}}, "additionalProperties": False}
    value: object = {"other": 1}
    for _ in range(depth):
        value = {"child": value}
    found = problems(schema, value)
    assert found == ["is nested too deeply"] or (
        len(found) == 1 and found[0].endswith("is not a parameter of this tool")
    )


LOOP = " leads back to itself, and so says nothing"
NO_OBJECT = "arguments are an object, and no object fits it"
REFUSED = [
    (of(type="dict"), "properties.a.type: got \"dict\", expected 'array', 'boolean', 'integer', 'null', 'number'"),
    (of(required=True), "properties.a.required: got a boolean, expected an array"),
    (of(exclusiveMinimum=True), "properties.a.exclusiveMinimum: got a boolean, expected a number"),
    (of(pattern="("), 'properties.a.pattern: got "(", expected a string in the format regex'),
    (of(items=[{}]), "properties.a.items: got an array, expected a boolean or an object"),
    ({"properties": {"a": None}}, "properties.a: got null, expected a boolean or an object"),
    ({"properties": []}, "properties: got an array, expected an object"),
    (of(minLength=-1), "properties.a.minLength: got -1, expected at least 0"),
    ([], "it is an array, and a JSON Schema is an object"),
    (None, "it is null, and a JSON Schema is an object"),
    (of(enum={1, 2}), "Unsupported type"),
    (of(**{"$ref": "#/nope"}), "a reference in it leads nowhere: Pointer '/nope' does not exist. Nothing is fetched"),
    (of(**{"$ref": "#nope"}), "a reference in it leads nowhere: Anchor 'nope' does not exist"),
    (of(**{"$ref": "http://localhost:1/a.json"}), "cannot fetch http://localhost:1/a.json. Nothing is fetched"),
    (of(**{"$ref": "file:///etc/hostname"}), "cannot fetch file:///etc/hostname. Nothing is fetched"),
    (of(**{"$ref": "a.json"}), "a reference in it leads nowhere: Resource 'a.json'"),
    ({"$schema": "http://example.org/mine"}, "its $schema is 'http://example.org/mine', which is not known here"),
    ({"$schema": ""}, "its $schema is '', which is not known here"),
    ({"$schema": 7}, "$schema: got an integer, expected a string"),
    (False, NO_OBJECT),
    ({"type": "string"}, NO_OBJECT),
    ({"type": ["array", "null"]}, NO_OBJECT),
    ({"const": "x"}, NO_OBJECT),
    ({"enum": ["x", 1]}, NO_OBJECT),
    ({"anyOf": [{"type": "string"}, {"enum": [1]}]}, NO_OBJECT),
    ({"oneOf": [{"type": "string"}, False]}, NO_OBJECT),
    ({"allOf": [{"type": "object"}, {"type": "string"}]}, NO_OBJECT),
    ({"$ref": "#/$defs/b", "$defs": {"b": {"type": "string"}}}, NO_OBJECT),
    ({"$ref": "#"}, f"the reference '#'{LOOP}"),
    ({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/a"}}}, LOOP),
    ({"properties": {"a": {"allOf": [{"not": {"$ref": "#/properties/a"}}]}}}, LOOP),
    ({"$defs": {"a~/%": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/a~0~1%25"}]}}}, LOOP),
    ({"$defs": {"x": {"$anchor": "x", "if": {"$ref": "#y"}}, "y": {"$anchor": "y", "$ref": "#x"}}}, LOOP),
    ({"$id": "urn:a", "$ref": "urn:b", "$defs": {"b": {"$id": "urn:b", "$ref": "urn:a"}}}, LOOP),
    ({"$id": "http://h/x/y", "$defs": {"a": {"$id": "z", "$ref": "y#/$defs/b"}, "b": {"$ref": "z"}}}, LOOP),
    ({"$dynamicAnchor": "n", "$dynamicRef": "#n"}, LOOP),
    ({"$schema": DRAFT_07, "definitions": {"a": {"$id": "#a", "dependencies": {"b": {"$ref": "#a"}}}}}, LOOP),
]


@pytest.mark.parametrize(("schema", "reason"), REFUSED, ids=[str(schema) for schema, _ in REFUSED])
def test_a_schema_that_can_not_be_used_is_refused_with_its_fault(schema, reason):
    with pytest.raises(ToolDefinitionError) as caught:
        schema_parameters(schema)
    assert str(caught.value).startswith("The schema can't be used: ")
    assert reason in str(caught.value)


def test_a_schema_of_many_levels_is_refused_and_not_followed():
    schema: dict[str, object] = {}
    for _ in range(100_000):
        schema = {"properties": {"a": schema}}
    with pytest.raises(ToolDefinitionError, match="The schema can't be used: Recursion limit reached"):
        schema_parameters(schema)


TAKEN = [
    True,
    {},
    {"type": ["object", "null"]},
    {"enum": [{"a": 1}, 2]},
    {"anyOf": [{"type": "string"}, {"required": ["a"]}]},
    {"if": {"required": ["a"]}, "then": {"type": "object"}, "else": {"type": "string"}},
    {"not": {"required": ["a"]}},
    {"minProperties": 1},
    {"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}}, "$defs": {"x": {"type": "string"}}},
    {"properties": {"$ref": {"type": "string"}, "not": {"$ref": "#/properties/$ref"}}},
    {"properties": {"a": {"$ref": "#"}}},
    {"properties": {"a": {"default": {"$ref": "#"}}}},
]


@pytest.mark.parametrize("schema", TAKEN, ids=str)
def test_a_schema_that_some_object_fits_is_shown_as_one_of_an_object(schema):
    shown = schema_parameters(schema).schema
    assert shown == {**({} if schema is True else schema), "type": "object"}
