from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field, field_validator

from handrail.contract.models import ModelParameters
from handrail.contract.parameters import BadArguments, SchemaParameters
from handrail.contract.problems import argument_path
from handrail.errors import ArgumentProblem


class Speed(Enum):
    SLOW = "slow"
    FAST = "fast"


class Edit(BaseModel):
    model_config = ConfigDict(extra="forbid")

    old: str
    new: str = ""
    times: int = 1


class Move(BaseModel):
    kind: Literal["move"]
    to: str


class Copy(BaseModel):
    kind: Literal["copy"]
    into: str


@dataclass
class Size:
    width: int


class Params(BaseModel):
    model_config = ConfigDict(extra="forbid")

    size: Size | None = None
    limit: int = 1
    ratio: float = 1.0
    name: str = ""
    whole: bool = False
    lines: list[int] = []
    env: dict[str, int] = {}
    edits: list[Edit] = []
    mode: Literal["a", "b"] = "a"
    level: Literal[1, 2] = 1
    speed: Speed = Speed.SLOW
    path: Path = Path()
    pair: tuple[int, str] = (0, "")
    span: int | str = 0
    either: Edit | list[int] = []
    step: Annotated[Move | Copy, Field(discriminator="kind")] = Copy(kind="copy", into="")
    count: Annotated[int, Field(ge=1, le=9)] = 1
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5
    short: Annotated[str, Field(min_length=2, max_length=4)] = "ab"
    few: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    code: Annotated[str, Field(pattern="^[a-z]+$")] = "x"
    optional: int | None = None

    @field_validator("name")
    @classmethod
    def not_reserved(cls, name: str) -> str:
        if name == "con":
            raise ValueError("is a reserved name; choose another")
        return name


PARAMETERS = ModelParameters(Params)


def problems(arguments):
    with pytest.raises(BadArguments) as caught:
        PARAMETERS.validate(arguments)
    return [str(problem) for problem in caught.value.problems]


WRONG = [
    ({"limit": "10"}, "limit: got a string, expected an integer"),
    ({"limit": True}, "limit: got a boolean, expected an integer"),
    ({"limit": 1.5}, "limit: got a number, expected an integer"),
    ({"limit": None}, "limit: got null, expected an integer"),
    ({"limit": 1e300}, "limit: got a number, expected an integer"),
    ({"optional": "x"}, "optional: got a string, expected an integer"),
    ({"ratio": "1"}, "ratio: got a string, expected a number"),
    ({"name": 1}, "name: got an integer, expected a string"),
    ({"name": 1.0}, "name: got a number, expected a string"),
    ({"whole": "true"}, "whole: got a string, expected a boolean"),
    ({"whole": 1}, "whole: got an integer, expected a boolean"),
    ({"lines": "1,2"}, "lines: got a string, expected an array"),
    ({"lines": {"0": 1}}, "lines: got an object, expected an array"),
    ({"lines": [1, "2"]}, "lines[1]: got a string, expected an integer"),
    ({"env": []}, "env: got an array, expected an object"),
    ({"env": {"A B": "1"}}, "env.A B: got a string, expected an integer"),
    ({"edits": ["x"]}, "edits[0]: got a string, expected an object"),
    ({"edits": [{"old": "a"}, {}]}, "edits[1].old: is required and missing"),
    ({"edits": [{"old": "a", "odl": "b"}]}, "edits[0].odl: is not a parameter of this tool"),
    ({"size": 1}, "size: got an integer, expected an object"),
    ({"size": {}}, "size.width: is required and missing"),
    ({"size": {"width": 1, "height": 2}}, "size.height: is not a parameter of this tool"),
    ({"size": {"width": "1"}}, "size.width: got a string, expected an integer"),
    ({"mode": "c"}, "mode: got \"c\", expected 'a' or 'b'"),
    ({"level": 3}, "level: got 3, expected 1 or 2"),
    ({"speed": "warp"}, "speed: got \"warp\", expected 'slow' or 'fast'"),
    ({"path": 3}, "path: got an integer, expected a string"),
    ({"pair": [1]}, "pair[1]: is required and missing"),
    ({"span": True}, "span: got a boolean, expected an integer or a string"),
    ({"step": {"kind": "fly"}}, "step: got an object, expected an object whose 'kind' is one of 'move', 'copy'"),
    ({"step": {}}, "step: got an object, expected an object with 'kind'"),
    ({"step": {"kind": "move"}}, "step.to: is required and missing"),
    ({"step": {"kind": "move", "to": 1}}, "step.to: got an integer, expected a string"),
    ({"count": 0}, "count: got 0, expected at least 1"),
    ({"count": 10}, "count: got 10, expected at most 9"),
    ({"share": 0}, "share: got 0, expected more than 0.0"),
    ({"share": 1}, "share: got 1, expected less than 1.0"),
    ({"short": "a"}, "short: got a length of 1, expected at least 2"),
    ({"short": "abcde"}, "short: got a length of 5, expected at most 4"),
    ({"few": []}, "few: got a length of 0, expected at least 1"),
    ({"few": [1, 2, 3]}, "few: got a length of 3, expected at most 2"),
    ({"code": "X"}, 'code: got "X", expected a string that matches ^[a-z]+$'),
    ({"code": "X" * 99}, "code: got a string, expected a string that matches ^[a-z]+$"),
    ({"name": "con"}, "name: is a reserved name; choose another"),
    ({"name": "\ud800"}, "holds text that is not Unicode: half of a surrogate pair"),
]


