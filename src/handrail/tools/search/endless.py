"""Finds the ignore file that a search got stuck at: ripgrep reads whatever has its name, a FIFO or a device too."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from handrail.runtime.names import shown_name

_NAMES = (".gitignore", ".ignore", ".rgignore")
_MOST_FOLDERS = 100_000
"""Looked into: this is for a message, and must end."""


def endless_ignore_file(folder: Path) -> str:
    """The first in a folder, above it or below it, relative to it; empty where there is none. Blocks."""
    for place in (*folder.parents, *_below(folder)):
        for name in _NAMES:
            if _is_endless(place / name):
                return os.path.relpath(place / name, folder)
    return ""


def stuck(name: str) -> str:
    """What is wrong with it and what to do, in two sentences."""
    return (
        f"{shown_name(name)} is no file but a FIFO or device, or leads to one. include_ignored=true does not read it."
    )


def _is_endless(path: Path) -> bool:
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _below(folder: Path) -> Iterator[Path]:
    """The folder and those below it, links aside."""
    for count, (path, _, _) in enumerate(os.walk(folder)):
        if count == _MOST_FOLDERS:
            return
        yield Path(path)
