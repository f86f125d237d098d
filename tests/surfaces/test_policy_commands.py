from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from handrail.errors import UsageError
from handrail.surfaces.cli.app import handrail
from handrail.surfaces.cli.policy_lines import read_line

RULES = """
[[rule]]
tool = "shell"
command = "git push *"
decision = "deny"
reason = "Pushing is for people."

[[rule]]
tool = "mcp_files_*"
server = "files"
annotations = { readOnlyHint = true }
decision = "allow"
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "a.py").write_text("x\n")
    (tmp_path / "rules.toml").write_text(RULES)
    return tmp_path


def run(workspace: Path, *arguments: str, given: str = "") -> Result:
    return CliRunner().invoke(
        handrail, ["policy", *arguments[:1], "-C", str(workspace), *arguments[1:]], input=given, catch_exceptions=False
    )


def checked(workspace: Path, *lines: object, options: tuple[str, ...] = ()) -> list[dict[str, object]]:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    rules = ("--policy", str(workspace / "rules.toml"))
    result = run(workspace, "check", "--json", *rules, *options, given=text)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


CALLS = [
    ("what only reads", {"tool": "shell", "arguments": {"command": "ls"}}, "allow", "mode:default"),
    ("what writes", {"tool": "shell", "arguments": {"command": "touch b"}}, "ask", "mode:default"),
    (
        "in a mode of its own",
        {"tool": "shell", "arguments": {"command": "touch b"}, "mode": "plan"},
        "deny",
        "mode:plan",
    ),
    ("by a rule", {"tool": "shell", "arguments": {"command": "ls && git push"}}, "deny", "rule:{rules}:2"),
    ("by a family's name", {"tool": "Read", "arguments": {"file_path": "a.py"}}, "allow", "mode:default"),
    ("what ruins", {"tool": "shell", "arguments": {"command": "rm -rf /"}, "mode": "bypass"}, "deny", "check:removal"),
    ("a server's tool", {"tool": "mcp_files_read", "server": "files", "arguments": {}}, "ask", "mode:default"),
    (
        "a server's tool by its annotations",
        {"tool": "mcp_files_read", "server": "files", "arguments": {}, "annotations": {"readOnlyHint": True}},
        "allow",
        "rule:{rules}:8",
    ),
    ("no such tool", {"tool": "nothing", "arguments": {}}, "deny", "check:call"),
    ("arguments that don't fit", {"tool": "read_file", "arguments": {"paths": 3}}, "deny", "check:call"),
    ("an unknown key", {"tool": "shell", "arguments": {"command": "ls"}, "modes": "plan"}, "deny", "check:call"),
    ("an unknown mode", {"tool": "shell", "arguments": {"command": "ls"}, "mode": "free"}, "deny", "check:call"),
    ("arguments that are no object", {"tool": "shell", "arguments": "ls"}, "deny", "check:call"),
    ("hints that are no truths", {"tool": "shell", "arguments": {}, "annotations": {"a": 1}}, "deny", "check:call"),
]


@pytest.mark.parametrize(("given", "decision", "source"), [case[1:] for case in CALLS], ids=[case[0] for case in CALLS])
def test_a_call_is_decided_about(workspace, given, decision, source):
    (answer,) = checked(workspace, {"id": "c-1", **given})
    assert answer["id"] == "c-1"
    assert (answer["decision"], answer["source"]) == (decision, source.format(rules=workspace / "rules.toml"))
    assert answer["reason"]


def test_every_line_has_its_answer_in_its_place(workspace):
    calls = [{"id": n, "tool": "shell", "arguments": {"command": f"echo {n}"}} for n in range(20)]
    answers = checked(workspace, *calls[:10], "no JSON", "[1]", "", *calls[10:])
    assert [answer["id"] for answer in answers] == [*range(10), None, None, *range(10, 20)]
    assert [answer["decision"] for answer in answers] == ["allow"] * 10 + ["deny"] * 2 + ["allow"] * 10


def test_a_rule_is_told_with_its_place_and_text(workspace):
    (answer,) = checked(workspace, {"id": 1, "tool": "shell", "arguments": {"command": "git push origin"}})
    assert answer["rule"] == {
        "source": str(workspace / "rules.toml"),
        "line": 2,
        "text": 'tool = "shell", command = "git push *", decision = "deny", reason = "Pushing is for people."',
    }
    assert "Pushing is for people." in answer["reason"]


def test_commands_and_effects_are_told(workspace):
    (answer,) = checked(workspace, {"id": 1, "tool": "shell", "arguments": {"command": "cat a.py | sort"}})
    assert answer["commands"] == ["cat a.py", "sort"]
    assert str(workspace / "a.py") in answer["effects"]["reads"]
    assert answer["effects"]["read_only"] is True
    (written,) = checked(workspace, {"id": 1, "tool": "write_file", "arguments": {"file_path": "b", "content": ""}})
    assert written["effects"]["writes"] == [str(workspace / "b")]


def test_with_nobody_to_ask_an_ask_is_a_denial(workspace):
    call = {"id": 1, "tool": "write_file", "arguments": {"file_path": "b", "content": ""}}
    (answer,) = checked(workspace, call, options=("--headless",))
    assert answer["decision"] == "deny"
    assert "Nobody could be asked" in answer["reason"]


def test_nothing_is_run(workspace):
    checked(workspace, {"id": 1, "tool": "shell", "arguments": {"command": "touch made"}, "mode": "bypass"})
    assert not (workspace / "made").exists()


def test_dialects_that_are_not_read_are_named(workspace):
    result = run(workspace, "check", "--gemini-policy", "g.toml", "--claude-settings", "c.json", given="")
    assert result.exit_code == 0
    assert "g.toml: policies in Gemini CLI's dialect are not read yet" in result.stderr
    assert "c.json: permissions in Claude Code's settings are not read yet" in result.stderr


def test_without_json_each_call_is_a_line(workspace):
    given = json.dumps({"id": "x", "tool": "shell", "arguments": {"command": "ls"}})
    result = run(workspace, "check", given=given)
    assert result.stdout.startswith("allow  x  shell  It runs a read-only command")


@pytest.mark.parametrize("file", ["absent.jsonl", "."])
def test_input_that_cannot_be_read_is_an_error(workspace, file):
    with pytest.raises(Exception, match="can't be read"):
        run(workspace, "check", str(workspace / file))


def test_the_parts_of_a_command_are_explained(workspace):
    rules = ("--policy", str(workspace / "rules.toml"))
    result = run(workspace, "explain", *rules, "shell", "cd . && cat a.py | sort; echo $(git push)")
    lines = result.stdout.splitlines()
    assert [line for line in lines if line.startswith(("allow", "  allow"))] == [
        "allow  cd .",
        "  allow  cat a.py",
        "  allow  sort",
        "allow  echo $(git push)",
    ]
    assert "pipe" in lines
    assert "substitution" in lines
    assert "  deny   git push" in lines
    assert "deny   shell in default mode" in lines
    assert any(line.startswith(f"  rule:{workspace / 'rules.toml'}:2   tool = ") for line in lines)


def test_a_rule_that_misses_for_want_of_a_star_is_told_of(workspace):
    (workspace / "narrow.toml").write_text('[[rule]]\ndecision = "deny"\ncommand = "find"\n')
    result = run(workspace, "explain", "--policy", str(workspace / "narrow.toml"), "shell", "find . -name x")
    note = f'{workspace / "narrow.toml"}:1: command = "find" holds for `find` alone'
    assert f"  note     {note}; to hold for it with any further words, write `find *`" in result.stdout.splitlines()
    assert note in result.stderr


ARGUMENTS = [
    ("by name", ("file_path=a.py",)),
    ("as JSON", ('{"file_path": "a.py"}',)),
    ("the only one that must be given", ("a.py",)),
]


@pytest.mark.parametrize("arguments", [case[1] for case in ARGUMENTS], ids=[case[0] for case in ARGUMENTS])
def test_arguments_are_given_in_three_ways(workspace, arguments):
    result = run(workspace, "explain", "read_file", *arguments)
    assert result.stdout.startswith("allow  read_file in default mode")


def test_a_command_in_braces_is_no_json(workspace):
    assert "allow  shell in default mode" in run(workspace, "explain", "shell", "{ ls; }").stdout.splitlines()


def test_what_could_be_granted_is_shown(workspace):
    result = run(workspace, "explain", "shell", "git commit -m x")
    assert "    `git commit *` in this session" in result.stdout.splitlines()


NO_CALLS = [
    (("read_fil", "a.py"), "There is no tool named 'read_fil'"),
    (("read_file", '{"paths": 3}'), "paths"),
]


@pytest.mark.parametrize(("words", "why"), NO_CALLS, ids=["no such tool", "no such arguments"])
def test_what_is_no_call_is_an_error_and_no_decision(workspace, words, why):
    with pytest.raises(UsageError, match=why):
        run(workspace, "explain", *words)


@pytest.mark.parametrize("text", ["no JSON", "no JSON\n\n[1]\n", '[\n  "two"\n]\n'])
def test_input_without_any_object_is_an_error_after_its_denials(workspace, text):
    (workspace / "calls").write_text(text)
    with pytest.raises(UsageError, match="calls holds no calls: each is one JSON object, on a line of its own"):
        run(workspace, "check", str(workspace / "calls"))


@given(st.text() | st.dictionaries(st.text(), st.none() | st.text() | st.booleans()).map(json.dumps))
def test_no_line_raises(text):
    line = read_line(text)
    assert line.call is not None or line.problem


def test_the_examples_in_the_help_can_be_run(workspace):
    shown = run(workspace, "explain", "--help").stdout
    examples = [shlex.split(line)[3:] for line in shown.splitlines() if line.startswith("  handrail policy explain ")]
    assert len(examples) == 3
    for words in examples:
        result = run(workspace, "explain", *words)
        assert result.exit_code == 0, words
        assert "not valid" not in result.stdout
