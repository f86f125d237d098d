"""The families' data: every entry holds, and says what the tool takes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import handrail.catalog.faces as package
from handrail.authoring.json_schema import schema_parameters
from handrail.catalog import Registry, menu_for
from handrail.catalog.faces import Face, Family, face, faces_of, families
from handrail.catalog.faces.forms import FORMS
from handrail.catalog.faces.parameter import FaceParameter, own_value
from handrail.catalog.faces.schema import checked_schema, shown_schema
from handrail.contract.calls import CallForm
from handrail.contract.context import Environment
from handrail.contract.tool import Tool
from handrail.errors import ArgumentProblem, InvalidArguments
from handrail.providers.mcp.resources import ResourceTools
from handrail.testing import FakeTool
from handrail.tools import builtin_tools

DATA = Path(package.__file__).parent
ANYWHERE = Environment("linux", lambda name: Path("/bin") / name)
TOOLS = {tool.name: tool for tool in (*builtin_tools(), *ResourceTools(()).tools)}
PROGRAMS = {"grep"}
"""Descriptions of shell tools name programs too."""
ALL = [(family, name) for family in families() for name in family.names]


def ids(value: object) -> str:
    return value.name if isinstance(value, Family) else str(value)


def tool_of(family: Family, name: str) -> Tool[Any]:
    return TOOLS[family.names[name]]


@pytest.mark.parametrize(("family", "name"), ALL, ids=ids)
def test_every_face_is_read_and_has_its_tool(family: Family, name: str) -> None:
    found = face(family.name, name)
    assert found.tool in TOOLS
    assert found.form in ("", *FORMS)


def test_no_family_has_data_of_a_name_it_does_not_know() -> None:
    for family in families():
        path = DATA / f"{family.name}.toml"
        known = set(tomllib.loads(path.read_text("utf-8"))) if path.is_file() else set()
        told = {path.stem for path in (DATA / family.name).glob("*.md")}
        assert known | told <= set(family.names)
        assert set(family.past.values()) <= set(family.names)
        assert not set(family.past) & set(family.names)


@pytest.mark.parametrize(("family", "name"), ALL, ids=ids)
def test_every_parameter_of_a_face_leads_to_one_of_the_tool(family: Family, name: str) -> None:
    found, tool = face(family.name, name), tool_of(family, name)
    own = tool.parameters.schema["properties"]
    taken = FORMS[found.form].takes if found.form else frozenset()
    assert isinstance(own, dict)
    assert set(found.constants) <= set(own)
    for parameter in leaves(found.parameters or {}):
        assert parameter.to in own or parameter.to in taken or not parameter.to
    if found.parameters is not None:
        reached = {parameter.to for parameter in leaves(found.parameters)} | set(found.constants)
        assert set(tool.parameters.schema.get("required", ())) <= reached


def leaves(parameters: Mapping[str, FaceParameter]) -> Iterator[FaceParameter]:
    for parameter in parameters.values():
        if parameter.fields is None:
            yield parameter
        else:
            yield from leaves(parameter.fields)


@pytest.mark.parametrize(("family", "name"), ALL, ids=ids)
def test_every_shown_parameter_has_a_type_and_a_description(family: Family, name: str) -> None:
    found, tool = face(family.name, name), tool_of(family, name)
    shown, checked = shown_schema(found, tool.parameters.schema), checked_schema(found, tool.parameters.schema)
    schema_parameters(shown)
    schema_parameters(checked)
    properties = shown["properties"]
    assert isinstance(properties, dict)
    for parameter in properties.values():
        assert isinstance(parameter, dict)
        assert parameter.get("description") or parameter.get("properties")
        assert {"type", "anyOf", "enum"} & parameter.keys()


@pytest.mark.parametrize(
    ("family", "name"), [each for each in ALL if each[0].names[each[1]] not in each[0].lacks], ids=ids
)
def test_a_description_names_only_what_the_model_is_shown(family: Family, name: str) -> None:
    menu = menu_for(Registry(TOOLS.values()), family.models[0], ANYWHERE, lambda tool: None)
    shown = {each.name: each for each in menu.tools}
    entry = shown[name]
    hidden_tools = (set(TOOLS) | set(family.past)) - set(shown)
    properties = entry.schema["properties"]
    own = entry.tool.parameters.schema["properties"]
    assert isinstance(properties, dict)
    assert isinstance(own, dict)
    quoted = set(re.findall(r"`(\w+)`", entry.description)) - set(properties) - PROGRAMS
    assert not quoted & hidden_tools
    assert not quoted & (set(own) - set(shown))


def test_a_tool_of_another_kind_that_has_a_familys_name_keeps_it() -> None:
    registry = Registry([*TOOLS.values(), FakeTool("Bash")])
    assert registry.resolve("Bash", "claude-x").name == "Bash"
    names = [each.name for each in menu_for(registry, "claude-x", ANYWHERE, lambda tool: None).tools]
    assert names.count("Bash") == 1
    assert "shell" in names


@pytest.mark.parametrize("name", sorted({n for f, name in ALL for n in f.all_names_of(f.names[name])}))
@pytest.mark.parametrize("model", ["", "claude-x", "gemini-2", "gemini-3", "gpt-5"])
def test_a_name_of_any_family_is_known_whatever_the_model(name: str, model: str) -> None:
    registry = Registry(TOOLS.values())
    tool = registry.resolve(name, model).name
    assert registry.knows(name)
    assert name == tool or name in faces_of(tool)


TRANSLATED: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("", "Bash", {"command": "ls", "timeout": 1500}, {"command": "ls", "timeout": 2, "on_timeout": "background"}),
    ("", "Bash", {"command": "ls", "timeout": 10}, {"command": "ls", "timeout": 1, "on_timeout": "background"}),
    (
        "claude-x",
        "Bash",
        {"command": "ls", "run_in_background": True, "dangerouslyDisableSandbox": True},
        {"command": "ls", "background": True, "on_timeout": "background"},
    ),
    ("", "Bash", {"command": "ls", "background": True}, {"command": "ls", "background": True}),
    ("", "Grep", {"pattern": "x"}, {"pattern": "x", "output_mode": "files"}),
    (
        "",
        "Grep",
        {"pattern": "x", "-i": True, "-n": True, "-C": 2, "head_limit": 5, "output_mode": "content"},
        {"pattern": "x", "ignore_case": True, "context": 2, "limit": 5, "output_mode": "content"},
    ),
    (
        "",
        "Edit",
        {"file_path": "a", "old_string": "x", "new_string": "y"},
        {"file_path": "a", "old_string": "x", "new_string": "y"},
    ),
    ("", "WebFetch", {"url": "https://x.org", "prompt": "why"}, {"url": "https://x.org"}),
    (
        "",
        "replace",
        {"file_path": "a", "instruction": "do", "old_string": "x", "new_string": "y", "allow_multiple": True},
        {"file_path": "a", "old_string": "x", "new_string": "y", "replace_all": True},
    ),
    (
        "gemini-2",
        "read_file",
        {"file_path": "a", "start_line": 3, "end_line": 7},
        {"file_path": "a", "offset": 3, "limit": 5},
    ),
    ("gemini-2", "read_file", {"file_path": "a", "end_line": 7}, {"file_path": "a", "limit": 7}),
    ("claude-x", "read_file", {"file_path": "a", "start_line": 3}, {"file_path": "a", "offset": 3}),
    ("gemini-2", "read_file", {"file_path": "a", "offset": 3, "limit": 1}, {"file_path": "a", "offset": 3, "limit": 1}),
    (
        "",
        "search_file_content",
        {"pattern": "x", "names_only": True},
        {"pattern": "x", "output_mode": "files", "ignore_case": True},
    ),
    (
        "",
        "grep_search",
        {"pattern": "x", "case_sensitive": True, "dir_path": "src"},
        {"pattern": "x", "ignore_case": False, "path": "src"},
    ),
    (
        "",
        "list_directory",
        {"dir_path": "src", "file_filtering_options": {"respect_git_ignore": False}},
        {"path": "src", "show_ignored": True},
    ),
    ("", "read_many_files", {"include": ["a"], "recursive": True}, {"paths": ["a"]}),
    ("", "glob", {"pattern": "*.py", "dir_path": "src", "case_sensitive": True}, {"pattern": "*.py", "path": "src"}),
    ("", "run_shell_command", {"command": "ls", "dir_path": "it's"}, {"command": "(cd -- 'it'\"'\"'s' &&\nls\n)"}),
    ("", "run_shell_command", {"command": "ls", "dir_path": "."}, {"command": "ls"}),
    ("", "web_fetch", {"prompt": "what does https://x.org say"}, {"url": "what does https://x.org say"}),
    (
        "gpt-5",
        "shell",
        {"command": ["bash", "-lc", "ls | wc"], "timeout_ms": 1000},
        {"command": "ls | wc", "timeout": 1},
    ),
    ("", "shell", {"command": ["rg", "a b"], "workdir": "src"}, {"command": "(cd -- src &&\nrg 'a b'\n)"}),
    ("gpt-5", "shell", {"command": "ls"}, {"command": "ls"}),
    ("", "google_web_search", {"query": "tides"}, {"query": "tides"}),
]


def bound(model: str, name: str, arguments: dict[str, Any]) -> Any:
    called = Registry(TOOLS.values()).called(name, model)
    return called.bind(CallForm.FUNCTION, arguments, as_sent=True)


@pytest.mark.parametrize(("model", "name", "sent", "own"), TRANSLATED)
def test_arguments_in_a_familys_words_become_the_tools_own(
    model: str, name: str, sent: dict[str, Any], own: dict[str, Any]
) -> None:
    assert bound(model, name, sent).arguments == own


REFUSED: list[tuple[str, str, dict[str, Any], list[str]]] = [
    ("", "Bash", {"cmd": "ls"}, ["Bash", "command: is required and missing", "cmd: is not a parameter of this tool"]),
    ("", "Bash", {"command": "ls", "timeout": 700_000}, ["timeout: got 700000, expected at most 600000"]),
    ("", "Bash", {"command": ""}, ["command: got a length of 0, expected at least 1"]),
    ("gemini-2", "read_file", {"file_path": "a", "start_line": 0}, ["start_line: got 0, expected at least 1"]),
    ("gemini-2", "read_file", {"file_path": "a", "start_line": 9, "end_line": 2}, ["end_line: got 2, expected"]),
    ("gemini-2", "glob", {"pattern": "x", "case_sensitive": False}, ["case_sensitive"]),
    ("", "read_many_files", {"include": [1]}, ["paths: is required and missing", "include: is not a parameter"]),
    ("gemini-2", "read_many_files", {"include": [1]}, ["include[0]: got an integer, expected a string"]),
    ("gemini-2", "list_directory", {"path": 1}, ["dir_path: is required and missing"]),
    ("gpt-5", "shell", {"command": []}, ["command: got a length of 0, expected at least 1"]),
]  # fmt: skip


@pytest.mark.parametrize(("model", "name", "sent", "told"), REFUSED)
def test_what_is_wrong_is_said_in_the_words_that_were_used(
    model: str, name: str, sent: dict[str, Any], told: list[str]
) -> None:
    with pytest.raises(InvalidArguments) as refused:
        bound(model, name, sent)
    for words in told:
        assert words in str(refused.value)


def test_arguments_that_somebody_changed_are_in_the_tools_own_words() -> None:
    called = Registry(TOOLS.values()).called("Bash", "claude-x")
    assert called.bind(CallForm.FUNCTION, {"command": "ls", "timeout": 120}, as_sent=False).params.timeout == 120


def test_a_list_of_objects_has_its_parts_renamed() -> None:
    parameter = FaceParameter("todos", items={"step": FaceParameter("content"), "note": FaceParameter("")})
    assert own_value(parameter, [{"step": "a", "note": 1}, 3]) == [{"content": "a"}, 3]
    described = Face("plan", "todos", {"plan": parameter}, {})
    problem = ArgumentProblem("todos[1].content", "got 1")
    assert described.problem(problem).path == "plan[1].step"
