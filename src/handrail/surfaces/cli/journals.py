"""Which journal a command is about, and times as people write them."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from handrail.contract.basics import Instant
from handrail.errors import UsageError
from handrail.settings.places import journal_file, state_folder


def journal_of(workspace: Path) -> Path:
    """The journal of a workspace. Raises UsageError where there is none yet, and for what is no folder."""
    path = journal_place(workspace)
    if not path.exists():
        raise UsageError(f"no session has run in {workspace.absolute()}: there is no journal at {path}")
    return path


def journal_place(workspace: Path) -> Path:
    """Where a workspace's journal is, or will be. Raises UsageError for what is no folder."""
    if not os.path.isdir(workspace):
        raise UsageError(f"{workspace} is not a folder; name one that exists")
    return journal_file(state_folder(), workspace)


def shown_time(at: Instant) -> str:
    """In the local time zone, to the second."""
    return datetime.fromtimestamp(at).astimezone().isoformat(" ", "seconds")
