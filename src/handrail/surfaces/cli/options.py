"""Options that many commands have."""

from __future__ import annotations

from pathlib import Path

import click

in_workspace = click.option(
    "-C",
    "workspace",
    type=click.Path(path_type=Path),
    default=Path("."),
    metavar="DIR",
    help="Workspace (default: here).",
)
