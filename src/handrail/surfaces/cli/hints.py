"""Commands that a person is told to type next."""

from __future__ import annotations

import shlex
from pathlib import Path

from handrail.surfaces.cli.text import printable


def in_that(workspace: Path) -> str:
    """The option for a command that is told to a person; empty where they are in that workspace."""
    folder = workspace.absolute()
    return "" if folder == Path.cwd() else f" -C {shlex.quote(printable(str(folder)))}"
