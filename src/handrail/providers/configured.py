"""The providers that the settings of a workspace name."""

from __future__ import annotations

from pathlib import Path

from handrail.contract.context import Workspace
from handrail.contract.launching import Launcher
from handrail.contract.provider import Provider
from handrail.providers.folder import FolderTools
from handrail.settings.load import Settings


def configured_providers(
    settings: Settings, workspace: Workspace, launcher: Launcher, state: Path | None
) -> tuple[Provider, ...]:
    """In the order in which their tools are on the menu. `state` is Handrail's own folder; None where a session
    keeps nothing."""
    return tuple(FolderTools(folder) for folder in settings.tool_folders)
