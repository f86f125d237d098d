from __future__ import annotations

from typing import ClassVar

import pytest

from handrail.catalog import Registry, menu_for
from handrail.catalog.faces import family_of
from handrail.contract.context import Environment
from handrail.errors import ToolDefinitionError, UnknownTool
from handrail.testing import FakeTool
from handrail.tools import builtin_tools

ANYWHERE = Environment("linux", lambda name: None)


def test_tools_are_found_by_name_alias_and_face() -> None:
    registry = Registry(builtin_tools())
    assert registry.resolve("read_file").name == "read_file"
    assert registry.resolve("Read").name == "read_file"
    assert registry.resolve("replace").name == "edit_file"
    assert registry.resolve("run_shell_command").name == "shell"


def test_an_unknown_name_is_answered_with_the_three_closest() -> None:
    with pytest.raises(UnknownTool, match=r"read_file, .*, .*"):
        Registry(builtin_tools()).resolve("readfile")


def test_of_names_that_went_only_so_many_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handrail.catalog.registry._MOST_GONE", 2)
    registry = Registry()
    for number in range(5):
        registry.put("tides", [FakeTool(f"t{number}")])
    for gone in ("t2", "t3"):
        with pytest.raises(UnknownTool, match="no longer available"):
            registry.resolve(gone)
    with pytest.raises(UnknownTool, match="There is no tool named 't1'"):
        registry.resolve("t1")


class OfServer(FakeTool):
    server = "tides"
    known_as: ClassVar = {"claude": "mcp__tides__list"}


@pytest.mark.parametrize(
    ("model", "name", "closest"),
    [
        ("claude-opus-4", "mcp__tide__list", "mcp__tides__list"),
        ("gemini-3-pro", "mcp__tide__list", "mcp_tides_list"),
        ("claude-opus-4", "Reads", "Read"),
    ],
)
def test_the_closest_names_are_those_of_the_models_menu(model: str, name: str, closest: str) -> None:
    registry = Registry(builtin_tools())
    registry.add(OfServer("mcp_tides_list"), "tides")
    with pytest.raises(UnknownTool, match=rf"are: {closest}, "):
        registry.resolve(name, model)


def test_a_tool_that_a_family_knows_nothing_of_is_not_among_the_closest() -> None:
    with pytest.raises(UnknownTool) as refused:
        Registry(builtin_tools()).resolve("list_directories", "claude-opus-4")
    assert "list_directory" not in str(refused.value)


@pytest.mark.parametrize("name", ["shell", "read_file"])
def test_a_name_is_taken_once(name: str) -> None:
    with pytest.raises(ToolDefinitionError, match="taken"):
        Registry(builtin_tools()).add(FakeTool(name))


@pytest.mark.parametrize("name", ["", "9lives", "a b", "ä", "x" * 65, "-x"])
def test_a_name_that_no_provider_takes_is_refused(name: str) -> None:
    with pytest.raises(ToolDefinitionError):
        Registry([FakeTool(name)])


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("claude-sonnet-4-5", "claude"),
        ("anthropic/claude-opus-4", "claude"),
        ("gemini-3-pro", "gemini-3"),
        ("google/gemini-2.5-flash", "gemini"),
        ("gpt-5.1-codex", "openai"),
        ("o3-mini", "openai"),
        ("qwen3-max", "handrail"),
        ("", "handrail"),
    ],
)
def test_a_model_belongs_to_the_family_its_name_shows(model: str, family: str) -> None:
    assert family_of(model).name == family


def test_the_menu_keeps_its_order_whatever_is_hidden() -> None:
    tools = [FakeTool(name) for name in "cab"]
    registry = Registry(tools)
    everything = menu_for(registry, "", ANYWHERE, lambda tool: None)
    without_a = menu_for(registry, "", ANYWHERE, lambda tool: "denied" if tool.name == "a" else None)
    assert [shown.name for shown in everything.tools] == ["c", "a", "b"]
    assert [shown.name for shown in without_a.tools] == ["c", "b"]
    assert [(hidden.tool.name, hidden.reason) for hidden in without_a.hidden] == [("a", "denied")]


def test_a_name_is_that_of_the_first_provider_in_order_whoever_puts_first() -> None:
    registry = Registry()
    for provider in ("mine", "theirs"):
        registry.expect(provider)
    mine, theirs = FakeTool("tide"), FakeTool("tide")
    assert registry.put("theirs", [theirs, FakeTool("moon")]) == ()
    assert registry.resolve("tide") is theirs
    assert registry.put("mine", [mine]) == ()
    assert registry.resolve("tide") is mine
    assert [(lost.tool, lost.provider) for lost in registry.displaced()] == [(theirs, "theirs")]
    assert [entry.tool.name for entry in registry] == ["tide", "moon"]
    assert [tool.name for tool in registry.of("theirs")] == ["moon"]
    assert "the name 'tide' is taken" in registry.put("theirs", [theirs])[0]
    registry.put("mine", [])
    registry.put("theirs", [theirs])
    assert registry.resolve("tide") is theirs


@pytest.mark.parametrize("model", ["", "claude-x", "gemini-x", "gpt-x"])
def test_no_family_sees_two_tools_of_one_name(model: str) -> None:
    menu = menu_for(Registry(builtin_tools()), model, ANYWHERE, lambda tool: None)
    names = [shown.name for shown in menu.tools]
    assert len(set(names)) == len(names)
