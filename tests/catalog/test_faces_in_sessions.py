"""Every tool of the other products, called by its name with its own parameters, through a whole session."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from web_server import answer, web_server

from call_harness import Person, settled
from handrail.agent.agent import open_agent
from handrail.agent.scripted import Say, ScriptedModel
from handrail.catalog.faces import families
from handrail.contract.calls import Completed, Failed, Rejected
from handrail.contract.confirmation import EditArguments, Once, Reply
from handrail.policy import rules_from
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.load import Settings, load_settings
from handrail.testing import FakeTool, MemoryJournal
from handrail.tools import builtin_tools
from handrail.tools.shells import running
from handrail.wire import Wire

NOTEBOOK = {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
URL = "{url}"
"""Stands for the address of a page that the test's server has."""

CLAUDE: dict[str, tuple[dict[str, Any], str]] = {
    "Read": ({"file_path": "a.txt", "offset": 2, "limit": 1}, "two"),
    "Write": ({"file_path": "new.txt", "content": "x\n"}, "new.txt"),
    "Edit": ({"file_path": "a.txt", "old_string": "two", "new_string": "2", "replace_all": False}, "a.txt"),
    "NotebookEdit": (
        {"notebook_path": "n.ipynb", "new_source": "1", "cell_type": "code", "edit_mode": "insert"},
        "n.ipynb",
    ),
    "Glob": ({"pattern": "*.txt", "path": "."}, "a.txt"),
    "Grep": ({"pattern": "TWO", "-i": True, "-n": True, "output_mode": "content", "head_limit": 5}, "2:two"),
    "Bash": ({"command": "echo tide", "timeout": 60_000, "description": "Say it"}, "tide"),
    "WebFetch": ({"url": URL, "prompt": "What is there?"}, "high water"),
    "WebSearch": ({"query": "tides", "allowed_domains": ["a.org"]}, "https://a.org/x"),
    "PowerShell": ({"command": "Write-Output tide", "timeout": 60_000}, "tide"),
    "TodoWrite": (
        {"todos": [{"content": "Run the tests", "status": "in_progress", "activeForm": "Running the tests"}]},
        "Run the tests",
    ),
    "AskUserQuestion": (
        {
            "questions": [
                {
                    "question": "Which one?",
                    "header": "Colour",
                    "options": [{"label": "Blue", "description": "Deep"}, {"label": "Red", "description": "Bright"}],
                    "multiSelect": False,
                }
            ]
        },
        "Blue",
    ),
    "EnterPlanMode": ({}, "plan mode"),
    "ExitPlanMode": ({"plan": "Paint it"}, "approved the plan"),
    "Skill": ({"skill": "tides", "args": "Sunday"}, "Read the table for Sunday."),
    "ToolSearch": ({"query": "sail", "max_results": 3}, "hoist_sail"),
    "TaskCreate": (
        {"subject": "Cut the port", "description": "Starboard.", "activeForm": "Cutting it"},
        "1. [pending]",
    ),
    "TaskGet": ({"taskId": "1"}, "Starboard."),
    "TaskList": ({}, "1. [pending] Cut the port"),
    "TaskUpdate": ({"taskId": "1", "status": "deleted", "owner": "ada", "addBlocks": []}, "1. [cancelled]"),
    "TaskOutput": ({"task_id": "job-1", "block": True, "timeout": 60_000}, "moored"),
    "TaskStop": ({"task_id": "job-1"}, "job-1 (echo moored; sleep 1)"),
    "Agent": ({"description": "Paint it", "prompt": "Paint it blue.", "subagent_type": "general"}, "Painted."),
    "SendMessage": ({"to": "general-1", "message": "Paint it again.", "summary": "Again"}, "Painted again."),
}
GEMINI: dict[str, tuple[dict[str, Any], str]] = {
    "read_file": ({"file_path": "a.txt", "start_line": 2, "end_line": 2}, "two"),
    "write_file": ({"file_path": "new.txt", "content": "x\n"}, "new.txt"),
    "replace": ({"file_path": "a.txt", "instruction": "Count", "old_string": "two", "new_string": "2"}, "a.txt"),
    "read_many_files": ({"include": ["*.txt"], "useDefaultExcludes": True, "recursive": True}, "two"),
    "list_directory": ({"dir_path": ".", "file_filtering_options": {"respect_git_ignore": True}}, "a.txt"),
    "glob": ({"pattern": "*.txt", "respect_git_ignore": True, "case_sensitive": True}, "a.txt"),
    "grep_search": ({"pattern": "TWO", "include_pattern": "*.txt"}, "2:two"),
    "run_shell_command": ({"command": "pwd", "dir_path": "sub", "description": "Where"}, "/sub"),
    "web_fetch": ({"prompt": f"Tell me what {URL} says"}, "high water"),
    "google_web_search": ({"query": "tides"}, "https://a.org/x"),
    "write_todos": ({"todos": [{"description": "Run the tests", "status": "pending"}]}, "Run the tests"),
    "ask_user": (
        {
            "questions": [
                {
                    "question": "Which one?",
                    "header": "Colour",
                    "type": "choice",
                    "options": [{"label": "Blue", "description": "Deep"}, {"label": "Red", "description": "Bright"}],
                }
            ]
        },
        "Blue",
    ),
    "enter_plan_mode": ({"reason": "It is large"}, "plan mode"),
    "exit_plan_mode": ({"plan_filename": "plan.md"}, "approved the plan"),
    "update_topic": ({"title": "Paint", "summary": "Nothing yet", "strategic_intent": "Buy paint"}, ""),
    "activate_skill": ({"name": "tides"}, "Read the table"),
    "save_memory": ({"fact": "Tests run with make"}, "Tests run with make"),
}
OPENAI: dict[str, tuple[dict[str, Any], str]] = {
    "shell": ({"command": ["bash", "-lc", "pwd"], "workdir": "sub", "timeout_ms": 60_000}, "/sub"),
    "apply_patch": ({"input": "*** Begin Patch\n*** Add File: p.txt\n+x\n*** End Patch"}, "p.txt"),
    "update_plan": (
        {"explanation": "First", "plan": [{"step": "Run the tests", "status": "pending"}]},
        "Run the tests",
    ),
    "read_file": ({"file_path": "a.txt", "offset": 2}, "two"),
    "write_file": ({"file_path": "p.txt", "content": "x\n"}, "p.txt"),
    "web_search": ({"query": "tides"}, "https://a.org/x"),
}
CALLS = {"claude": CLAUDE, "gemini": GEMINI, "openai": OPENAI}
TASK = ("TaskCreate", {"subject": "Cut the port", "description": "Starboard."})
JOB = ("Bash", {"command": "echo moored; sleep 1", "run_in_background": True})
PAINTING = ("Agent", {"description": "Paint it", "prompt": "Paint it blue."})
BEFORE = {
    "SendMessage": PAINTING,
    "TaskGet": TASK,
    "TaskList": TASK,
    "TaskUpdate": TASK,
    "TaskOutput": JOB,
    "TaskStop": JOB,
}
"""A call that comes before."""
PLANNED = {"ExitPlanMode": "EnterPlanMode", "exit_plan_mode": "enter_plan_mode"}
"""What comes before, with a plan written after it."""


