"""The built-in tools: one module each, with its description for the model in a Markdown file beside it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from handrail.catalog.later import LaterTool
from handrail.contract.context import Environment
from handrail.contract.tool import Kind, Tool
from handrail.tools.descriptions import description_of
from handrail.tools.shells.programs import has_bash, has_powershell
from handrail.tools.web.searching.configured import is_configured

PAGES: Mapping[str, str] = {
    "read_file": "ReadFile",
    "read_many_files": "ReadManyFiles",
    "write_file": "WriteFile",
    "edit_file": "EditFile",
    "apply_patch": "ApplyPatch",
    "notebook_edit": "NotebookEdit",
    "list_directory": "ListDirectory",
    "glob": "Glob",
    "grep": "Grep",
    "shell": "Shell",
    "powershell": "PowerShell",
    "shell_output": "ShellOutput",
    "shell_input": "ShellInput",
    "shell_stop": "ShellStop",
    "web_fetch": "WebFetch",
    "web_search": "WebSearch",
    "update_topic": "UpdateTopic",
    "todo_write": "TodoWrite",
    "todo_read": "TodoRead",
    "task_create": "TaskCreate",
    "task_get": "TaskGet",
    "task_list": "TaskList",
    "task_update": "TaskUpdate",
    "ask_user": "AskUser",
    "enter_plan_mode": "EnterPlanMode",
    "exit_plan_mode": "ExitPlanMode",
    "memory": "Memory",
    "agent": "Agent",
    "send_message": "SendMessage",
    "activate_skill": "ActivateSkill",
    "tool_search": "ToolSearch",
}
"""Modules and their classes, in the order in which a model sees the tools. A tool has its module's name."""

SAID = Path(__file__).with_name("said.json")
"""What the classes say of themselves, by module: the tests write it, and compare."""

NEEDS: Mapping[str, Callable[[Environment], bool]] = {
    "shell": lambda environment: has_bash(environment.find_program),
    "powershell": lambda environment: has_powershell(environment.find_program),
    "web_search": lambda environment: is_configured(os.environ),
}
"""What some can't work without."""


def builtin_tools() -> tuple[Tool[Any], ...]:
    """In the order in which a model sees them. Each is imported with its first call: to list them takes neither their
    modules nor pydantic."""
    said = json.loads(SAID.read_text("utf-8"))
    return tuple(_later(module, name, said[module]) for module, name in PAGES.items())


def _later(module: str, name: str, said: dict[str, Any]) -> LaterTool:
    schema = said.pop("parameters")
    said |= {"kind": Kind(said["kind"]), "aliases": tuple(said["aliases"]), "description": description_of(module)}
    return LaterTool(f"handrail.tools.{module}:{name}", {"name": module, **said}, schema, NEEDS.get(module))
