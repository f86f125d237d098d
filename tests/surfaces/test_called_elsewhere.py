"""Words that are none here, and what they are called here."""

from __future__ import annotations

import click
import pytest

from handrail.surfaces.cli.app import handrail
from handrail.surfaces.cli.called_elsewhere import CALLED, with_name_here


def command_of(path: str) -> click.Command:
    command: click.Command = handrail
    for name in path.split()[1:]:
        assert isinstance(command, click.Group)
        found = command.get_command(click.Context(command), name)
        assert found is not None
        command = found
    return command


@pytest.mark.parametrize("path", CALLED)
def test_none_of_them_is_a_word_of_the_command_and_each_leads_to_one(path: str) -> None:
    command = command_of(path)
    options = {word for parameter in command.params for word in parameter.opts}
    commands = set(command.list_commands(click.Context(command))) if isinstance(command, click.Group) else set()
    assert not set(CALLED[path]) & (options | commands)
    for here in CALLED[path].values():
        first, *rest = here.replace(",", "").split()
        words = command_of(f"handrail {rest[0]}") if first == "handrail" and not rest[0].startswith("-") else None
        assert words is not None or {first, *rest} & options


@pytest.mark.parametrize(
    ("message", "command", "said"),
    [
        ("No such option: -p", "handrail", "No such option: -p. Here that is: handrail run 'what to do'."),
        ("No such option '-m'. (Did you mean x?)", "handrail", "No such option '-m'. Here that is: --model."),
        ("No such option '-m'.", "handrail mcp", "No such option '-m'."),
        ("Missing command.", "handrail", "Missing command."),
    ],
)
def test_a_word_of_another_agent_is_answered_by_the_one_here(message: str, command: str, said: str) -> None:
    assert with_name_here(message, command) == said