@pytest.mark.parametrize(("arguments", "problem"), WRONG, ids=[problem for _, problem in WRONG])
def test_a_problem_says_where_what_was_found_and_what_was_expected(arguments, problem):
    assert problems(arguments) == [problem]


def test_every_problem_is_reported_at_once():
    assert problems({"limit": "1", "edits": [{"new": 2}], "mode": "z"}) == [
        "limit: got a string, expected an integer",
        "edits[0].old: is required and missing",
        "edits[0].new: got an integer, expected a string",
        "mode: got \"z\", expected 'a' or 'b'",
    ]


def test_a_union_reports_what_each_variant_wanted():
    assert problems({"either": {}}) == [
        "either.old: is required and missing",
        "either: got an object, expected an array",
    ]


@pytest.mark.parametrize(
    ("arguments", "field", "value"),
    [
        ({"limit": 10.0}, "limit", 10),
        ({"limit": -0.0}, "limit", 0),
        ({"lines": [1.0, 2, 3.0]}, "lines", [1, 2, 3]),
        ({"env": {"A": 1.0}}, "env", {"A": 1}),
        ({"edits": [{"old": "a", "times": 2.0}]}, "edits", [Edit(old="a", times=2)]),
        ({"span": 3.0}, "span", 3),
        ({"level": 2.0}, "level", 2),
        ({"optional": 4.0}, "optional", 4),
        ({"count": 9.0}, "count", 9),
    ],
)
def test_a_whole_number_counts_as_an_integer(arguments, field, value):
    validated = getattr(PARAMETERS.validate(arguments), field)
    assert validated == value
    assert type(validated) is type(value)


def test_a_mended_integer_still_has_to_fit():
    assert problems({"count": 10.0, "name": 1}) == [
        "name: got an integer, expected a string",
        "count: got 10, expected at most 9",
    ]


def test_validating_leaves_the_arguments_as_they_were():
    arguments = {"limit": 10.0, "edits": [{"old": "a", "times": 2.0}]}
    PARAMETERS.validate(arguments)
    assert repr(arguments) == "{'limit': 10.0, 'edits': [{'old': 'a', 'times': 2.0}]}"


def test_strings_become_what_json_has_no_word_for():
    params = PARAMETERS.validate({"path": "src/a.py", "speed": "fast", "pair": [1, "x"]})
    assert (params.path, params.speed, params.pair) == (Path("src/a.py"), Speed.FAST, (1, "x"))


@pytest.mark.parametrize("depth", [300, 100_000])
def test_arguments_nested_too_deeply_are_a_problem_like_any(depth):
    value: object = 1
    for _ in range(depth):
        value = [value]
    assert problems({"lines": value}) in (
        ["is nested too deeply"],
        ["lines[0]: got an array, expected an integer"],
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.sampled_from([*Params.model_fields, "other"]), JSON))
def test_any_json_is_either_accepted_or_explained(arguments):
    try:
        PARAMETERS.validate(arguments)
        found = ()
    except BadArguments as error:
        found = error.problems or [ArgumentProblem("nowhere", "")]
    for problem in found:
        assert problem.problem
        assert problem.path.split(".")[0].split("[")[0] in ("", *arguments)


def test_the_schema_carries_no_generated_titles_but_keeps_a_field_of_that_name():
    class Named(BaseModel):
        title: str = Field(description="The page's title.")
        edits: list[Edit] = []

    schema = ModelParameters(Named).schema
    assert schema["properties"]["title"] == {"description": "The page's title.", "type": "string"}
    assert "title" not in schema
    assert "title" not in schema["$defs"]["Edit"]
    assert "title" not in schema["$defs"]["Edit"]["properties"]["old"]


def test_a_model_that_holds_itself_is_shown_with_its_type():
    class Tree(BaseModel):
        branches: list[Tree] = []

    assert ModelParameters(Tree).schema["type"] == "object"


def test_a_raw_schema_gives_the_arguments_back_or_its_checks_problems():
    def check(arguments):
        return [] if "a" in arguments else [ArgumentProblem("a", "is required and missing")]

    parameters = SchemaParameters({"type": "object"}, check)
    assert parameters.validate({"a": 1}) == {"a": 1}
    with pytest.raises(BadArguments, match="a: is required and missing"):
        parameters.validate({})


@pytest.mark.parametrize(
    ("steps", "path"),
    [((), ""), (("a",), "a"), (("a", 0, "b"), "a[0].b"), ((0, 1), "[0][1]"), (("a", "b"), "a.b")],
)
def test_a_path_reads_as_a_model_writes_it(steps, path):
    assert argument_path(steps) == path
