"""What each built-in tool declares of its effects is all that it touches: each is run where more would be seen.

A row for each tool and each set of parameters that matters. A tool without a row fails.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from confinement import missing
from effects_harness import Seen, Touch, seen

from handrail.tools import builtin_tools

NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": "a", "source": ["1"], "metadata": {}, "outputs": [], "execution_count": None}
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
TREE = {
    ".gitignore": "*.log\n",
    "a.txt": "one\ntwo\n",
    "b.log": "two\n",
    ".env": "TOKEN=two\n",
    "src/.gitignore": "*.tmp\n",
    "src/c.py": "two = 2\n",
    "src/deep/d.py": "three = 3\n",
    "src/deep/e.tmp": "two\n",
    "other/f.py": "two = 2\n",
    "n.ipynb": json.dumps(NOTEBOOK),
}
PATCH = """*** Begin Patch
*** Update File: a.txt
@@
-one
+1
*** Add File: new/g.txt
+x
*** Delete File: other/f.py
*** Update File: src/c.py
*** Move to: src/h.py
@@
-two = 2
+two = 3
*** End Patch
"""


FAILED = "Failed"


@dataclass(frozen=True)
class Row:
    """One call, and whether it gets as far as to run."""

    id: str
    tool: str
    arguments: dict[str, Any]
    before: tuple[tuple[str, dict[str, Any]], ...] = ()
    """Calls that have to come first."""
    ends: str = "Completed"


SLEEPER = ("shell", {"command": "echo ready; exec sleep 1000", "background": True})
TASK = ("task_create", {"subject": "look around"})

ROWS = [
    Row("a file", "read_file", {"file_path": "a.txt"}),
    Row("a part of a file below", "read_file", {"file_path": "src/deep/d.py", "offset": 1, "limit": 1}),
    Row("a folder", "read_file", {"file_path": "src"}),
    Row("a file that is not there", "read_file", {"file_path": "src/c.p"}, ends=FAILED),
    Row("a notebook", "read_file", {"file_path": "n.ipynb"}),
    Row("files by name and glob", "read_many_files", {"paths": ["a.txt", "src/**/*.py"]}),
    Row("files with some left out", "read_many_files", {"paths": ["src/**"], "exclude": ["*.tmp"]}),
    Row("a new file in a new folder", "write_file", {"file_path": "x/y/z.txt", "content": "x"}),
    Row("a file overwritten", "write_file", {"file_path": "a.txt", "content": "x"}),
    Row("one edit", "edit_file", {"file_path": "src/c.py", "old_string": "two", "new_string": "deux"}),
    Row("an edit that fails", "edit_file", {"file_path": "a.txt", "old_string": "0", "new_string": "1"}, ends=FAILED),
    Row("a patch of all kinds", "apply_patch", {"input": PATCH}),
    Row("a cell", "notebook_edit", {"notebook_path": "n.ipynb", "cell_id": "a", "new_source": "2"}),
    Row("the workspace", "list_directory", {}),
    Row("a folder below", "list_directory", {"path": "src/deep"}),
    Row("files in the workspace", "glob", {"pattern": "**/*.py"}),
    Row("files below a folder", "glob", {"pattern": "*.py", "path": "src/deep"}),
    Row("ignored files too", "glob", {"pattern": "*", "path": "src", "include_ignored": True}),
    Row("text in the workspace", "grep", {"pattern": "two"}),
    Row("text below a folder", "grep", {"pattern": "two", "path": "src/deep"}),
    Row("text in one file", "grep", {"pattern": "two", "path": "src/c.py"}),
    Row("text that is nowhere", "grep", {"pattern": "nowhere", "glob": "*.py", "output_mode": "count"}),
    Row("a command that reads", "shell", {"command": "cat src/c.py && ls src"}),
    Row("a command that writes", "shell", {"command": "echo x > made.txt"}),
    Row("the list of jobs", "shell_output", {}, before=(SLEEPER,)),
    Row("what a job printed", "shell_output", {"job": "job-1", "wait_for": "ready"}, before=(SLEEPER,)),
    Row("input for a job", "shell_input", {"job": "job-1", "text": "x"}, before=(SLEEPER,)),
    Row("the end of a job", "shell_stop", {"job": "job-1"}, before=(SLEEPER,)),
    Row("what comes next", "update_topic", {"intent": "look around"}),
    Row("a list", "todo_write", {"todos": [{"text": "look around", "status": "pending"}]}),
    Row("the list", "todo_read", {}),
    Row("a task", "task_create", {"subject": "look around"}),
    Row("the task", "task_get", {"task": "1"}, before=(TASK,)),
    Row("all tasks", "task_list", {}),
    Row("a task that begins", "task_update", {"task": "1", "status": "in_progress"}, before=(TASK,)),
    Row("what is remembered", "memory", {"action": "list"}),
    Row("a fact", "memory", {"action": "save", "fact": "two is a number"}),
    Row("a question", "ask_user", {"questions": [{"question": "Go on?"}]}),
    Row("a plan to come", "enter_plan_mode", {"reason": "much to do"}),
    Row("no plan", "exit_plan_mode", {}, ends=FAILED),
    Row("a skill that is not there", "activate_skill", {"name": "none"}, ends=FAILED),
    Row(
        "an agent, and nobody who could be one",
        "agent",
        {"description": "look around", "prompt": "Look around."},
        ends=FAILED,
    ),
    Row("a message to nobody", "send_message", {"to": "explore-1", "message": "And?"}, ends=FAILED),
    Row("tools by what they do", "tool_search", {"query": "read files"}),
    Row("an address, and no network to reach it by", "web_fetch", {"url": "http://9.9.9.9/"}, ends=FAILED),
]
NOT_HERE = {
    "powershell": "there is no PowerShell to run: what it starts is the shell's own launching",
    "web_search": "it is offered where a provider is set",
}


def test_every_built_in_tool_has_a_row() -> None:
    tried = {row.tool for row in ROWS}
    assert tried.isdisjoint(NOT_HERE)
    assert sorted(tried | set(NOT_HERE)) == sorted(tool.name for tool in builtin_tools())


@pytest.fixture(scope="module")
def confined() -> None:
    if why := missing():
        pytest.skip(why)


def watched(workspace: Path, row: Row) -> Seen:
    for name, text in TREE.items():
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text(text)
    return seen(
        workspace, [{"tool": tool, "arguments": given} for tool, given in (*row.before, (row.tool, row.arguments))]
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.tool}: {row.id}")
def test_a_call_touches_nothing_that_it_did_not_declare(confined: None, row: Row, tmp_path: Path) -> None:
    found = watched(tmp_path, row)
    assert found.state == row.ends, found.text
    assert found.undeclared() == []


ATTEMPTS = [
    ("a file read", "read", "a.txt", "cat a.txt"),
    ("a file read that is not there for long", "read", "b.log", "cat b.log; rm b.log"),
    ("a file written", "wrote", "made.txt", "echo x > made.txt"),
    ("a file renamed", "wrote", "src/c.py", "mv src/c.py c.py"),
    ("a folder made", "wrote", "new", "mkdir new"),
    ("a file removed", "wrote", "a.txt", "rm a.txt"),
    ("rights changed", "wrote", "a.txt", "chmod a+x a.txt"),
    ("a write in a child of a child", "wrote", "y", "bash -c 'bash -c \"echo x > y\"; true'; true"),
    ("a write that fails", "wrote", "no/where", "echo x > no/where || true"),
    ("a file reached by way of a folder", "read", "a.txt", "cd src && cat ../a.txt"),
]


@pytest.mark.parametrize(("how", "what", "command"), [row[1:] for row in ATTEMPTS], ids=[row[0] for row in ATTEMPTS])
def test_what_a_call_does_is_seen(confined: None, how: str, what: str, command: str, tmp_path: Path) -> None:
    found = watched(tmp_path, Row("", "shell", {"command": command}))
    assert Touch(how, str(tmp_path / what)) in found.touches


def test_a_connection_is_seen(confined: None, tmp_path: Path) -> None:
    found = watched(tmp_path, Row("", "shell", {"command": "cat < /dev/tcp/192.0.2.1/80 || true"}))
    assert Touch("connected to", "192.0.2.1") in found.touches


def test_what_is_not_declared_is_told(tmp_path: Path) -> None:
    declared = {
        "certainty": "exact",
        "reads": [{"path": str(tmp_path / "src"), "scope": "tree"}],
        "writes": [{"path": str(tmp_path / "a.txt"), "scope": "file"}],
        "connects": ["example.org"],
    }
    (tmp_path / "b.txt").touch()
    allowed = {
        ("read", "src/x"),
        ("read", "a.txt"),
        ("wrote", "a.txt"),
        ("wrote", ".a.txt.new"),
        ("read", ".gitignore"),
    }
    refused = {("read", "b.txt"), ("wrote", "src/x"), ("wrote", "b.txt"), ("read", "src2")}
    touches = frozenset(Touch(how, str(tmp_path / what)) for how, what in allowed | refused)
    found = Seen("Completed", "", declared, touches | {Touch("connected to", "192.0.2.1")}).undeclared()
    assert found == sorted([*(f"{how} {tmp_path / what}" for how, what in refused), "connected to 192.0.2.1"])
