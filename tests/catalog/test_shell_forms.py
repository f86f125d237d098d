from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from handrail.catalog.shell_forms import in_own_words
from handrail.contract.calls import CallForm
from handrail.policy.shell.reading import read_shell


@pytest.mark.parametrize(
    ("form", "action", "own"),
    [
        (CallForm.SHELL, {"commands": ["ls", "pwd"]}, {"command": "ls\npwd"}),
        (CallForm.SHELL, {"commands": ["exit 3", "ls"]}, {"command": "(eval 'exit 3')\n(eval ls)"}),
        (CallForm.SHELL, {"commands": ["make && ls"]}, {"command": "make && ls"}),
        (CallForm.SHELL, {"commands": ["ls"], "timeout_ms": 1500}, {"command": "ls", "timeout": 2}),
        (CallForm.SHELL, {"commands": ["ls"], "timeout_ms": None, "max_output_length": 9}, {"command": "ls"}),
        (CallForm.SHELL, {"commands": []}, {"commands": []}),
        (CallForm.SHELL, {"commands": [1]}, {"commands": [1]}),
        (CallForm.LOCAL_SHELL, {"command": ["ls", "-a", "my dir"]}, {"command": "ls -a 'my dir'"}),
        (
            CallForm.LOCAL_SHELL,
            {"command": ["make"], "env": {"A": "b c"}, "working_directory": "sub dir"},
            {"command": "cd 'sub dir' && A='b c' make"},
        ),
        (
            CallForm.LOCAL_SHELL,
            {"command": ["make"], "env": {"A; rm -rf x": "b"}},
            {"command": ["make"], "env": {"A; rm -rf x": "b"}},
        ),
        (CallForm.FUNCTION, {"commands": ["ls"]}, {"commands": ["ls"]}),
    ],
)
def test_a_providers_shell_call_is_put_in_our_words(form: CallForm, action: Any, own: Any) -> None:
    assert in_own_words(form, action) == own


@pytest.mark.parametrize(
    "first",
    [
        "exit 3",
        "exec true",
        "set -e; false",
        "cd /",
        "echo 'left open",
        'echo "left open',
        "echo $(",
        "cat <<EOF\nnever ended",
        "cat <<'EOF'\nended\nEOF",
        "echo goes on \\",
        "for i in 1 2",
        ") ; echo",
        "# a comment",
        "-x",
        "",
        "trap 'echo second' EXIT",
        "sleep 1000 & kill $!",
        "alias pwd=false",
    ],
)
@pytest.mark.parametrize("shell", ["bash", "sh"])
def test_no_command_of_a_call_keeps_the_next_from_running(first: str, shell: str, tmp_path: Path) -> None:
    ran = in_a_shell(shell, [first, "pwd -P && echo it\\'s"], tmp_path)
    assert ran.stdout.endswith(f"{tmp_path.resolve()}\nit's\n")
    assert ran.returncode == 0


def test_the_exit_code_is_that_of_the_last_command(tmp_path: Path) -> None:
    assert in_a_shell("bash", ["true", "exit 4"], tmp_path).returncode == 4


@pytest.mark.parametrize(
    "commands", [["ls", "rm -rf '/'"], ["true 'it'\\''s'; rm -rf /", "ls"], ["echo 'open", "rm -rf /"]]
)
def test_a_policy_sees_every_command_of_a_call(commands: list[str]) -> None:
    script = in_own_words(CallForm.SHELL, {"commands": commands})["command"]
    assert [target.path for target in read_shell(str(script), "/w", "/home").removals] == ["/"]


def test_commands_that_only_read_are_still_known_to() -> None:
    script = in_own_words(CallForm.SHELL, {"commands": ["ls -la", "pwd", "cat a.txt"]})["command"]
    assert read_shell(str(script), "/w", "/home").unread == ""


def in_a_shell(shell: str, commands: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    script = in_own_words(CallForm.SHELL, {"commands": list(commands)})["command"]
    return subprocess.run([shell, "-c", "--", str(script)], capture_output=True, text=True, cwd=folder, timeout=60)