class Sail(FakeTool):
    description = "Hoists a sail."
    defers_loading = True


REPLIES = dict.fromkeys(PLANNED, "accept-edits")
BY_NAME = [(family, name) for family, calls in CALLS.items() for name in calls]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    (folder / "n.ipynb").write_text(json.dumps(NOTEBOOK))
    return folder


@pytest.fixture(autouse=True)
def jobs_are_left_alone_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SETTLING", 0.02)


@pytest.fixture
def with_a_skill(tmp_path: Path, workspace: Path) -> Settings:
    """The person's own folder holds a skill."""
    skill = tmp_path / "config" / "skills" / "tides" / "SKILL.md"
    skill.parent.mkdir(parents=True, mode=0o700)
    skill.write_text("---\nname: tides\ndescription: Reads tide tables.\n---\nRead the table for $ARGUMENTS.\n")
    names = {"config": "HANDRAIL_CONFIG", "state": "HANDRAIL_STATE", "home": "HOME"}
    return load_settings(workspace, {variable: str(tmp_path / name) for name, variable in names.items()})


@pytest.fixture
def pwsh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A PowerShell that knows one sentence."""
    program = tmp_path / "bin" / "pwsh"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho tide\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
async def url(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    found = json.dumps({"results": [{"title": "T", "url": "https://a.org/x", "content": "c"}]}).encode()
    pages = {"/tide": answer(b"high water"), "/search": answer(found, "application/json")}
    async with web_server(pages) as server:
        for name in ("TAVILY_API_KEY", "BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("SEARXNG_URL", server.url("/"))
        tool = server.tool()
        replaced = [tool if each.name == tool.name else each for each in builtin_tools()]
        monkeypatch.setattr("handrail.session.builtin_tools", lambda: replaced)
        yield server.url("/tide")


def parts(**more: Any) -> Parts:
    return Parts(journal=MemoryJournal(), **more)


def test_every_face_has_its_call_here() -> None:
    there = {tool.name for tool in builtin_tools()}
    for family in families():
        if not family.base:
            assert list(CALLS[family.name]) == [name for name, tool in family.names.items() if tool in there]


@pytest.mark.parametrize("own_model", [True, False], ids=["its own model", "no model named"])
@pytest.mark.parametrize(("family", "name"), BY_NAME)
async def test_a_tool_works_under_its_face(
    family: str, name: str, own_model: bool, workspace: Path, url: str, pwsh: None, with_a_skill: Settings
) -> None:
    arguments, told = CALLS[family][name]
    sent = json.loads(json.dumps(arguments).replace(URL, url))
    model = next(each.models[0] for each in families() if each.name == family) if own_model else ""
    asker = Person(Once() if name == "save_memory" else Reply(REPLIES.get(name, "Blue")))
    painter = ScriptedModel([Say("Painted."), Say("Painted again.")])
    async with (
        Session.open(workspace, mode="bypass", model=model, settings=with_a_skill, parts=parts(asker=asker)) as session,
        open_agent(session, painter),
    ):
        session.add(Sail("hoist_sail"))
        if name in BEFORE:
            await settled(session, *BEFORE[name], "c0")
        if name in PLANNED:
            entered = await settled(session, PLANNED[name], {}, "c0")
            plan = workspace / str(entered.result.data["plan_file"])
            plan.parent.mkdir(parents=True, exist_ok=True)
            plan.write_text("Paint it.")
        state = await settled(session, name, sent)
    assert isinstance(state, Completed), state.result.text
    assert told in state.result.text


async def test_what_a_person_changed_is_in_the_tools_own_words(workspace: Path) -> None:
    person = Person(EditArguments({"command": "touch made; echo tide", "timeout": 60}), Once())
    async with Session.open(workspace, mode="default", parts=parts(asker=person)) as session:
        state = await settled(session, "Bash", {"command": "touch other", "timeout": 60_000})
    assert [asked.invocation.arguments["timeout"] for asked in person.asked] == [60, 60]
    assert isinstance(state, Completed)
    assert "tide" in state.result.text


@pytest.mark.parametrize("name", ["Edit", "replace", "edit_file"])
@pytest.mark.parametrize("called", ["Edit", "replace", "edit_file"])
async def test_a_rule_holds_whichever_names_it_and_the_call_use(name: str, called: str, workspace: Path) -> None:
    rules = rules_from([{"tool": name, "decision": "deny"}])
    async with Session.open(workspace, mode="bypass", rules=rules, parts=parts()) as session:
        state = await settled(session, called, {"file_path": "a.txt", "old_string": "two", "new_string": "2"})
        shown = [each.tool.name for each in session.menu("claude-x").tools]
    assert isinstance(state, Rejected)
    assert "edit_file" not in shown


async def test_errors_name_the_parameters_as_the_model_knows_them(workspace: Path) -> None:
    async with Session.open(workspace, mode="bypass", model="gemini-3", parts=parts()) as session:
        state = await settled(session, "replace", {"file_path": "a.txt", "old": "two", "allow_multiple": "yes"})
        empty = await settled(
            session,
            "replace",
            {"file_path": "a.txt", "old_string": "", "new_string": "x", "allow_multiple": True},
            "c2",
        )
    assert isinstance(state, Failed)
    assert state.result.text.splitlines()[0] == "The arguments for replace are not valid:"
    assert "- allow_multiple: got a string, expected a boolean" in state.result.text
    assert "replace_all" not in state.result.text
    assert "allow_multiple" in empty.result.text
    assert "replace_all" not in empty.result.text


async def test_a_patch_in_plain_text_is_a_call_of_apply_patch(workspace: Path) -> None:
    patch = "*** Begin Patch\n*** Add File: p.txt\n+x\n*** End Patch"
    item = {"type": "custom_tool_call", "call_id": "c1", "name": "apply_patch", "input": patch}
    async with Session.open(workspace, mode="bypass", parts=parts()) as session:
        turn = await session.run({"object": "response", "output": [item]}, Wire.OPENAI_RESPONSES)
    assert (workspace / "p.txt").read_text() == "x\n"
    assert turn.messages[-1]["type"] == "custom_tool_call_output"
