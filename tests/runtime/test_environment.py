from __future__ import annotations

import os
import subprocess
from functools import partial
from pathlib import Path

import pytest

from handrail.policy.shell.script import Assigned
from handrail.policy.shell.settable import problem_of
from handrail.policy.shell.words import Word
from handrail.runtime.environment import PASSED, child_environment


@pytest.mark.parametrize(
    ("name", "value", "passes"),
    [
        ("PATH", "/bin", True),
        ("LC_ALL", "C.UTF-8", True),
        ("VIRTUAL_ENV", "/venv", True),
        ("http_proxy", "http://proxy:3128", True),
        ("HTTPS_PROXY", "http://user:word@proxy:3128", False),
        ("GOPROXY", "https://token@proxy.example", False),
        ("NODE_OPTIONS", "--require ./x.js", False),
        ("MY_TOKEN", "x", False),
        ("AWS_SECRET_ACCESS_KEY", "x", False),
        ("GITHUB_SHA", "1", False),
        ("FOO", "1", False),
        ("SSH_AUTH_SOCK", "/run/agent", False),
        ("BASH_ENV", "/evil", False),
        ("LD_PRELOAD", "/evil.so", False),
        ("RIPGREP_CONFIG_PATH", "/rc", False),
        ("HANDRAIL_STATE", "/state", False),
    ],
)
def test_only_listed_names_without_passwords_pass(name: str, value: str, passes: bool) -> None:
    assert (name in child_environment({name: value})) is passes


@pytest.mark.parametrize(
    ("value", "passes"), [("x", True), ("postgres://db/x", True), ("postgres://me:word@db/x", False)]
)
def test_a_name_that_was_listed_passes_in_any_case_but_no_password_in_a_url(value: str, passes: bool) -> None:
    assert ("My_Url" in child_environment({"My_Url": value}, {"MY_URL"})) is passes


def test_git_is_told_not_to_run_what_a_repository_names() -> None:
    environment = child_environment({"GIT_CONFIG_COUNT": "9", "GIT_CONFIG_KEY_0": "core.fsmonitor"})
    count = int(environment["GIT_CONFIG_COUNT"])
    told = {environment[f"GIT_CONFIG_KEY_{n}"]: environment[f"GIT_CONFIG_VALUE_{n}"] for n in range(count)}
    expected = {"core.fsmonitor": "false", "log.showSignature": "false", "safe.bareRepository": "explicit"}
    assert told == expected
    assert sum(name.startswith("GIT_CONFIG_") for name in environment) == 1 + 2 * count


def test_git_heeds_what_it_is_told(tmp_path: Path) -> None:
    git = partial(subprocess.run, cwd=tmp_path, capture_output=True, text=True, check=False)
    monitor = tmp_path / "monitor"
    monitor.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    monitor.chmod(0o755)
    for words in (["init", "-q"], ["config", "core.fsmonitor", str(monitor)], ["init", "-q", "--bare", "bare"]):
        git(["git", *words], env=child_environment(os.environ))
    git(["git", "status"], env=child_environment(os.environ))
    assert not (tmp_path / "ran").exists()
    refused = git(["git", "log"], env=child_environment(os.environ), cwd=tmp_path / "bare")
    assert "safe.bareRepository" in refused.stderr


def test_pagers_and_prompts_are_off_and_children_are_marked() -> None:
    environment = child_environment({"PAGER": "less", "TERM": "xterm-256color"})
    expected = {"PAGER": "cat", "GIT_PAGER": "cat", "TERM": "dumb", "GIT_TERMINAL_PROMPT": "0", "HANDRAIL": "1"}
    assert expected.items() <= environment.items()


def test_a_command_that_sets_what_children_are_given_is_asked_about() -> None:
    for name in (*PASSED, "http_proxy", *child_environment({})):
        assert problem_of(Assigned(f"{name}=/x", name, Word("/x"))), name
