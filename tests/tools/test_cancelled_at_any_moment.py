"""Each built-in tool is cancelled at 200 seeded moments: no half-written file, no process, exactly one result.

The moments are steps of the call on the event loop and turns of the loop between them, counted in full runs before:
see `handrail.testing.conforming`. A tool has a row here, or a test of the same kind elsewhere.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from handrail.contract.basics import JsonObject
from handrail.contract.context import RunContext
from handrail.contract.effects import Claims
from handrail.contract.results import ToolResult
from handrail.contract.tool import Tool
from handrail.errors import ToolFailed
from handrail.sandbox import none
from handrail.testing import FakeTool, assert_conforms
from handrail.testing.conforming import fresh
from handrail.testing.tools import Behaviour
from handrail.tools import builtin_tools
from handrail.tools.shells import running

TOOLS: Mapping[str, Tool[Any]] = {tool.name: tool for tool in builtin_tools()}

CELL = {"cell_type": "code", "id": "c1", "metadata": {}, "execution_count": None, "outputs": [], "source": ["1 + 1"]}
NOTEBOOK = json.dumps({"cells": [CELL], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
PATCH = """*** Begin Patch
*** Update File: a.txt
@@
 alpha
-beta
+delta
*** Add File: new/d.txt
+gamma
*** Delete File: sub/b.txt
*** End Patch
"""
FILES = {"a.txt": "alpha\nbeta\n", "sub/b.txt": "beta\n", "many.txt": "line\n" * 20_000, "n.ipynb": NOTEBOOK}

ROWS: Mapping[str, JsonObject] = {
    "read_file": {"file_path": "many.txt"},
    "read_many_files": {"paths": ["**/*.txt"]},
    "write_file": {"file_path": "new/c.txt", "content": "gamma\n" * 1_000},
    "edit_file": {"file_path": "a.txt", "old_string": "beta", "new_string": "delta"},
    "apply_patch": {"input": PATCH},
    "notebook_edit": {"notebook_path": "n.ipynb", "cell_id": "c1", "new_source": "2 + 2"},
    "list_directory": {"path": "."},
    "glob": {"pattern": "**/*.txt"},
    "grep": {"pattern": "beta"},
    "shell": {"command": "(setsid sleep 600 &); echo x >>out.txt; sleep 0.01; seq 20000"},
    "powershell": {"command": "Get-Item ."},
    "update_topic": {"title": "Port", "intent": "Look at it"},
    "todo_write": {"todos": [{"text": "Cut the port", "status": "in_progress"}]},
    "todo_read": {},
    "task_create": {"subject": "Cut the port"},
    "task_list": {},
    "ask_user": {"questions": [{"question": "Which port?"}]},
    "enter_plan_mode": {},
    "memory": {"action": "save", "fact": "The port is 8080"},
    "tool_search": {"query": "tides"},
}
"""A call that succeeds, for each tool that needs no other call before it."""

JOB = {"command": "sleep 0.05; echo ready; cat", "background": True}
ROWS_OF_TASKS: Mapping[str, JsonObject] = {
    "task_get": {"task": "1"},
    "task_update": {"task": "1", "status": "in_progress", "owner": "ada"},
}
"""The same for tools that need a task: it is created first, and both calls are cancelled together."""

ROWS_OF_JOBS: Mapping[str, JsonObject] = {
    "shell_output": {"job": "job-1", "wait_for": "ready"},
    "shell_input": {"job": "job-1", "text": "hello"},
    "shell_stop": {"job": "job-1"},
}
"""The same for tools that need a job: it is started first, and both calls are cancelled together."""

ELSEWHERE = {
    "activate_skill": "tests/tools/test_activate_skill.py",
    "agent": "tests/agent/test_interrupted_at_any_moment.py",
    "send_message": "tests/agent/test_interrupted_at_any_moment.py",
    "web_fetch": "tests/tools/test_web_fetch_hostile.py",
    "web_search": "tests/tools/test_web_search.py",
}


def test_every_tool_is_cancelled_somewhere() -> None:
    assert sorted([*ROWS, *ROWS_OF_TASKS, *ROWS_OF_JOBS, *ELSEWHERE, "exit_plan_mode"]) == sorted(TOOLS)


@pytest.mark.parametrize("path", ELSEWHERE.values())
def test_what_is_cancelled_elsewhere_is_at_as_many_moments(path: str) -> None:
    assert "cancellations=200" in (Path(__file__).parents[2] / path).read_text("utf-8")


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(none, "TERM_GRACE", 0.05)
    monkeypatch.setattr(running, "SETTLING", 0.02)
    # What these tools say of themselves is held word by word by snapshots, under any seed: one new process is enough.
    monkeypatch.setattr(fresh, "HASH_SEEDS", fresh.HASH_SEEDS[:1])
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "pwsh").write_text("#!/bin/sh\nsleep 0.01\necho ran\n")
    (programs / "pwsh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    root = tmp_path / "ws"
    for name, content in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    return root


@pytest.mark.parametrize("name", ROWS)
async def test_a_tool_leaves_nothing_half_done_when_it_is_cancelled(name: str, workspace: Path) -> None:
    found = await assert_conforms(TOOLS[name], ROWS[name], workspace=workspace)
    assert found.cancellations == 200


@pytest.mark.parametrize("name", ROWS_OF_JOBS)
async def test_a_tool_for_jobs_leaves_nothing_half_done_when_it_is_cancelled(name: str, workspace: Path) -> None:
    async def both(params: Any, context: RunContext) -> ToolResult:
        started = await context.calls.call("shell", JOB)
        if "job-1" not in started.text:
            raise ToolFailed(started.text)
        return await context.calls.call(name, ROWS_OF_JOBS[name])

    tool = FakeTool(f"start_and_{name}", both, claims=Claims.unknown())
    tool.description = "Starts a job, and does something with it."
    beside = (TOOLS["shell"], TOOLS[name])
    found = await assert_conforms(tool, {}, workspace=workspace, beside=beside)
    assert found.cancellations == 200


@pytest.mark.parametrize("name", ROWS_OF_TASKS)
async def test_a_tool_for_tasks_leaves_nothing_half_done_when_it_is_cancelled(name: str, workspace: Path) -> None:
    async def both(params: Any, context: RunContext) -> ToolResult:
        await context.calls.call("task_create", {"subject": "Cut the port"})
        return await context.calls.call(name, ROWS_OF_TASKS[name])

    await _assert_steps_conform(f"create_and_{name}", both, ("task_create", name), workspace)


async def test_a_plan_is_approved_or_not_whenever_that_is_cancelled(workspace: Path) -> None:
    async def whole(params: Any, context: RunContext) -> ToolResult:
        entered = await context.calls.call("enter_plan_mode", {})
        plan = (entered.data or {}).get("plan_file", "")
        await context.calls.call("write_file", {"file_path": plan, "content": "1. Cut the port.\n"})
        return await context.calls.call("exit_plan_mode", {})

    steps = ("enter_plan_mode", "write_file", "exit_plan_mode")
    await _assert_steps_conform("plan", whole, steps, workspace)


async def _assert_steps_conform(name: str, behaviour: Behaviour, steps: tuple[str, ...], workspace: Path) -> None:
    tool = FakeTool(name, behaviour, claims=Claims.unknown())
    tool.description = "Takes several steps, one after the other."
    found = await assert_conforms(tool, {}, workspace=workspace, beside=tuple(TOOLS[step] for step in steps))
    assert found.cancellations == 200
