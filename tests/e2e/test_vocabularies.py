"""The command line shows and takes the tools as a model's family knows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import neutral
from loaded import Loaded


@pytest.fixture
def run(tmp_path: Path, loaded: Loaded):
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_text("one\ntwo\n")

    def run(*arguments: str, stdin: str = ""):
        return loaded.handrail(*arguments, "-C", str(tmp_path / "work"), state=tmp_path / "state", stdin=stdin)

    return run


@pytest.mark.parametrize(
    ("model", "family", "some", "none"),
    [
        ("claude-opus-4", "claude", {"Read", "Bash", "TodoWrite", "Agent"}, {"agent", "read_file", "shell"}),
        ("gemini-2.5-pro", "gemini", {"read_file", "replace", "run_shell_command"}, {"edit_file", "update_topic"}),
        ("gemini-3-pro", "gemini-3", {"update_topic", "grep_search"}, {"grep"}),
        ("gpt-5.1-codex", "openai", {"shell", "apply_patch", "update_plan"}, {"edit_file"}),
        ("qwen3-max", "handrail", {"read_file", "edit_file", "shell"}, {"Read"}),
    ],
)
def test_tools_shows_the_vocabulary_of_the_models_family(
    run, model: str, family: str, some: set[str], none: set[str]
) -> None:
    report = json.loads(run("tools", "--model", model, "--json").out)
    names = {tool["name"] for tool in report["tools"]}
    assert report["family"] == family
    assert some <= names
    assert not none & names


def test_exec_takes_a_call_in_the_models_words_and_says_which_tool_it_came_to(run) -> None:
    call = run(
        "exec",
        "-",
        "--json",
        "--model",
        "gemini-3-pro",
        stdin=neutral(("read_file", {"file_path": "a.txt", "start_line": 2})),
    ).call
    assert (call["name"], call["tool"], call["state"]) == ("read_file", "read_file", "completed")
    assert "two" in call["result"]
    assert "one" not in call["result"]


def test_exec_tells_what_is_wrong_in_the_models_words(run) -> None:
    call = run(
        "exec", "-", "--json", "--model", "claude-x", stdin=neutral(("Bash", {"command": "ls", "timeout": 0.5}))
    ).call
    assert call["error"]["kind"] == "invalid_arguments"
    assert "Bash" in call["error"]["message"]


def test_policy_check_judges_a_call_in_any_familys_words(run) -> None:
    asked = {"tool": "Bash", "arguments": {"command": "ls", "timeout": 60_000}}
    done = run("policy", "check", "-", stdin=json.dumps(asked))
    assert done.code == 0
    assert done.out.startswith("allow")
