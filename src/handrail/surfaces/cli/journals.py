"""Which journal a command is about, and times as people write them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from handrail.contract.basics import Instant
from handrail.errors import UsageError
from handrail.settings.places import journal_file, state_folder


def journal_of(workspace: Path) -> Path:
    """The journal of a workspace. Raises UsageError where there is none yet."""
    path = journal_file(state_folder(), workspace)
    if not path.exists():
        raise UsageError(f"no session has run in {workspace.absolute()}: there is no journal at {path}")
    return path


def shown_time(at: Instant) -> str:
    """In the local time zone, to the second."""
    return datetime.fromtimestamp(at).astimezone().isoformat(" ", "seconds")
