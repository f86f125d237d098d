from __future__ import annotations

import pytest

from handrail.settings.command_line import BadCommandLine, command_line


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("discover", ("discover",)),
        ("python -m tools --list", ("python", "-m", "tools", "--list")),
        ("'/opt/my tools/run' \"a b\" c\\ d", ("/opt/my tools/run", "a b", "c d")),
        ("run --pattern '*.md|*.txt' '#all'", ("run", "--pattern", "*.md|*.txt", "#all")),
        ("run '|' \"&&\" \\;", ("run", "|", "&&", ";")),
        ("run a=$HOME ~/x", ("run", "a=$HOME", "~/x")),
        (["run", "a|b", ""], ("run", "a|b", "")),
    ],
)
def test_a_command_is_words_and_no_shell_sees_them(given: object, words: tuple[str, ...]) -> None:
    assert command_line(given) == words


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("a | b", "has |, and no shell runs it"),
        ("a && b", "has &&, "),
        ("a > out", "has >, "),
        ("a; b", "has ;, "),
        ("'a", "has a quote without end"),
        ("", "names no program"),
        ("''", "names no program"),
        ("a\0b", "is neither a text nor a list of words"),
        ([], "is not a list of words that begins with a program"),
        (["", "a"], "is not a list of words"),
        (["a", 5], "is not a list of words"),
        (5, "is neither a text nor a list of words"),
        (None, "is neither"),
    ],
)
def test_what_only_a_shell_could_run_is_refused(given: object, problem: str) -> None:
    with pytest.raises(BadCommandLine) as raised:
        command_line(given)
    assert str(raised.value).startswith(problem)
