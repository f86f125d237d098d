"""What a command line that can't be used comes to: exit code 2, and one line that names the help to read."""

from __future__ import annotations

import pytest

from e2e.command import handrail

# What was typed, what is wrong with it, the help that is named.
WRONG = [
    (["nonsense"], "No such command 'nonsense'.", "handrail"),
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
def test_a_wrong_command_line_names_the_help_of_its_command(tmp_path, words, wrong, command):
    done = handrail(*words, state=tmp_path / "state", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert line.startswith(f"handrail: {wrong}")
    assert line.endswith(f"Try '{command} --help'.")


@pytest.mark.parametrize("words", [[], ["--plain"], ["--resume", "s"], ["--continue"]], ids=" ".join)
def test_without_a_terminal_a_start_of_it_says_what_to_do_instead(tmp_path, words):
    done = handrail(*words, state=tmp_path / "state", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert line.startswith("handrail: there is no terminal to ask and answer at; ")
    assert "handrail run " in line


def test_an_option_of_the_terminal_before_a_command_is_not_silently_dropped(tmp_path):
    done = handrail("--mode", "bypass", "tools", state=tmp_path / "state", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "handrail: options of 'tools' stand behind its name, not before it\n"
