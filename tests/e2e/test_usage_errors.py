"""What a command line that can't be used comes to: exit code 2, and one line that names the help to read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command import Ran, environment
from loaded import Loaded

# What was typed, what is wrong with it, the help that is named.
WRONG = [
    (["nonsense"], "No such command 'nonsense'.", "handrail"),
    (["session", "list"], "No such command 'session'. Did you mean 'sessions'?", "handrail"),
    (["find it"], "No such command 'find it'. A task in words is for 'handrail run'.", "handrail"),
    (["sessions", "lst"], "No such command 'lst'. Did you mean 'list'?", "handrail sessions"),
    (["-p", "find it"], "No such option '-p'. Here that is: handrail run 'what to do'.", "handrail"),
    (["--print", "find it"], "No such option '--print'. Here that is: handrail run 'what to do'.", "handrail"),
    (["mcp", "rm", "x"], "No such command 'rm'. Here that is: handrail mcp remove.", "handrail mcp"),
    (
        ["mcp", "add", "--transport", "http", "x", "http://127.0.0.1"],
        "No such option '--transport'. Here that is: --url ADDRESS, with --sse where",
        "handrail mcp add",
    ),
    (["exec", "--mode", "none"], "Invalid value for '--mode'", "handrail exec"),
    *(
        ([group], "Missing command.", f"handrail {group}")
        for group in ("approvals", "audit", "config", "grants", "policy", "sessions", "trust")
    ),
    (["approvals", "nonsense"], "No such command 'nonsense'.", "handrail approvals"),
    (["approvals", "approve"], "Missing argument 'ID'.", "handrail approvals approve"),
]


@pytest.mark.parametrize(
    ("words", "wrong", "command"), WRONG, ids=[" ".join(words) or "nothing" for words, *_ in WRONG]
)
def test_a_wrong_command_line_names_the_help_of_its_command(tmp_path, words, wrong, command, loaded: Loaded):
    done = loaded.handrail(*words, state=tmp_path / "state", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert line.startswith(f"handrail: {wrong}")
    assert line.endswith(f"Try '{command} --help'.")


@pytest.mark.parametrize("words", [[], ["--plain"], ["--resume", "s"], ["--continue"]], ids=" ".join)
def test_without_a_terminal_a_start_of_it_says_what_to_do_instead(tmp_path, words, loaded: Loaded):
    done = loaded.handrail(*words, state=tmp_path / "state", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert line.startswith("handrail: there is no terminal to ask and answer at; ")
    assert "handrail run " in line


def test_a_task_in_place_of_a_file_is_told_where_it_belongs(tmp_path, loaded: Loaded):
    done = loaded.handrail("exec", "find it", state=tmp_path / "state", cwd=tmp_path)
    assert done.code == 2
    assert done.err == (
        "handrail: find it can't be read: No such file or directory; a task in words is for 'handrail run'\n"
    )


def test_an_option_of_the_terminal_before_a_command_is_not_silently_dropped(tmp_path, loaded: Loaded):
    done = loaded.handrail("--mode", "bypass", "tools", state=tmp_path / "state", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "handrail: options of 'tools' stand behind its name, not before it\n"


@pytest.mark.parametrize("words", [["run", "a task"], ["doctor"], ["sessions", "list"], ["tools"]], ids=" ".join)
def test_where_the_current_folder_was_deleted_that_is_what_is_said(tmp_path, words):
    done = shell('mkdir gone; cd gone; rmdir ../gone; "$0" -m handrail "$@"', *words, folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("handrail: the folder that you are in can't be used: No such file or directory; go to")


def test_what_a_message_repeats_of_a_command_line_is_not_obeyed_by_a_terminal(tmp_path, loaded: Loaded):
    done = loaded.handrail("tools", "-C", "\x1b[2Jwork", state=tmp_path / "state", cwd=tmp_path)
    assert (done.code, done.err) == (2, "handrail: \\x1b[2Jwork is not a folder; name one that exists\n")


@pytest.mark.parametrize(("redirected", "code"), [(">/dev/full", 1), ("2>/dev/full", 0), (">/dev/full 2>/dev/full", 1)])
def test_results_that_nobody_takes_are_a_fault_and_remarks_that_nobody_takes_are_not(tmp_path, redirected, code):
    done = shell(f'"$0" -m handrail "$@" {redirected}', "tools", "--mode", "sandboxed", folder=tmp_path)
    assert done.code == code


def shell(script: str, *words: str, folder: Path) -> Ran:
    done = subprocess.run(
        ["sh", "-c", script, sys.executable, *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(folder / "state"),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        timeout=60,
        check=False,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    "command",
    [
        ("approvals", "edit", "a1"),
        ("approvals", "answer", "a1"),
        ("exec",),
        ("run", "--model", "ollama:x"),
        ("policy", "check"),
    ],
    ids=" ".join,
)
def test_input_that_is_not_utf_8_is_said_to_be_no_text_wherever_it_is_read(tmp_path: Path, command) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "handrail", *command, "-"],
        input=b"caf\xe9",
        capture_output=True,
        cwd=tmp_path,
        env={**environment(tmp_path / "state"), "PYTHONIOENCODING": "utf-8:strict"},
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert b"is not UTF-8" in done.stderr
