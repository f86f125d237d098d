"""The providers that the settings of a workspace name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from handrail.contract.context import Workspace
from handrail.contract.launching import Launcher
from handrail.contract.provider import Provider
from handrail.contract.sampling import Sampler
from handrail.contract.window import Window
from handrail.providers.folder import FolderTools
from handrail.runtime.environment import child_environment
from handrail.settings.keys import ENTRY_POINTS, PASS_ENV
from handrail.settings.load import Settings
from handrail.settings.origin import Layer
from handrail.settings.tool_folders import ToolFolder


def configured_providers(
    settings: Settings,
    workspace: Workspace,
    launcher: Launcher,
    state: Path | None,
    sampler: Sampler | None = None,
    window: Window | None = None,
) -> tuple[Provider, ...]:
    """In the order in which their tools are on the menu. `state` is Handrail's own folder; None where a session
    keeps nothing. `sampler` answers what servers ask a model, whose context is `window`; None: nobody knows it."""
    return (
        *map(FolderTools, filter(_may_come, settings.tool_folders)),
        *_entry_points(settings),
        *_commands(settings, workspace, launcher),
        *_servers(settings, workspace, launcher, state, sampler, window),
    )


def _may_come(folder: ToolFolder) -> bool:
    """A folder of the person's, or of the workspace, may be made while the session runs."""
    return folder.is_there or folder.place.place.origin.layer is not Layer.SYSTEM


def _entry_points(settings: Settings) -> Iterator[Provider]:
    if settings[ENTRY_POINTS]:
        from handrail.providers.entry_points import EntryPointTools  # most sessions have none

        for name in settings[ENTRY_POINTS]:
            yield EntryPointTools(name)


def _commands(settings: Settings, workspace: Workspace, launcher: Launcher) -> Iterator[Provider]:
    if settings.tool_commands:
        from handrail.providers.command.source import CommandTools  # most sessions have none

        for commands in settings.tool_commands:
            yield CommandTools(commands, launcher, workspace.root, _environment(settings))


def _servers(
    settings: Settings,
    workspace: Workspace,
    launcher: Launcher,
    state: Path | None,
    sampler: Sampler | None,
    window: Window | None,
) -> Iterator[Provider]:
    if settings.servers.usable or settings.servers.untrusted:
        from handrail.providers.mcp.around import Around  # most sessions have none
        from handrail.providers.mcp.configured import configured_servers

        around = Around(launcher, workspace, _environment(settings), sampler, state)
        yield from configured_servers(settings, around, window)


def _environment(settings: Settings) -> Mapping[str, str]:
    return child_environment(os.environ, frozenset(name.upper() for name in settings[PASS_ENV]))
