"""What is said of the built-in tools before they are loaded is what they say themselves."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import Any

import pytest

from handrail.catalog.later import LaterTool, itself
from handrail.contract.context import Environment
from handrail.contract.tool import Tool
from handrail.policy import hidden_reason
from handrail.policy.modes import Mode
from handrail.policy.policy import Policy
from handrail.tools import SAID, builtin_tools

UPDATE = "HANDRAIL_UPDATE_SNAPSHOTS"
"""Set it to 1 to write what the tools say now; other snapshots are made of that, so that it comes first."""
LISTED = {tool.name: tool for tool in builtin_tools()}
ITSELF = {name: itself(tool) for name, tool in LISTED.items()}
ATTRIBUTES = [name for name in Tool.__annotations__ if name[0] != "_" and name not in ("name", "description")]
MACHINES = {
    "with everything": Environment("linux", lambda name: Path("/bin") / name),
    "with nothing": Environment("linux", lambda name: None),
}


def said(tool: Tool[Any]) -> dict[str, Any]:
    """What is not as with every tool, but what a menu always has."""
    different = (each for each in ATTRIBUTES if each not in ("kind", "aliases", "parameters"))
    rest = {name: getattr(tool, name) for name in different if getattr(tool, name) != getattr(Tool, name)}
    always = {"kind": tool.kind.value, "aliases": list(tool.aliases)}
    return {"title": tool.title, **always, **rest, "parameters": tool.parameters.schema}


def test_what_is_said_of_the_tools_is_what_they_say() -> None:
    text = json.dumps({name: said(tool) for name, tool in ITSELF.items()}, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get(UPDATE) == "1":
        SAID.write_text(text, "utf-8")
    assert SAID.read_text("utf-8") == text


@pytest.mark.parametrize("name", LISTED)
def test_a_tool_is_the_same_before_and_after_it_is_loaded(name: str) -> None:
    listed, loaded = LISTED[name], ITSELF[name]
    assert isinstance(listed, LaterTool)
    for attribute in ("name", "description", "makes_calls", *ATTRIBUTES):
        if attribute != "parameters":
            assert getattr(listed, attribute) == getattr(loaded, attribute), attribute
    assert listed.parameters.schema == loaded.parameters.schema


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", LISTED)
def test_a_tool_is_there_on_the_same_machines_before_and_after_it_is_loaded(
    name: str, machine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", {"TAVILY_API_KEY": "k"} if machine == "with everything" else {})
    assert LISTED[name].enabled(MACHINES[machine]) == ITSELF[name].enabled(MACHINES[machine])


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("name", LISTED)
def test_a_mode_hides_a_tool_alike_before_and_after_it_is_loaded(name: str, mode: Mode) -> None:
    policy = Policy(mode=mode)
    assert hidden_reason(LISTED[name], policy) == hidden_reason(ITSELF[name], policy)


def test_no_method_of_a_tool_that_is_not_loaded_answers_for_every_tool() -> None:
    methods = {name for name, _ in inspect.getmembers(Tool, inspect.isfunction) if not name.startswith("_")}
    assert methods <= vars(LaterTool).keys()


def test_a_call_has_the_tool_itself() -> None:
    invocation = LISTED["glob"].bind({"pattern": "*.py"})
    assert invocation.tool is ITSELF["glob"]
    assert LISTED["glob"].describe(invocation.params) == ITSELF["glob"].describe(invocation.params)
