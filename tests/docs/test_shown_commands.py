"""Every `handrail` command line that the docs show is one that the command takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from handrail.surfaces.cli.app import handrail

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_SHELL = {"|", "||", "&&", ";", ">", ">>", "<", "2>", "&"}


def shown(page: Path) -> Iterator[str]:
    for block in re.findall(r"^ *```console\n(.*?)^ *```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        yield from re.findall(r"^ *\$ (.*\bhandrail\b.*)$", block, re.MULTILINE)


LINES = [(page, line) for page in PAGES for line in shown(page)]


def ours(line: str) -> Iterator[list[str]]:
    """The arguments of each `handrail` in a line of shell."""
    words = shlex.split(line, comments=True)
    starts = [place for place, word in enumerate(words) if word == "handrail" and _is_command(words[:place])]
    for place in starts:
        arguments = words[place + 1 :]
        end = next((place for place, word in enumerate(arguments) if word in _SHELL), len(arguments))
        yield arguments[:end]


def _is_command(before: list[str]) -> bool:
    return not before or before[-1] in _SHELL or "=" in before[-1]


def parse(arguments: list[str]) -> None:
    """Raises click.ClickException for what the command would not take. Nothing is run."""
    command: click.Command = handrail
    context = command.make_context("handrail", list(arguments))
    while isinstance(command, click.Group) and context._protected_args + context.args:
        name, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None
        command = found
        context = command.make_context(name, rest, parent=context)


def check(line: str) -> None:
    for arguments in ours(line):
        parse(arguments)


def test_the_docs_show_commands() -> None:
    assert {arguments[0] for _, line in LINES for arguments in ours(line) if arguments} >= {
        "exec", "run", "init", "doctor", "policy", "trust", "approvals",
    }  # fmt: skip


@pytest.mark.parametrize(
    "line", ["handrail run --nothing", "handrail nothing", "X=1 handrail init x", "handrail | handrail -x"]
)
def test_another_one_is_not(line: str) -> None:
    with pytest.raises(click.ClickException):
        check(line)


@pytest.mark.parametrize(("page", "line"), LINES, ids=[f"{page.name}: {line}" for page, line in LINES])
def test_a_shown_command_line_is_taken(page: Path, line: str) -> None:
    check(line)
