"""What the shell commands of one session share: the folder that the last one ended in, and the environment."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from handrail.contract.context import Workspace
from handrail.errors import ToolFailed
from handrail.runtime.environment import child_environment
from handrail.runtime.names import shown_name


class SessionShell:
    """Implements `contract.context.ShellState`. The folder always lies in the workspace when a command starts."""

    def __init__(self, workspace: Workspace, passed: tuple[str, ...] = ()) -> None:
        """`passed` names variables that commands get beside the usual ones, in any case."""
        self.workspace = workspace
        self._passed = frozenset(name.upper() for name in passed)
        self._folder = workspace.root

    @property
    def folder(self) -> Path:
        return self._folder

    @property
    def environment(self) -> Mapping[str, str]:
        return child_environment(os.environ, self._passed)

    async def enter(self) -> Path:
        folder = self._folder
        if await asyncio.to_thread(_inside, self.workspace, folder) == folder:
            return folder
        self._folder = self.workspace.root
        gone, root = shown_name(self.workspace.shown(folder)), shown_name(str(self.workspace.root))
        raise ToolFailed(
            f"The command was not run: the folder {gone}, where the last one ended, is gone, closed to us, or "
            f"leads out of the workspace. Commands start in {root} again: repeat it as it fits there."
        )

    async def leave(self, folder: Path) -> bool:
        inside = await asyncio.to_thread(_inside, self.workspace, folder)
        self._folder = inside or self.workspace.root
        return inside is not None


def _inside(workspace: Workspace, folder: Path) -> Path | None:
    """The same folder by its way from the workspace, no links below; None outside, or where it can't be entered."""
    real = Path(os.path.realpath(folder))
    if not os.path.isdir(real) or not os.access(real, os.X_OK):  # Path.is_dir raises where the way there is closed
        return None
    for base in workspace.folders:
        top = Path(os.path.realpath(base))
        if real.is_relative_to(top):
            return base / real.relative_to(top)
    return None
