from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ForwardRef, Literal

import pytest
from authoring_context import context, run
from pydantic import AliasChoices, BaseModel, Field
from typing_extensions import TypedDict

from handrail.authoring.function_tool import tool
from handrail.contract.context import CAPABILITIES, Calls, Files, Output, RunContext, Workspace
from handrail.contract.results import JsonPart
from handrail.contract.tool import ConnectsTo, Reads, Tool, Writes
from handrail.errors import InvalidArguments, ToolDefinitionError

if TYPE_CHECKING:
    from datetime import date


class Unit(Enum):
    METRES = "m"
    FEET = "ft"


class Place(BaseModel):
    """Where on earth."""

    latitude: float = Field(ge=-90, le=90)
    longitude: float


@dataclass
class Span:
    start: int
    end: int = 0


class Style(TypedDict):
    colour: str


class Opaque:
    """Nothing that JSON could say."""


WHAT_FOLLOWS = Field(description="What follows.")
THREE = Field(3, description="From the default.")


def of(annotation, *default):
    """A function with one parameter, `value`, of this type."""

    def taking(value): ...

    taking.__annotations__ = {"value": annotation}
    taking.__defaults__ = default
    return taking


def variadic(*ports: str): ...
def keywords(**ports: str): ...
def positional(port: str, /): ...
def unannotated(port): ...
def hidden(day: date): ...
def generator(n: int):
    yield n


def waits(n: int, files: Files): ...


class Almanac:
    def look_up(self, port: str) -> str:
        return f"{port}: high"

    def __call__(self, port: str) -> str:
        """Looks up the tide."""
        return f"{port}: low"


