from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, NotRequired

import pytest
from authoring_context import WORKSPACE, context
from pydantic import BaseModel, ConfigDict, Field, RootModel
from typing_extensions import TypedDict

from handrail.authoring.define import define_tool
from handrail.authoring.function_tool import tool
from handrail.authoring.json_schema import schema_parameters
from handrail.contract.context import Files, Workspace
from handrail.contract.effects import PathClaim
from handrail.contract.results import JsonPart
from handrail.contract.tool import Kind, Reads, Writes
from handrail.errors import InvalidArguments, ToolDefinitionError


class Model(BaseModel):
    path: Annotated[Path, Writes]
    times: int = Field(default=1, ge=1, description="How often.")


@dataclass(frozen=True)
class Inner:
    colour: str


@dataclass(frozen=True)
class Data:
    path: Annotated[Path, Writes]
    times: int = 1
    inner: Inner | None = None
    tags: list[str] = field(default_factory=list)

    def __post_init__(self):
        if self.times > 9:
            raise ValueError("times is more than 9; do it in two calls")


class Typed(TypedDict):
    path: Annotated[Path, Writes]
    times: NotRequired[Annotated[int, Field(ge=1)]]
    others: NotRequired[Annotated[list[str], Reads]]


class Node(BaseModel):
    children: list[Node] = []


SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "times": {"type": "integer"}},
    "required": ["path"],
    "additionalProperties": False,
}

SOURCES = {
    "model": Model,
    "dataclass": Data,
    "TypedDict": Typed,
    "schema": SCHEMA,
    "checked": schema_parameters(SCHEMA),
}


def take(params):
    """Takes what it gets."""
    return repr(params)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_source_refuses_wrong_types_at_once_and_each_with_its_path(source):
    made = define_tool(name="take", parameters=source, run=take)
    assert made.parameters.schema["type"] == "object"
    with pytest.raises(InvalidArguments) as caught:
        made.bind({"times": "2"})
    assert sorted(map(str, caught.value.problems)) == [
        "path: is required and missing",
        "times: got a string, expected an integer",
    ]


@pytest.mark.parametrize("source", [Data, Typed, SCHEMA], ids=["dataclass", "TypedDict", "schema"])
def test_an_unknown_key_is_refused(source):
    with pytest.raises(InvalidArguments, match="time: is not a parameter of this tool"):
        define_tool(name="take", parameters=source, run=take).bind({"path": "a", "time": 2})


def test_a_pydantic_model_says_itself_what_becomes_of_unknown_keys():
    class Closed(BaseModel):
        model_config = ConfigDict(extra="forbid")

    made = [define_tool(name="take", parameters=model, run=take) for model in (Node, Closed)]
    assert made[0].bind({"other": 1}).params == Node()
    with pytest.raises(InvalidArguments, match="other: is not a parameter of this tool"):
        made[1].bind({"other": 1})


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"inner": {"colour": "red", "size": 1}}, "inner.size: is not a parameter of this tool"),
        ({"inner": {}}, "inner.colour: is required and missing"),
        ({"inner": "red"}, "inner: got a string, expected an object"),
        ({"times": 10}, "times is more than 9; do it in two calls"),
        ({"tags": "a,b"}, "tags: got a string, expected an array"),
    ],
)
def test_a_dataclass_is_checked_all_the_way_down(arguments, problem):
    with pytest.raises(InvalidArguments) as caught:
        define_tool(name="take", parameters=Data, run=take).bind({"path": "a", **arguments})
    assert [str(found) for found in caught.value.problems] == [problem]


RECEIVED = {
    "model": (Model, {"path": "a", "times": 2.0}, Model(path=Path("/harbour/a"), times=2)),
    "dataclass": (Data, {"path": "a", "inner": {"colour": "red"}}, Data(Path("/harbour/a"), 1, Inner("red"))),
    "TypedDict": (Typed, {"path": "a", "others": ["b"]}, {"path": Path("/harbour/a"), "others": ["/harbour/b"]}),
    "schema": (SCHEMA, {"path": "a"}, {"path": "a"}),
}


