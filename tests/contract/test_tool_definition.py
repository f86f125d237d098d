from __future__ import annotations

import re
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, create_model

from handrail.contract.context import CAPABILITIES, Files, Launcher, RunContext, Workspace
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import ToolResult
from handrail.contract.tool import ConnectsTo, Kind, Reads, Tool, Writes, check_name
from handrail.errors import InvalidArguments, ToolDefinitionError

PARTS = (
    "files",
    "launcher",
    "output",
    "calls",
    "questions",
    "jobs",
    "ledger",
    "spill",
    "shell",
    "skills",
    "values",
    "plan_mode",
    "deferred",
    "agents",
    "names",
)
"""Of a context, after the workspace."""


class Params(BaseModel):
    path: str = "."


class Marked(BaseModel):
    source: Annotated[str, Reads("tree", spares_secrets=True)]
    targets: Annotated[list[str], Writes]
    host: Annotated[str | None, ConnectsTo()] = None


class Copy(Tool[Marked]):
    name = "copy"

    async def run(self, params: Marked) -> ToolResult:
        return ToolResult.of_text(params.source)


GOOD_NAMES = ["a", "_", "read_file", "mcp__git__log", "a-b_c", "A" * 64, "x9"]
BAD_NAMES = ["", "9a", "-a", ".a", "a b", "a\n", "a/b", "naïve", "A" * 65, "a:b", "\ud800", "a\x00"]


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_a_name_that_every_provider_takes_is_taken(name):
    check_name(name)
    assert type("Named", (Tool,), {"name": name}).name == name


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_a_name_that_no_provider_takes_is_refused_at_definition(name):
    with pytest.raises(ToolDefinitionError, match="can't name a tool: use a letter or underscore"):
        type("Named", (Tool,), {"name": name})


@given(st.text(max_size=70))
def test_a_name_is_taken_exactly_when_it_has_the_published_form(name):
    fits = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_\-]{0,63}", name) is not None
    try:
        check_name(name)
        taken = True
    except ToolDefinitionError:
        taken = False
    assert taken is fits


def test_a_run_that_is_not_async_is_refused_at_definition():
    with pytest.raises(ToolDefinitionError, match=r"Slow\.run must be declared with 'async def'"):

        class Slow(Tool[Params]):
            name = "slow"

            def run(self, params: Params) -> ToolResult:
                return ToolResult.of_text("")


def test_a_run_that_asks_for_what_there_is_not_is_told_what_there_is():
    with pytest.raises(
        ToolDefinitionError,
        match=r"run takes 'database', annotated 'str'; it can take: Agents, Calls, DeferredTools, File",
    ):

        class Greedy(Tool[Params]):
            name = "greedy"

            async def run(self, params: Params, database: str) -> ToolResult:
                return ToolResult.of_text(database)


def test_a_run_that_does_not_say_what_it_takes_is_refused():
    with pytest.raises(ToolDefinitionError, match=r"run takes 'files', annotated"):

        class Vague(Tool[Params]):
            name = "vague"

            async def run(self, params, files):
                return ToolResult.of_text("")


class Nosy(Tool[Params]):
    name = "nosy"

    async def run(
        self, params: Params, workspace: Workspace, files: Files, launcher: Launcher, all_of_it: RunContext
    ) -> ToolResult:
        return ToolResult.of_text("", data={"got": [workspace, files, launcher, all_of_it]})


async def test_a_run_gets_the_parts_of_the_context_it_named_in_its_order(tmp_path):
    workspace = Workspace(tmp_path)
    context = RunContext("call-1", None, workspace, *PARTS)
    result = await Nosy().bind({}).run(context)
    assert result.data["got"] == [workspace, "files", "launcher", context]


def test_every_part_of_the_context_can_be_asked_for():
    context = RunContext("call-1", None, "workspace", *PARTS)
    assert {pick(context) for part, pick in CAPABILITIES.items() if part is not RunContext} == {
        "workspace",
        *PARTS,
    }


async def test_a_tool_without_a_run_can_be_defined_but_not_run(tmp_path):
    class Handed(Tool[Params]):
        name = "handed"
        client_side = True

    workspace = Workspace(tmp_path)
    context = RunContext("call-1", None, workspace, *PARTS)
    with pytest.raises(ToolDefinitionError, match="handed has no run method"):
        await Handed().bind({}).run(context)


def test_binding_checks_the_arguments_and_names_the_tool():
    with pytest.raises(InvalidArguments) as caught:
        Copy().bind({"targets": "a"})
    assert str(caught.value) == (
        "The arguments for copy are not valid:\n"
        "- source: is required and missing\n"
        "- targets: got a string, expected an array\n"
        "Correct them and call copy again."
    )


def test_an_invocation_keeps_the_arguments_as_received():
    arguments = {"source": "a", "targets": ["b"], "surplus": 1}
    assert Copy().bind(arguments).arguments is arguments


def test_marked_parameters_make_the_claims():
    claims = Copy().bind({"source": "a", "targets": ["b", "c"], "host": "example.org"}).claims()
    assert claims == Claims(
        reads=(PathClaim("a", "tree", spares_secrets=True),),
        writes=(PathClaim("b"), PathClaim("c")),
        connects=frozenset({"example.org"}),
    )


@pytest.mark.parametrize(
    "buried",
    [
        Annotated[str, Reads()] | None,
        list[Annotated[str, Writes]],
        dict[str, list[Annotated[str, ConnectsTo()]]],
    ],
    ids=["optional", "list", "deep"],
)
def test_a_mark_whose_claim_would_be_lost_is_refused_at_definition(buried):
    model = create_model("Buried", place=(buried, ...))
    with pytest.raises(ToolDefinitionError, match=r"Buried\.place: a mark inside the type would not be seen"):

        class Careless(Tool[model]):
            name = "careless"


def test_an_absent_parameter_claims_nothing():
    claims = Copy().bind({"source": "a", "targets": []}).claims()
    assert (claims.writes, claims.connects) == ((), frozenset())


@pytest.mark.parametrize(
    ("type_", "sent"),
    [
        (set[str], ["a", "b"]),
        (tuple[str, str], ["a", "b"]),
        (list[list[str]], [["a"], [], ["b"]]),
        (dict[str, str | None], {"a": "b"}),
        (dict[str, list[str]], {"a": ["b"]}),
    ],
    ids=str,
)
def test_a_marked_parameter_claims_every_path_it_holds(type_, sent):
    class Many(Tool[create_model("Many", places=(Annotated[type_, Writes], ...))]):
        name = "many"

    claims = Many().bind({"places": sent}).claims()
    assert sorted(claim.path for claim in claims.writes) == ["a", "b"]


@pytest.mark.parametrize("kind", Kind)
def test_a_tool_that_says_nothing_of_its_effects_is_unknown_unless_it_reads(kind):
    tool = type("Quiet", (Tool,), {"name": "quiet", "kind": kind})()
    expected = Claims.nothing() if kind in (Kind.READ, Kind.SEARCH) else Claims.unknown()
    assert tool.effects(object()) == expected


def test_two_tools_share_neither_parameters_nor_claims():
    assert Copy.parameters is not Nosy.parameters
    assert Nosy().bind({}).claims() == Claims.unknown()
