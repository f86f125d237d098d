"""The settings of a command: files, variables and its own flags; what people should know of them goes to stderr."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path

from handrail.errors import UsageError
from handrail.policy.modes import Mode
from handrail.policy.wording import shortened
from handrail.settings.keys import MODE
from handrail.settings.load import Settings, load_settings
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.text import printable

SANDBOX_NOTE = "no sandbox is available yet: mode 'sandboxed' decides exactly as 'default'"

MOST_PROBLEMS = 20
"""Lines about what is wrong; the first ones are mended first."""

MOST_WAITING = 3
"""Lines for each file that waits; `handrail trust show` has them all."""


def settings_here(workspace: Path, flags: Mapping[str, object]) -> Settings:
    """The settings in a folder. `flags` may hold what was not given: None, empty lists. Raises UsageError."""
    if not os.path.isdir(os.path.expanduser(workspace)):
        raise UsageError(f"{workspace} is not a folder; name one that exists")
    given = {name: value for name, value in flags.items() if value not in (None, ())}
    return load_settings(workspace, os.environ, given)


def tell_of(settings: Settings) -> None:
    """What is wrong, what waits for trust, and what the mode can't keep: lines on stderr."""
    tell_problems(settings)
    for line in waiting_lines(settings):
        exits.told(line)
    if settings[MODE] == Mode.SANDBOXED:
        exits.told(SANDBOX_NOTE)


def tell_problems(settings: Settings) -> None:
    for problem in settings.problems[:MOST_PROBLEMS]:
        exits.told(printable(problem))
    if len(settings.problems) > MOST_PROBLEMS:
        exits.told(f"and {len(settings.problems) - MOST_PROBLEMS} more: handrail config show --json has them all")


def waiting_lines(settings: Settings) -> list[str]:
    """What is waiting for trust, and how to see and give it; nothing where nothing is waiting."""
    if not settings.waiting:
        return []
    lines = []
    for waiting in settings.waiting:
        lines.append(f"{printable(waiting.name)} came with the workspace and waits for your trust; without effect yet:")
        lines += [f"  {printable(shortened(would))}" for would in waiting.would[:MOST_WAITING]]
        if len(waiting.would) > MOST_WAITING:
            lines.append(f"  and {len(waiting.would) - MOST_WAITING} more")
    return [*lines, f"to see it: {_trust_command('show', settings)}; to accept it: {_trust_command('add', settings)}"]


def _trust_command(name: str, settings: Settings) -> str:
    elsewhere = "" if settings.workspace == Path.cwd() else f" -C {shlex.quote(printable(str(settings.workspace)))}"
    return f"handrail trust {name}{elsewhere}"
