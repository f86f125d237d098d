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
    folder, path = workspace / WORKSPACE_FOLDER, workspace / file.name
    if folder.is_symlink():
        raise UsageError(f"{folder} is a link; put a folder in its place")
    if os.path.lexists(folder) and not folder.is_dir():
        raise UsageError(f"{folder} is no folder; put one in its place")
    try:
        folder.mkdir(exist_ok=True)
        # The mode is as for any file of the project: it goes into version control, and trust is by content.
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    except FileExistsError as error:
        raise UsageError(f"{file.name} is there already, and is left as it is") from error
    except OSError as error:
        raise UsageError(f"{file.name} can't be written: {error.strerror}") from error
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as opened:
            opened.write(file.text)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise UsageError(f"{file.name} can't be written: {error.strerror}; nothing is left of it") from error
