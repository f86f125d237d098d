from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from handrail.catalog.later import itself
from handrail.contract.tool import Tool
from handrail.providers.mcp.resources import ResourceTools
from handrail.tools import builtin_tools

SNAPSHOTS = Path(__file__).parent / "snapshots"
TOOLS = (*map(itself, builtin_tools()), *ResourceTools(()).tools)
UPDATE = "HANDRAIL_UPDATE_SNAPSHOTS"
"""Set it to 1 to write what the tools say now; read the difference before you keep it."""


def seen_by_a_model(tool: Tool[Any]) -> dict[str, Any]:
    return {
        "name": tool.name,
        "title": tool.title,
        "kind": tool.kind.value,
        "aliases": list(tool.aliases),
        "description": tool.description.split("\n"),
        "parameters": tool.parameters.schema,
    }


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_what_a_model_sees_has_not_changed_unnoticed(tool: Tool[Any]) -> None:
    path = SNAPSHOTS / f"{tool.name}.json"
    text = json.dumps(seen_by_a_model(tool), indent=2, ensure_ascii=False) + "\n"
    if os.environ.get(UPDATE) == "1":
        SNAPSHOTS.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text


def test_every_snapshot_has_its_tool() -> None:
    assert sorted(path.stem for path in SNAPSHOTS.iterdir()) == sorted(tool.name for tool in TOOLS)


def test_names_and_aliases_are_unique_and_in_a_stable_order() -> None:
    assert [tool.name for tool in builtin_tools()] == [
        "read_file", "read_many_files", "write_file", "edit_file", "apply_patch", "notebook_edit", "list_directory",
        "glob", "grep", "shell", "powershell", "shell_output", "shell_input", "shell_stop", "web_fetch", "web_search",
        "update_topic", "todo_write", "todo_read", "task_create", "task_get", "task_list", "task_update", "ask_user",
        "enter_plan_mode", "exit_plan_mode", "memory", "agent", "send_message", "activate_skill", "tool_search",
    ]  # fmt: skip
    names = [name for tool in builtin_tools() for name in (tool.name, *tool.aliases)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_and_parameter_is_described(tool: Tool[Any]) -> None:
    properties = tool.parameters.schema["properties"]
    assert isinstance(properties, dict)
    assert all(isinstance(value, dict) and value.get("description") for value in properties.values())
    assert tool.parameters.schema["additionalProperties"] is False
    assert tool.title
    assert 80 < len(tool.description) < 1_200
