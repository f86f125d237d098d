"""What `handrail` without a subcommand does: reads settings, chooses the model, opens the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from handrail.agent.model import Model
from handrail.agent.models.choosing import model_of
from handrail.contract.basics import SessionId
from handrail.settings.load import Settings
from handrail.surfaces.cli.options import LAST
from handrail.surfaces.cli.settings_here import settings_here, tell_of
from handrail.surfaces.terminal.console import Opening
from handrail.surfaces.terminal.run import check_terminal, run_terminal


def start(workspace: Path, flags: Mapping[str, object], session: str, *, plain: bool) -> int:
    """The exit code. `session` is the id of one to go on with, `LAST`, or empty. Raises UsageError."""
    check_terminal()
    session, settings = _settings(workspace, session, flags)
    tell_of(settings)

    def named(name: str) -> Model:
        return model_of(name, settings=settings)

    return run_terminal(Opening(settings, named(""), named, session), plain=plain)


def _settings(workspace: Path, session: str, flags: Mapping[str, object]) -> tuple[str, Settings]:
    """The id, and the settings that the session was opened with, where it is one."""
    if not session:
        return "", settings_here(workspace, flags)
    from handrail.agent.kept import last_conversation  # what a session was like is read by few starts
    from handrail.runtime.openings import how_opened
    from handrail.surfaces.cli.journals import journal_of
    from handrail.surfaces.cli.taking_up import settings_as_left

    journal = journal_of(workspace)
    id = last_conversation(journal) if session == LAST else SessionId(session)
    return id, settings_as_left(workspace, how_opened(journal, id), flags)
