"""`handrail mcp logs`: what a server wrote on stderr."""

from __future__ import annotations

import difflib
import os
from pathlib import Path

import click

from handrail.errors import UsageError
from handrail.providers.mcp.log import kept_names, log_file
from handrail.settings.places import folders
from handrail.surfaces.cli.text import printable


def run_logs(name: str, lines: int) -> None:
    """Raises UsageError where nothing is kept."""
    state = folders(os.environ).state
    found = kept_lines(state, name)
    if found is None:
        near = difflib.get_close_matches(name, kept_names(state), 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        raise UsageError(f"nothing is kept of a server {name}: it never ran, or wrote nothing on stderr{hint}")
    for line in found[-lines:]:
        click.echo(printable(line))


def kept_lines(state: Path, name: str) -> list[str] | None:
    """All that is kept; None where nothing is."""
    try:
        text = log_file(state, name).read_text("utf-8", "replace")
    except OSError:
        return None
    return text.split("\n")[:-1] if text.endswith("\n") else text.split("\n")


def of_last_run(lines: list[str]) -> list[str]:
    """Those since the server was last started."""
    starts = [place for place, line in enumerate(lines) if line.startswith("--- started ")]
    return lines[starts[-1] + 1 :] if starts else lines
