"""What commands say at a terminal of 80 columns, and that programs get every line whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from e2e.command import environment, handrail, neutral
from e2e.terminal import Terminal

LONG = "a" * 50
COMMANDS = (
    ("doctor",),
    ("policy", "explain", "shell", f"pytest {LONG}.py && git push"),
    ("exec", "response.json", "--approve", "none"),
    ("demo",),
)


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / f"{LONG}.txt").write_text("high water\n")
    (folder / "response.json").write_text(neutral(("read_file", {"file_path": f"{LONG}.txt"})))
    return folder


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: arguments[0])
def test_sentences_are_broken_where_words_end(arguments: tuple[str, ...], work: Path) -> None:
    with Terminal(*arguments, env=environment(work.parent / "state") | {"NO_COLOR": "1"}, cwd=work) as terminal:
        if arguments == ("demo",):
            terminal.until("[c]ancel the call: ")
            terminal.type("y\n")
        _, screen = terminal.end()
    told = [line for line in screen.splitlines() if "(mode:" in line or "→ " in line or "which default" in line]
    assert told
    assert all(len(line) <= 80 for line in told), told


def test_what_is_looked_up_is_broken_where_words_end(work: Path) -> None:
    state = work.parent / "state"
    handrail("exec", "response.json", state=state, cwd=work)
    (session,) = json.loads(handrail("sessions", "list", "--json", state=state, cwd=work).out)["sessions"]
    for arguments in (("sessions", "show", session["id"]), ("audit", "verify"), ("sessions", "list"), ("tools",)):
        with Terminal(*arguments, env=environment(state), cwd=work) as terminal:
            code, screen = terminal.end()
        assert code == 0, screen
        assert all(len(line) <= 80 for line in screen.splitlines()), screen


def test_what_goes_to_a_program_is_not_broken(work: Path) -> None:
    done = handrail("exec", "response.json", state=work.parent / "state", cwd=work)
    why = f"It reads in the workspace ({LONG}.txt), which default mode allows."
    assert f"  allow (mode:default): {why}" in done.out.splitlines()


def test_a_secret_is_taken_out_before_a_line_is_broken(work: Path) -> None:
    secret = f"ghp_{'a1B2' * 9}"
    (work / "response.json").write_text(neutral(("shell", {"command": f"./pull {'x' * 20} {secret}"})))
    arguments = ("exec", "response.json", "--approve", "none")
    with Terminal(*arguments, env=environment(work.parent / "state"), cwd=work) as terminal:
        _, screen = terminal.end()
    assert "a1B2a1B2" not in screen
    assert "deny (" in screen
