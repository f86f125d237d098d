"""Options that many commands have."""

from __future__ import annotations

from pathlib import Path

import click

MODES = ("plan", "default", "accept-edits", "sandboxed", "bypass")

LAST = "last"
"""In place of the id of a session: the last one that has a conversation."""
CHOSEN = "chosen"
"""In place of it: the one that the person chooses from a list."""

_path = click.Path(path_type=Path)

in_workspace = click.option(
    "-C",
    "workspace",
    type=click.Path(path_type=Path),
    default=Path("."),
    metavar="DIR",
    help="Workspace (default: here).",
)

in_mode = click.option("--mode", type=click.Choice(MODES), help="How much runs unasked.")
with_folders = click.option(
    "--add-dir", "add_dirs", type=_path, multiple=True, metavar="DIR", help="A further folder to work in."
)
with_policies = click.option(
    "--policy", "policies", type=_path, multiple=True, metavar="FILE", help="Rules, in TOML; repeatable."
)
with_tools = click.option(
    "--tools", "tools", type=_path, multiple=True, metavar="DIR", help="A folder of tool files; repeatable."
)
of_model = click.option("--model", metavar="NAME", help="The model that answered.")
answered_by = click.option(
    "--approve",
    type=click.Choice(["ask", "all", "none", "wait"]),
    help="Who answers: you at the terminal, yes to all, nobody, or somebody later.",
)