@pytest.mark.parametrize("case", RECEIVED.values(), ids=RECEIVED)
async def test_the_function_gets_the_checked_arguments_as_one_value(case):
    source, arguments, value = case
    got = []
    await define_tool(name="take", parameters=source, run=got.append).bind(arguments).run(context())
    assert got == [value]


@pytest.mark.parametrize("source", [Model, Data, Typed], ids=["model", "dataclass", "TypedDict"])
def test_marks_in_a_type_make_the_claims(source):
    claims = define_tool(name="take", parameters=source, run=take).bind({"path": "a"}).claims()
    assert (claims.writes, claims.reads) == ((PathClaim("a"),), ())


async def test_after_its_arguments_a_function_takes_parts_of_the_context():
    async def look(params: Any, files: Files, workspace: Workspace):
        """Looks."""
        return [params, files, str(workspace.root)]

    made = define_tool(name="look", parameters={}, run=look, kind=Kind.READ)
    result = await made.bind({"a": 1}).run(context())
    assert result.parts == (JsonPart([{"a": 1}, "files", "/harbour"]),)
    assert (made.description, made.kind) == ("Looks.", Kind.READ)


async def test_a_generator_streams_and_a_plain_function_runs_in_a_thread():
    async def lines(params):
        for line in params["lines"]:
            yield line

    streaming = define_tool(name="lines", parameters={}, run=lines)
    assert (streaming.output_streams, streaming.on_cancel) == (True, "cancel")
    assert define_tool(name="take", parameters={}, run=take).on_cancel == "finish"
    assert (await streaming.bind({"lines": ["a", "b"]}).run(context())).text == "ab"


async def test_a_person_sees_arguments_of_every_source():
    for source in SOURCES.values():
        invocation = define_tool(name="take", parameters=source, run=take, title="Take it").bind({"path": "a"})
        assert invocation.describe().startswith('Take it: path="a"')
        assert 'path: "a"' in (await invocation.confirmation("files", WORKSPACE)).text


def test_a_model_that_holds_itself_is_shown_with_its_type():
    schema = define_tool(name="take", parameters=Node, run=take).parameters.schema
    assert (schema["type"], schema["$ref"]) == ("object", "#/$defs/Node")


def only_named(*, params): ...
def without(): ...
def with_database(params, database: str): ...


REFUSED = {
    "nothing to run": ({"parameters": {}}, "take has nothing to run; give it run=…, or client_side=True"),
    "no arguments by position": ({"parameters": {}, "run": only_named}, "takes nothing by position"),
    "no arguments at all": ({"parameters": {}, "run": without}, "takes nothing by position"),
    "what there is not": (
        {"parameters": {}, "run": with_database},
        "takes 'database' after its arguments, but there it can only take: Agents, Calls, DeferredTools, FileLedger",
    ),
    "a class to run": ({"parameters": {}, "run": Model}, "is a class"),
    "a schema that does not compile": (
        {"parameters": {"properties": {"a": {"type": "text"}}}, "run": take},
        'The schema of take can\'t be used: properties.a.type: got "text", expected',
    ),
    "a class of no fields": (
        {"parameters": Path, "run": take},
        "parameters are a pydantic model, a dataclass, a Typed",
    ),
    "a list": ({"parameters": RootModel[list[int]], "run": take}, r"RootModel\[list\[int\]\] is no object"),
    "a name that is none": ({"parameters": {}, "run": take, "name": "take it"}, "'take it' can't name a tool"),
    "an option that is none": ({"parameters": {}, "run": take, "approval": "always"}, "there is no option 'approval'"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_can_not_be_a_tool_is_refused_when_it_is_defined(case):
    options, problem = case
    with pytest.raises(ToolDefinitionError, match=problem):
        define_tool(**{"name": "take", **options})


def test_a_type_that_can_not_be_checked_is_refused_by_its_name():
    @dataclass
    class Odd:
        opaque: object.__class__

    with pytest.raises(ToolDefinitionError, match=r"take: Odd: its type can't be checked: .* Use what JSON can say"):
        define_tool(name="take", parameters=Odd, run=take)


def test_a_function_tool_is_no_function_to_run():
    with pytest.raises(ToolDefinitionError, match="take can't be a tool: it is a tool already"):
        define_tool(name="take", parameters={}, run=tool(name="other")(without))
