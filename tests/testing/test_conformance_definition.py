"""Tools whose definition is wrong in one way each, and what the kit says of them."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from conformance_tools import HarbourNames, SortedHarbourNames, problems_of, the_problem, with_schema
from pydantic import BaseModel, ConfigDict, Field

from handrail.contract.basics import JsonObject
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.errors import ArgumentProblem
from handrail.testing import FakeTool, assert_conforms

OPEN = {"type": "object", "additionalProperties": True}
PORT = {"description": "The harbour.", "type": "string"}


def refusing(*names: str) -> Any:
    """A check that takes these names alone."""
    return lambda arguments: [ArgumentProblem(name, "is unknown") for name in arguments if name not in names]


SCHEMAS = [
    pytest.param({"type": "array"}, 'its type is not "object"', id="no object"),
    pytest.param({"anyOf": [OPEN]}, 'its type is not "object"', id="an object only further down"),
    pytest.param({"type": "objekt"}, "it is no valid JSON Schema", id="a type that does not exist"),
    pytest.param(OPEN | {"properties": {"a": 3}}, "it is no valid JSON Schema", id="a number for a schema"),
    pytest.param(OPEN | {"$ref": "#/$defs/Nowhere"}, "it is no valid JSON Schema", id="a reference to nothing"),
    pytest.param(
        OPEN | {"properties": {"p": PORT | {"pattern": "("}}}, "it is no valid JSON Schema", id="a pattern that is none"
    ),
    pytest.param(
        OPEN | {"$schema": "http://json-schema.org/draft-04/schema#"},
        "it is no valid JSON Schema: $schema is 'http://json-schema.org/draft-04/schema#'. Use draft 2020-12 or",
        id="a draft that nobody reads",
    ),
    pytest.param(OPEN | {"default": {1, 2}}, "it can't be written as JSON", id="what is no JSON"),
    pytest.param(OPEN | {"properties": {"port": {"type": "string"}}}, "'port' has no description", id="undescribed"),
    pytest.param(OPEN | {"properties": {"port": True}}, "'port' has no description", id="true"),
    pytest.param(
        OPEN | {"properties": {"port": PORT | {"description": " "}}}, "'port' has no", id="described by a blank"
    ),
    pytest.param(
        OPEN | {"properties": {"ports": PORT | {"items": {"properties": {"name": {}}}}}},
        "'ports.name' has no description",
        id="undescribed in a list",
    ),
    pytest.param(
        OPEN
        | {"properties": {"ports": PORT | {"$ref": "#/$defs/Port"}}, "$defs": {"Port": {"properties": {"name": {}}}}},
        "'Port.name' has no description",
        id="undescribed in a definition",
    ),
    pytest.param(
        OPEN | {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": {"type": "string"}}},
        "'a' has no description",
        id="neither here nor where the reference leads",
    ),
]


@pytest.mark.parametrize(("schema", "said"), SCHEMAS)
async def test_a_schema_that_is_wrong_is_named(schema: JsonObject, said: str, tmp_path: Path) -> None:
    assert (await the_problem(with_schema(schema), workspace=tmp_path)).startswith(f"schema: {said}")


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(OPEN | {"$schema": "http://json-schema.org/draft-07/schema#"}, id="draft-07"),
        pytest.param(OPEN | {"$schema": "https://json-schema.org/draft/2020-12/schema"}, id="2020-12"),
        pytest.param(
            OPEN | {"properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {"A": PORT}},
            id="described where the reference leads",
        ),
        pytest.param(OPEN | {"examples": [{"properties": {"port": {}}}]}, id="what only looks like a schema"),
        pytest.param({"type": "object", "patternProperties": {"^x-": {"type": "string"}}}, id="names by a pattern"),
        pytest.param({"type": "object", "additionalProperties": {"type": "string"}}, id="any names, but strings"),
    ],
)
async def test_a_schema_that_is_right_passes(schema: JsonObject, tmp_path: Path) -> None:
    await assert_conforms(with_schema(schema), workspace=tmp_path)


@pytest.mark.parametrize(
    ("schema", "check", "said"),
    [
        pytest.param({"type": "object"}, refusing("port"), None, id="refused, as nothing says"),
        pytest.param({"type": "object", "additionalProperties": False}, refusing("port"), None, id="refused, as said"),
        pytest.param(
            {"type": "object"}, lambda _: (), "an argument that the schema does not name is taken", id="taken"
        ),
        pytest.param(
            {"type": "object", "additionalProperties": False}, lambda _: (), "the schema refuses", id="taken against it"
        ),
        pytest.param(OPEN, refusing("port"), "the schema welcomes", id="refused against it"),
    ],
)
async def test_an_argument_that_nobody_declared_is_refused_or_declared_welcome(
    schema: JsonObject, check: Any, said: str | None, tmp_path: Path
) -> None:
    tool = with_schema({**schema, "properties": {"port": PORT}}, check)
    if said is None:
        await assert_conforms(tool, {"port": "Brest"}, workspace=tmp_path, cancellations=0)
    else:
        assert said in await the_problem(tool, {"port": "Brest"}, workspace=tmp_path)


async def test_a_pydantic_model_that_ignores_what_it_does_not_know_is_a_problem(tmp_path: Path) -> None:
    class Lax(BaseModel):
        port: str = Field(description="The harbour.")

    class Tide(Tool[Lax]):
        name = "tide"
        description = "Says how high the water is."
        kind = Kind.READ

        async def run(self, params: Lax) -> ToolResult:
            return ToolResult.of_text("5.2 m")

    assert 'ConfigDict(extra="forbid")' in await the_problem(Tide(), {"port": "Brest"}, workspace=tmp_path)


async def test_an_example_that_the_tool_or_its_schema_refuses_is_a_problem(tmp_path: Path) -> None:
    shown = {**OPEN, "properties": {"port": PORT}, "required": ["port"]}
    lenient = with_schema(shown)
    assert await the_problem(lenient, {}, workspace=tmp_path) == (
        'arguments: example 1 {} is taken, but the schema shown to models refuses it: "port" is a required property'
    )
    assert "port: 3 is not of type" in await the_problem(lenient, {"port": 3}, workspace=tmp_path)
    strict = with_schema(OPEN, refusing())
    found = await problems_of(strict, {"port": "Brest"}, workspace=tmp_path)
    assert any(one.startswith('arguments: example 1 {"port": "Brest"} is refused: The arguments for') for one in found)


@pytest.mark.parametrize("name", ["", "1st", "get.tide", "get tide", "größe", "x" * 65])
async def test_a_name_that_a_provider_refuses_is_a_problem(name: str, tmp_path: Path) -> None:
    found = await problems_of(FakeTool(name), {}, workspace=tmp_path)
    assert found[0].startswith(f"name: {name!r} can't name a tool")


@pytest.mark.parametrize(
    ("attribute", "value", "said"),
    [
        ("description", "  ", "schema: the tool has no description"),
        ("aliases", ("tide", "high tide"), "name: 'high tide' can't name a tool"),
        ("max_result_chars", 0, "result: max_result_chars is 0"),
        ("timeout", 0, "run: timeout is 0"),
    ],
)
async def test_a_setting_of_no_use_is_a_problem(attribute: str, value: object, said: str, tmp_path: Path) -> None:
    tool = FakeTool()
    setattr(tool, attribute, value)
    assert (await the_problem(tool, workspace=tmp_path)).startswith(said)


class Restless(Tool[JsonObject]):
    """Says something else of itself each time, in the one thing that is asked for."""

    name = "restless"
    kind = Kind.READ

    def __init__(self, what: str) -> None:
        self._what = what
        self._count = itertools.count()

    def _number(self, what: str) -> int:
        return next(self._count) if what == self._what else 0

    @property
    def description(self) -> str:
        return f"Asked {self._number('description')} times."

    def describe(self, params: JsonObject) -> str:
        if self._what == "error":
            raise LookupError("no such harbour")
        return f"Tide {self._number('describe()')}" + ("\nand more" if self._what == "lines" else "")

    def effects(self, params: JsonObject) -> Claims:
        return Claims(reads=(PathClaim(f"tides{self._number('effects()')}.txt"),))

    parameters = FakeTool().parameters

    async def run(self, params: JsonObject) -> ToolResult:
        return ToolResult.of_text("ok")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("description", "its description or schema comes out differently"),
        ("describe()", "describe() of example 1 {} differs from one time to the next"),
        ("effects()", "effects() of example 1 {} differs from one time to the next"),
        ("error", "describe() of example 1 {} raised LookupError: no such harbour"),
        ("lines", "describe() of example 1 {} gave 'Tide 0\\nand more'. Give one line"),
    ],
)
async def test_what_a_tool_says_of_itself_depends_on_the_arguments_alone(what: str, said: str, tmp_path: Path) -> None:
    found = await problems_of(Restless(what), {}, workspace=tmp_path)
    assert found[0].startswith(f"determinism: {said}")


async def test_a_restless_tool_that_rests_conforms(tmp_path: Path) -> None:
    (tmp_path / "tides0.txt").touch()
    await assert_conforms(Restless("nothing"), {}, workspace=tmp_path, cancellations=0)


async def test_a_model_that_welcomes_other_arguments_passes(tmp_path: Path) -> None:
    class Wide(BaseModel):
        model_config = ConfigDict(extra="allow")

    class Anything(Tool[Wide]):
        name = "anything"
        description = "Takes anything."
        kind = Kind.READ

        async def run(self, params: Wide) -> ToolResult:
            return ToolResult.of_text("ok")

    await assert_conforms(Anything(), {"x": 1}, workspace=tmp_path, cancellations=0)


async def test_a_schema_that_other_processes_write_in_another_order_is_a_problem(harbour: Path) -> None:
    problem = await the_problem(HarbourNames(), workspace=harbour)
    assert problem.startswith("determinism: its description or schema comes out differently")
    assert (await assert_conforms(SortedHarbourNames(), workspace=harbour)).notes == ()