REFUSED = {
    "any number of arguments": (variadic, r"takes \*ports, .* by name\. Take a list: 'ports: list\[str\]'"),
    "arguments of any name": (keywords, r"takes \*\*ports, .* names\. Name each, or take a dict"),
    "an argument by position": (positional, r"takes 'port' by position only, .* Remove the '/'"),
    "no annotation": (unannotated, r"doesn't say what 'port' is\. Annotate it: 'port: str'"),
    "an unbound method": (Almanac.look_up, r"takes 'self': it is a method\. .* tool\(instance\.method\)"),
    "a type known to checkers only": (hidden, r"annotates 'day' with 'date', .* not under 'if TYPE_CHECKING'"),
    "a name that is not defined": (of("Nope"), r"annotates 'value' with 'Nope', .* name 'Nope' is not defined"),
    "half an annotation": (of("list["), r"annotates 'value' with 'list\[', which can't be resolved"),
    "a name inside a type": (of(list[ForwardRef("Nope")]), r"annotates 'value' .* name 'Nope' is not defined"),
    "a shared list": (of(list[str], []), r"gives 'value' a default that all calls would share: a list\. Use None"),
    "a shared dict": (of(dict, {}), r"a dict\. .* Field\(default_factory=dict\)"),
    "a shared model": (of(Place, Place(latitude=0, longitude=0)), r"a default that all calls would share: a Place"),
    "a class without JSON": (of(Opaque), r"taking: value: its type can't be checked: .*Opaque.*\. Use what JSON can"),
    "a function as argument": (of(Callable[[int], int]), r"value: its type can't be checked: .* Use what JSON"),
    "an iterator": (of(Iterator[int]), r"value: its type can't be checked"),
    "a value for a type": (of(3), r"value: its type can't be checked: .* for 3\. Use"),
    "a pattern that is none": (of(Annotated[str, Field(pattern="(")]), r"value: .* unclosed group"),
    "no choice at all": (of(Literal[()]), r"value: its type can't be checked"),
    "a mark inside a type": (of(list[Annotated[str, Reads()]]), r"taking\.value: a mark inside the type would not be"),
    "a blocking generator": (generator, r"is a generator that can't wait\. Declare it with 'async def'"),
    "waiting in a thread": (waits, r"takes 'files', a Files, whose methods are awaited\. Declare it 'async def'"),
    "a class": (Place, r"is a class\. Write a function, or a subclass of Tool"),
    "a tool": (tool(of(str)), r"is a tool already"),
    "no function": ("get_tide", r"is no function, but a value of type str"),
    "a function that hides its signature": (dict.fromkeys, r"can't be a tool"),
    "no name": (lambda: None, r"has no name that a model could call it by\. Give it one: name='…'"),
    "a partial without a name": (functools.partial(of(str)), r"has no name that a model could call it by"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_a_function_that_a_model_could_not_call_is_refused_with_what_to_do(case):
    function, reason = case
    with pytest.raises(ToolDefinitionError, match=reason):
        tool(function)


def test_a_refusal_names_the_function_and_its_module():
    with pytest.raises(ToolDefinitionError, match=r"^test_signatures\.unannotated can't be a tool: it doesn't say"):
        tool(unannotated)


def test_the_parameter_of_no_use_is_named_among_others():
    def mixed(a: int, b: str, c: Opaque): ...

    with pytest.raises(ToolDefinitionError, match=r"mixed: c: its type can't be checked"):
        tool(mixed)


VALUES = [
    (str, "a", "a"),
    (int, 3.0, 3),
    (float, 3, 3.0),
    (bool, True, True),
    (list[int], [1, 2], [1, 2]),
    (set[str], ["a"], {"a"}),
    (tuple[int, str], [1, "a"], (1, "a")),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (Path, "a/b", Path("a/b")),
    (Unit, "ft", Unit.FEET),
    (Literal["a", "b"], "b", "b"),
    (Place, {"latitude": 1, "longitude": 2}, Place(latitude=1, longitude=2)),
    (Span, {"start": 1}, Span(1)),
    (Style, {"colour": "red"}, {"colour": "red"}),
    (Place | None, None, None),
    (Any, {"a": [1]}, {"a": [1]}),
    ("int", 1, 1),
    ("Place | None", None, None),
]


@pytest.mark.parametrize(("annotation", "sent", "received"), VALUES, ids=lambda value: str(value))
async def test_a_function_gets_its_arguments_as_the_types_it_names(annotation, sent, received):
    got = []

    async def keep(value):
        got.append(value)

    keep.__annotations__ = {"value": annotation}
    await run(tool(keep), value=sent)
    assert got == [received]
    assert type(got[0]) is type(received)


@pytest.mark.parametrize(
    ("annotation", "value", "problem"),
    [
        (int, "3", "value: got a string, expected an integer"),
        (int, True, "value: got a boolean, expected an integer"),
        (str, 3, "value: got an integer, expected a string"),
        (Place, {"latitude": 99, "longitude": 2}, "value.latitude: got 99, expected at most 90.0"),
        (Span, {"start": 1, "stop": 2}, "value.stop: is not a parameter of this tool"),
        (Span, [1], "value: got an array, expected an object"),
        (Style, {"colour": "red", "size": 1}, "value.size: is not a parameter of this tool"),
        (Style, {}, "value.colour: is required and missing"),
    ],
)
def test_nothing_is_coerced_and_no_unknown_key_is_swallowed(annotation, value, problem):
    with pytest.raises(InvalidArguments) as caught:
        tool(of(annotation)).bind({"value": value})
    assert [str(found) for found in caught.value.problems] == [problem]


def test_every_problem_of_a_call_is_reported_at_once():
    @tool
    def plan(place: Place, days: int = 1) -> None: ...

    with pytest.raises(InvalidArguments) as caught:
        plan.bind({"place": {"latitude": "x"}, "days": "2", "year": 1})
    assert [str(found) for found in caught.value.problems] == [
        "place.latitude: got a string, expected a number",
        "place.longitude: is required and missing",
        "days: got a string, expected an integer",
        "year: is not a parameter of this tool",
    ]


NAMES = ["copy", "json", "schema", "model_fields", "_port", "self_", "p_p", "dict", "validate"]


@pytest.mark.parametrize("name", NAMES)
async def test_a_parameter_may_have_any_name_that_python_allows(name):
    namespace = {}
    exec(f"async def named({name}: int = 1): return {{'{name}': {name}}}", namespace)
    made = tool(namespace["named"])
    assert list(made.parameters.schema["properties"]) == [name]
    assert (await run(made, **{name: 2})).parts == (JsonPart({name: 2}),)


async def test_a_parameter_named_by_an_alias_is_that_for_the_model_and_its_own_name_for_the_function():
    @tool
    async def sail(from_: Annotated[str, Field(alias="from")]) -> str:
        """Sails.

        Args:
            from_: Where it starts.
        """
        return from_

    assert sail.parameters.schema["properties"] == {"from": {"type": "string", "description": "Where it starts."}}
    assert (await run(sail, **{"from": "Brest"})).text == "Brest"


def test_a_parameter_of_several_names_is_shown_by_its_first():
    @tool
    def sail(port: Annotated[str, Field(validation_alias=AliasChoices("harbour", "haven"))]) -> None:
        """Sails.

        Args:
            port: Where to.
        """

    assert list(sail.parameters.schema["properties"]) == ["harbour"]
    assert sail.bind({"haven": "Brest"}).params.port == "Brest"


async def test_defaults_are_the_functions_own():
    @tool
    async def greet(
        name: str,
        greeting: str = "Hello",
        marks: Annotated[list[str], Field(default_factory=list)] = WHAT_FOLLOWS,
        *,
        loud: bool = False,
    ) -> list[Any]:
        return [name, greeting, marks, loud]

    assert (await run(greet, name="Ada")).parts == (JsonPart(["Ada", "Hello", [], False]),)
    assert greet.parameters.schema["required"] == ["name"]


def test_what_a_field_says_of_a_parameter_goes_before_its_docstring():
    @tool
    def look(
        port: Annotated[str, Field(description="From the annotation.")],
        days: int = THREE,
        unit: Unit = Unit.METRES,
    ) -> None:
        """Looks.

        Args:
            port: From the docstring.
            days: From the docstring.
            unit: From the docstring.
            year: Of nothing.
        """

    said = {name: about["description"] for name, about in look.parameters.schema["properties"].items()}
    assert said == {"port": "From the annotation.", "days": "From the default.", "unit": "From the docstring."}


def test_types_of_the_place_where_the_tool_is_made_are_known():
    class Local(BaseModel):
        depth: int

    @tool
    def measure(at: Local) -> None: ...

    @tool(name="measure_twice")
    def again(at: list[Local]) -> None: ...

    assert measure.bind({"at": {"depth": 1}}).params.at == Local(depth=1)
    assert again.bind({"at": [{"depth": 1}]}).params.at == [Local(depth=1)]


def joined(port: str, mark: str) -> str:
    return port + mark


@functools.wraps(Almanac.look_up)
def wrapped(*args, **kwargs):
    return Almanac.look_up(*args, **kwargs).upper()


CALLABLES = {
    "a bound method": (tool(Almanac().look_up), "look_up", "Brest: high"),
    "an object that can be called": (tool(Almanac(), name="ask"), "ask", "Brest: low"),
    "a partial": (tool(functools.partial(joined, mark="!"), name="cry"), "cry", "Brest!"),
    "a wrapped function": (tool(functools.partial(wrapped, Almanac()), name="shout"), "shout", "BREST: HIGH"),
}


@pytest.mark.parametrize("case", CALLABLES.values(), ids=CALLABLES)
async def test_whatever_can_be_called_with_named_arguments_can_be_a_tool(case):
    made, name, text = case
    assert made.name == name
    assert made.parameters.schema["properties"] == {"port": {"type": "string"}}
    assert (await run(made, port="Brest")).text == text


@pytest.mark.parametrize("part", CAPABILITIES)
async def test_parts_of_the_context_are_handed_in_and_never_seen_by_a_model(part):
    got = []

    async def ask(port, tools, maybe=None, noted=None):
        got.extend([tools, maybe, noted])

    ask.__annotations__ = {"port": str, "tools": part, "maybe": part | None, "noted": Annotated[part, "of use"]}
    made, whole = tool(ask), context()
    await made.bind({"port": "Brest"}).run(whole)
    assert list(made.parameters.schema["properties"]) == ["port"]
    assert got == [CAPABILITIES[part](whole)] * 3


def test_a_part_of_the_context_can_not_be_sent_by_a_model():
    @tool
    async def ask(port: str, files: Files) -> None: ...

    with pytest.raises(InvalidArguments, match="files: is not a parameter of this tool"):
        ask.bind({"port": "Brest", "files": {}})


@pytest.mark.parametrize(("part", "makes"), [(Calls, True), (RunContext, True), (Files, False), (Workspace, False)])
def test_who_can_make_calls_counts_as_a_caller(part, makes):
    async def ask(tools): ...

    ask.__annotations__ = {"tools": part}
    assert tool(ask).makes_calls is makes


async def test_a_function_in_a_thread_gets_what_needs_no_waiting():
    @tool
    def ask(context: RunContext, workspace: Workspace, output: Output) -> str:
        output.text("a")
        context.output.text("b")
        output.progress(0.5, "half")
        return f"{context.call} in {workspace.root}"

    whole = context()
    result = await ask.bind({}).run(whole)
    assert result.text == "call-1 in /harbour"
    assert (whole.output.texts, whole.output.others) == (["a", "b"], [(0.5, "half")])


def test_a_single_model_stays_a_parameter_like_any():
    @tool
    def look(place: Place) -> None: ...

    schema = look.parameters.schema
    assert schema["required"] == ["place"]
    assert schema["properties"] == {"place": {"$ref": "#/$defs/Place"}}


def test_marks_are_read_from_the_annotations():
    @tool
    def copy(
        source: Annotated[Path, Reads], to: Annotated[Path | None, Writes("tree")], host: Annotated[str, ConnectsTo]
    ): ...

    claims = copy.bind({"source": "a", "to": "b", "host": "h"}).claims()
    assert [(claim.path, claim.scope) for claim in claims.reads + claims.writes] == [("a", "file"), ("b", "tree")]
    assert claims.connects == {"h"}
    assert isinstance(copy, Tool)
