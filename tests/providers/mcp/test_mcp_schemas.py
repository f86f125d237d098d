"""Schemas as servers send them: whatever their age, their tools are there, and arguments arrive as they are meant."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from mcp_world import World, called, ready, text_of, tool

from accounts import case
from corpus_files import corpus
from handrail.contract.calls import Failed
from handrail.contract.parameters import BadArguments
from handrail.contract.results import ErrorKind
from handrail.providers.mcp.schemas import parameters_of
from handrail.wire import Wire, encode_menu

REFERRING = {
    "type": "object",
    "properties": {"q": {"$ref": "#/$defs/Q"}},
    "required": ["q"],
    "$defs": {"Q": {"type": "object", "properties": {"limit": {"type": "integer"}}}},
}


def takes(schema: dict[str, Any], arguments: dict[str, Any]) -> bool:
    try:
        parameters_of(schema, "The schema").parameters.validate(arguments)
    except BadArguments:
        return False
    return True


def of(said: Any, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": said}, **more}


OLD = "http://json-schema.org/draft-04/schema#"
SEVEN = "http://json-schema.org/draft-07/schema#"
EXCLUSIVE = {"type": "number", "minimum": 1, "exclusiveMinimum": True}
TUPLE = {"items": [{"type": "string"}, {}]}
DIALECTS: list[tuple[str, dict[str, Any], list[Any], list[Any]]] = [
    ("a list of types", of({"type": ["string", "null"]}), ["x", None], [1]),
    ("OpenAPI's nullable", of({"type": "string", "nullable": True}), ["x", None], [1]),
    ("nullable with values", of({"type": "string", "enum": ["x"], "nullable": True}), ["x", None], ["y"]),
    ("nullable that is false", of({"type": "string", "nullable": False}), ["x"], [None]),
    ("an exclusive minimum of draft-04", of(EXCLUSIVE, **{"$schema": OLD}), [2], [1]),
    ("the same, and no draft named", of(EXCLUSIVE), [2], [1, 0]),
    ("one that excludes nothing", of({"type": "number", "minimum": 1, "exclusiveMinimum": False}), [1], [0]),
    ("a tuple of draft-07", of(TUPLE, **{"$schema": SEVEN}), [["x", 1]], [[1]]),
    ("the same, and no draft named", of(TUPLE | {"additionalItems": False}), [["x", 1]], [[1], ["x", 1, 2]]),
    ("a tuple of 2020-12", of({"prefixItems": [{"type": "string"}]}), [["x", 1]], [[1]]),
    ("a format that nobody knows", of({"type": "integer", "format": "uint32"}), [1], ["x"]),
    ("a pattern with classes of Unicode", of({"type": "string", "pattern": r"^\p{L}+$"}), ["é"], ["1", 1]),
    ("a pattern that looks behind", of({"type": "string", "pattern": r"(?<=a)b"}), ["ab"], ["b", 1]),
    ("a pattern that is none", of({"type": "string", "pattern": "("}), ["x"], [1]),
    ("a draft that nobody knows", of({"type": "string"}, **{"$schema": "https://example.com/mine"}), ["x"], [1]),
    ("a constant", of({"const": "x"}), ["x"], ["y"]),
    ("a default of the wrong type", of({"type": "integer", "default": "many"}), [1], ["x"]),
    ("no type at all", {"properties": {"a": {"type": "integer"}}}, [1], ["x"]),
    ("a type that is none", of({"type": "file"}), ["x", 1], []),
    ("types of Python", of({"type": "dict", "properties": {"b": {"type": "str"}}}), [{"b": 1}], []),
    ("required at the property, as in draft-03", of({"type": "string", "required": True}), ["x"], [1]),
    ("definitions of draft-07", of({"$ref": "#/definitions/D"}, definitions={"D": {"type": "integer"}}), [1], ["x"]),
    ("a reference that leads nowhere", of({"$ref": "#/nope"}), [1, "x"], []),
    ("a reference to the network", of({"$ref": "https://example.com/s.json"}), [1], []),
    ("a reference in a circle", of({"$ref": "#/$defs/D"}, **{"$defs": {"D": {"$ref": "#/$defs/D"}}}), [1], []),
    ("a tree", {**of({"$ref": "#"}), "additionalProperties": False}, [{}, {"a": {}}], [{"b": 1}]),
    ("an enum that is no list", of({"type": "string", "enum": "x"}), ["x", "y"], [1]),
    ("an empty choice", of({"anyOf": []}), [1], []),
    ("bounds in texts", of({"type": "string", "maxLength": "3"}), ["long enough"], [1]),
    ("a whole number for a count", of({"type": "string", "maxLength": 3.0}), ["abc"], ["abcd"]),
    ("dependencies of draft-07", {"type": "object", "dependencies": {"a": ["b"]}}, [], [1]),
    ("properties that are a list", {"type": "object", "properties": ["a"]}, [1], []),
    ("extensions", of({"type": "string", "x-order": 1, "examples": {"b": 1}}), ["x"], [1]),
]  # fmt: skip


@case("MC08")
@pytest.mark.parametrize(("name", "schema", "good", "bad"), DIALECTS, ids=[each[0] for each in DIALECTS])
def test_every_dialect_is_checked_as_far_as_it_means_something(
    name: str, schema: dict[str, Any], good: list[Any], bad: list[Any]
) -> None:
    for value in good:
        assert takes(schema, {"a": value}), value
    for value in bad:
        assert not takes(schema, {"a": value}), value


@pytest.mark.parametrize("schema", [each[1] for each in DIALECTS], ids=[each[0] for each in DIALECTS])
def test_what_is_shown_of_it_is_2020_12(schema: dict[str, Any]) -> None:
    import jsonschema_rs

    shown = parameters_of(schema, "The schema").parameters.schema
    assert shown["type"] == "object"
    jsonschema_rs.validator_for(dict(shown), offline=True)


def test_a_schema_that_is_right_is_shown_as_it_came() -> None:
    assert parameters_of(REFERRING, "The schema").parameters.schema == REFERRING
    assert not parameters_of(REFERRING, "The schema").problem


INTEGER = of({"type": "integer"})
NUMBERS: list[tuple[Any, Any]] = [
    (3.0, "3"),
    (3, "3"),
    (-0.0, "0"),
    (12345678901234567890, "12345678901234567890"),
    (3.5, None),
    (True, None),
    ("3", None),
    (math.inf, None),
    (math.nan, None),
]


@case("MC09")
@pytest.mark.parametrize(("given", "sent"), NUMBERS)
def test_a_whole_float_is_sent_as_an_integer_and_nothing_else_is(given: Any, sent: str | None) -> None:
    if sent is None:
        assert not takes(INTEGER, {"a": given})
    else:
        assert json.dumps(parameters_of(INTEGER, "").parameters.validate({"a": given})) == f'{{"a": {sent}}}'


PLACES: list[tuple[dict[str, Any], Any, Any]] = [
    (of({"type": ["integer", "null"]}), 3.0, 3),
    (of({"anyOf": [{"type": "integer"}, {"type": "string"}]}), 3.0, 3),
    (of({"type": "array", "items": {"type": "integer"}}), [1.0, 2], [1, 2]),
    (of({"type": "object", "additionalProperties": {"type": "integer"}}), {"x": 1.0}, {"x": 1}),
    (REFERRING | {"required": []}, None, None),
    (of({"type": "number"}), 3.0, 3.0),
    (of({}), 3.0, 3.0),
    (of({"$ref": "#/$defs/D"}, **{"$defs": {"D": {"type": "integer"}}}), 3.0, 3),
    (of({"type": "integer"}, **{"$schema": OLD}), 3.0, 3),
]


@pytest.mark.parametrize(("schema", "given", "sent"), PLACES)
def test_wherever_it_stands(schema: dict[str, Any], given: Any, sent: Any) -> None:
    made = parameters_of(schema, "").parameters.validate({"a": given})
    assert repr(made["a"]) == repr(sent)


@case("MC05", "cc-120", "cc-122")
async def test_arguments_arrive_as_their_types_say(tmp_path: Path) -> None:
    """Numbers, lists and objects are no texts on the way, whatever the schema says or leaves open."""
    world = World(tmp_path)
    schema = {
        "type": "object",
        "properties": {
            "pull_number": {"type": "number"},
            "ids": {"type": "array", "items": {"type": "integer"}},
            "assignees": {},
            "id": {"type": "string"},
        },
    }
    given = {"pull_number": 7, "ids": [1, 2], "assignees": ["a", {"b": 1}], "id": "00123"}
    tools = [tool("x", inputSchema=schema), tool("q", inputSchema=REFERRING)]
    async with world.session(world.config("s", {"tools": tools})) as session:
        await ready(session)
        assert json.loads(text_of(await called(session, "mcp_s_x", given))) == given
        assert json.loads(text_of(await called(session, "mcp_s_q", {"q": {"limit": 2}}))) == {"q": {"limit": 2}}
        refused = await called(session, "mcp_s_x", {"pull_number": "7"})
        assert isinstance(refused, Failed)
        assert refused.fault.kind is ErrorKind.INVALID_ARGUMENTS
        assert "pull_number: got a string, expected a number" in refused.fault.message


async def test_one_bad_tool_hides_no_other(tmp_path: Path) -> None:
    world = World(tmp_path)
    bad = [
        {"name": 7, "inputSchema": {}},
        {"description": "nameless", "inputSchema": {}},
        "no tool",
        {"name": "list", "inputSchema": [1]},
        {"name": "huge", "inputSchema": {"description": "x" * 300_000}},
        {"name": "odd", "inputSchema": of({"pattern": "("})},
    ]
    async with world.session(world.config("s", {"tools": [*bad, tool("good")]})) as session:
        status = await ready(session)
        names = [shown.name for shown in session.menu().tools]
        assert names == ["own", "mcp_s_odd", "mcp_s_good"]
        assert any("huge is left out: its schema has" in problem for problem in status.problems)


async def test_every_recorded_schema_arrives_and_is_taken_by_every_providers_types(tmp_path: Path) -> None:
    world = World(tmp_path)
    recorded = corpus("tool_schemas")
    tools = [
        {"name": f"{place} {each['name']}", "description": each["description"], "inputSchema": each["inputSchema"]}
        for place, each in enumerate(recorded)
    ]
    config = world.config("s", {"tools": tools, "page": 100}, always_loaded=True)
    async with world.session(config) as session:
        status = await ready(session)
        shown = session.menu("claude").tools[1:]
        assert len(shown) == len(recorded), status.problems
        assert len({each.name for each in shown}) == len(recorded)
        for wire in (Wire.ANTHROPIC, Wire.OPENAI_CHAT, Wire.OPENAI_RESPONSES, Wire.GEMINI):
            assert encode_menu([(each.name, each.description, each.schema) for each in shown], wire)
