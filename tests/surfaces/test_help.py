"""What `--help` lists: every command by a sentence that stands whole in a terminal of 80 columns."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from handrail.surfaces.cli.app import handrail

COLUMNS = 80


def groups(group: click.Group, path: str = "handrail") -> Iterator[tuple[str, click.Group]]:
    yield path, group
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from groups(command, f"{path} {name}")


GROUPS = dict(groups(handrail))


def test_there_are_groups() -> None:
    assert {"handrail", "handrail approvals", "handrail sessions"} <= set(GROUPS)


@pytest.mark.parametrize("path", GROUPS)
def test_every_command_is_listed_by_a_whole_sentence_on_one_line(path: str) -> None:
    group = GROUPS[path]
    context = click.Context(group, info_name=path, terminal_width=COLUMNS)
    _, _, listed = group.get_help(context).partition("Commands:\n")
    lines = listed.splitlines()
    assert [line.split()[0] for line in lines] == group.list_commands(context)
    assert [line for line in lines if len(line) > COLUMNS or not line.endswith(".") or line.endswith("...")] == []
