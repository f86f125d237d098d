"""What a discovery command prints, and what becomes of it."""

from __future__ import annotations

import json

import pytest

from handrail.errors import ToolDefinitionError
from handrail.providers.command.declarations import MOST_TOOLS, BadDeclarations, Declaration, declarations
from handrail.providers.command.tool import DiscoveredTool, name_of

PORT = {"type": "object", "properties": {"port": {"type": "string"}}, "required": ["port"]}
TIDE = {"name": "tide", "description": "The next tide.", "parameters": PORT}


def printed(*items: object) -> bytes:
    return json.dumps(items).encode()


@pytest.mark.parametrize(
    ("items", "names"),
    [
        ([TIDE], ["tide"]),
        (
            [{"functionDeclarations": [TIDE, {**TIDE, "name": "moon"}]}, {**TIDE, "name": "sun"}],
            ["tide", "moon", "sun"],
        ),
        ([{"function_declarations": [TIDE]}], ["tide"]),
        ([{"functionDeclarations": []}], []),
        ([], []),
    ],
)
def test_declarations_come_bare_or_in_groups(items: list[object], names: list[str]) -> None:
    declared = declarations(printed(*items))
    assert [tool.name for tool in declared.tools] == names
    assert not declared.problems


@pytest.mark.parametrize("schema", ['{"a":' * 900 + "{}" + "}" * 900, '{"minLength":' + "9" * 5_000 + "}"])
def test_a_schema_that_nobody_can_read_hides_no_other_tool(schema: str) -> None:
    text = f'[{json.dumps(TIDE)},{{"name":"odd","parameters":{schema}}},{json.dumps({**TIDE, "name": "moon"})}]'
    assert {"tide", "moon"} <= {tool.name for tool in declarations(text.encode()).tools}


@pytest.mark.parametrize("odd", [{}, {"name": ""}, {"name": 5}, "tide", None, 7, {"description": "x" * 10_000}])
def test_what_has_no_name_is_left_out_and_told_and_hides_no_other(odd: object) -> None:
    declared = declarations(printed(TIDE, odd, {**TIDE, "name": "moon"}))
    assert [tool.name for tool in declared.tools] == ["tide", "moon"]
    (problem,) = declared.problems
    assert problem.startswith("a declaration without a name is left out: ")
    assert len(problem) < 200


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (b"", "must print a JSON array of function declarations on stdout: it printed nothing"),
        (b" \n", "it printed nothing"),
        (b"[{", "must print a JSON array of function declarations on stdout: "),
        (b"loading...\n[]", "line 1 column 1"),
        (b"{}", "must print a JSON array of function declarations, and printed an object"),
        (b'"tide"', 'and printed "tide"'),
        (b"[\xff]", "printed bytes that are no UTF-8, at byte 1"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_anything_else_is_refused_in_words(text: bytes, problem: str) -> None:
    with pytest.raises(BadDeclarations) as raised:
        declarations(text)
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("parameters", "schema"),
    [
        (PORT, PORT),
        (None, {}),
        ("no schema", {}),
        ([], {}),
        (
            {"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}},
            {"type": "object", "properties": {"n": {"type": "integer"}}},
        ),
        (
            {"properties": {"type": {"type": "STRING", "nullable": True}}},
            {"properties": {"type": {"type": ["string", "null"], "nullable": True}}},
        ),
        ({"type": "object", "default": {"type": "STRING"}}, {"type": "object", "default": {"type": "STRING"}}),
    ],
)  # fmt: skip
def test_a_schema_of_geminis_is_put_into_the_words_of_json_schema(parameters: object, schema: object) -> None:
    (tool,) = declarations(printed({"name": "tide", "parameters": parameters})).tools
    assert tool.schema == schema
    assert DiscoveredTool(tool, ("run",)).parameters.schema["type"] == "object"


def test_a_json_schema_beside_geminis_own_wins() -> None:
    (tool,) = declarations(printed({**TIDE, "parametersJsonSchema": {"type": "object"}})).tools
    assert tool.schema == {"type": "object"}


def test_too_many_tools_and_too_long_descriptions_are_bounded() -> None:
    many = declarations(
        printed(*({**TIDE, "name": f"t{i}", "description": "x" * 20_000} for i in range(MOST_TOOLS + 5)))
    )
    assert len(many.tools) == MOST_TOOLS
    assert max(len(tool.description) for tool in many.tools) == 10_000
    assert many.problems == (f"more than {MOST_TOOLS} tools are declared; the rest is left out",)


@pytest.mark.parametrize(
    ("declared", "name"),
    [
        ("tide", "discovered_tool_tide"),
        ("tide-table_2", "discovered_tool_tide-table_2"),
        ("tide.table", "discovered_tool_tide_table_"),
        ("tide table", "discovered_tool_tide_table_"),
        ("flut-höhe", "discovered_tool_flut-h_he_"),
        ("x" * 200, "discovered_tool_" + "x" * 39 + "_"),
        ("x" * 65536, "discovered_tool_" + "x" * 39 + "_"),
    ],
)
def test_every_name_fits_every_provider_and_no_two_are_the_same(declared: str, name: str) -> None:
    made = name_of(declared)
    assert made.startswith(name)
    assert len(made) <= 64
    tool = DiscoveredTool(Declaration(declared, "", {}), ("run",))
    assert tool.name == made
    others = [name_of(other) for other in ("tide table", "tide.table", "tide_table", "x" * 201)]
    assert others.count(made) == (declared in ("tide table", "tide.table"))


def test_a_name_of_any_length_makes_no_long_message() -> None:
    tool = DiscoveredTool(Declaration("x" * 65536, "", {}), ("run",))
    assert len(tool.title) == 200
    assert len(tool.describe({})) < 300
    with pytest.raises(ToolDefinitionError) as raised:
        DiscoveredTool(Declaration("x" * 65536, "", {"type": "no type"}), ("run",))
    assert len(str(raised.value)) < 500


def test_a_schema_that_can_not_be_used_is_an_error_of_its_tool() -> None:
    (tool,) = declarations(printed({"name": "tide", "parameters": {"type": "no type"}})).tools
    with pytest.raises(ToolDefinitionError, match="The schema of tide can't be used"):
        DiscoveredTool(tool, ("run",))


def test_a_grant_is_for_the_declaration_and_the_command_that_were_there_when_it_was_given() -> None:
    (tool,) = declarations(printed(TIDE)).tools
    same, other = DiscoveredTool(tool, ("run",)), DiscoveredTool(tool, ("run", "otherwise"))
    assert same.definitions == DiscoveredTool(tool, ("run",)).definitions != other.definitions
