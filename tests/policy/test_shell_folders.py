"""Whether a shell certainly stays in the folder in which it starts: only then may other commands run beside it."""

from __future__ import annotations

import pytest

from handrail.policy.shell.reading import read_input, read_shell


@pytest.mark.parametrize(
    ("command", "stays"),
    [
        ("ls; cat a | head", True),
        ("cd /ws && ls", True),
        ("cd . && ls", True),
        ("cd sub; cd ..; ls", False),
        ("cd sub", False),
        ("cd sub && exit", False),
        ("cd", False),
        ('cd "$x"', False),
        ("cd -", False),
        ("popd", False),
        ("pushd sub; ls; popd", False),
        ("if true; then cd sub; fi", False),
        ("f() { cd sub; }; f", False),
        ("command cd sub", False),
        ("eval 'cd sub'", False),
        ("for d in a b; do cd $d; done", False),
        ("ls (", False),
    ],
)
def test_a_shell_stays_where_it_is_only_if_nothing_may_move_it(command: str, stays: bool) -> None:
    assert read_shell(command, "/ws", "/home/me").stays is stays


def test_what_is_typed_is_never_known_and_keeps_what_a_shell_would_make_of_it() -> None:
    reading = read_input("ls && rm -rf /ws", "/ws", "/home/me")
    assert reading.opaque
    assert reading.unread
    assert all(part.opaque and part.unread for part in reading.parts)
    assert [command.text for command in reading.commands] == ["ls", "rm -rf /ws"]
    assert reading.removals
