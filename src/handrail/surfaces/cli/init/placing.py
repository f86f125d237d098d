"""Puts new files into the workspace's own folder: whole, or not at all, and never over something."""

from __future__ import annotations

import os
from pathlib import Path

from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.settings.places import WORKSPACE_FOLDER


@value
class NewFile:
    name: str
    """Relative to the workspace, as people see it named."""
    text: str


def is_there(workspace: Path, file: NewFile) -> bool:
    return os.path.lexists(workspace / file.name)


def place(workspace: Path, file: NewFile) -> None:
    """Raises UsageError where it can't be written, or something is there already."""
    folder = workspace / WORKSPACE_FOLDER
    try:
        folder.mkdir(exist_ok=True)
        if os.path.realpath(folder) != os.path.join(os.path.realpath(workspace), WORKSPACE_FOLDER):
            raise UsageError(f"{folder} is a link; put a folder in its place")
        # The mode is as for any file of the project: it goes into version control, and trust is by content.
        with open(workspace / file.name, "x", encoding="utf-8", newline="\n") as opened:
            opened.write(file.text)
    except FileExistsError as error:
        raise UsageError(f"{file.name} is there already, and is left as it is") from error
    except OSError as error:
        raise UsageError(f"{file.name} can't be written: {error.strerror}") from error
