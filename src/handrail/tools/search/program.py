"""Which ripgrep to run: the user's own `rg` if it is on PATH and new enough, else the one that came with Handrail."""

from __future__ import annotations

import os
import re
import shutil
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from handrail.contract.context import Workspace
from handrail.contract.launching import Launcher, LaunchSpec
from handrail.errors import LauncherError, ToolFailed

OLDEST = (14, 0)
"""Before it, what ripgrep says of a bad pattern can't be told from what it finds."""

_VERSION = re.compile(rb"\Aripgrep (\d+)\.(\d+)")
_PATIENCE = 10.0
"""Seconds for a program to say its version."""

_Identity = tuple[str, int, int]
"""Path, time of change in nanoseconds, size in bytes: another file may be another version."""


class Programs:
    """Finds the program for each search, and asks one that it has not met yet for its version."""

    def __init__(self) -> None:
        self._new_enough: dict[_Identity, bool] = {}

    async def find(self, launcher: Launcher, workspace: Workspace, environment: Mapping[str, str]) -> Path:
        """Raises ToolFailed where there is none."""
        import asyncio  # as long to load as all the tools together, and whoever only lists them needs none of it

        path = environment.get("PATH", os.defpath)
        theirs = await asyncio.to_thread(_on_path, path, workspace)
        if theirs is not None:
            if theirs not in self._new_enough:
                self._new_enough[theirs] = await _is_new_enough(theirs[0], launcher, workspace, environment)
            if self._new_enough[theirs]:
                return Path(theirs[0])
        if (own := await asyncio.to_thread(_own)) is not None:
            return own
        if theirs is not None:
            raise ToolFailed(f"{theirs[0]} is older than ripgrep {OLDEST[0]}. Install a newer one, or use the shell.")
        raise ToolFailed("ripgrep is not installed: there is no rg on PATH. Install it, or search with the shell.")


async def _is_new_enough(
    program: str, launcher: Launcher, workspace: Workspace, environment: Mapping[str, str]
) -> bool:
    try:
        said = await launcher.run(
            LaunchSpec((program, "--version"), cwd=workspace.root, env=environment, timeout=_PATIENCE)
        )
    except LauncherError:
        return False
    version = _VERSION.match(said.head)
    return version is not None and (int(version[1]), int(version[2])) >= OLDEST


def _on_path(path: str, workspace: Workspace) -> _Identity | None:
    """Never one that lies in the workspace: what comes with a workspace is not run unasked."""
    untrusted = [Path(os.path.realpath(folder)) for folder in workspace.folders]
    trusted = [
        folder
        for folder in path.split(os.pathsep)
        if os.path.isabs(folder) and not any(Path(os.path.realpath(folder)).is_relative_to(f) for f in untrusted)
    ]
    found = shutil.which("rg", path=os.pathsep.join(trusted))
    if found is None:
        return None
    try:
        seen = os.stat(found)
    except OSError:
        return None
    return found, seen.st_mtime_ns, seen.st_size


def _own() -> Path | None:
    """Where pip puts programs: beside this Python, or in the user's own folder."""
    schemes = (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"))
    return next(
        (found for scheme in schemes if (found := Path(sysconfig.get_path("scripts", scheme), "rg")).exists()), None
    )
