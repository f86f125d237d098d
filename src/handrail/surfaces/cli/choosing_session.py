"""Which session to go on with, chosen from a short list at the terminal."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import click

from handrail.contract.basics import SessionId
from handrail.errors import UsageError
from handrail.runtime.stored_sessions import StoredSession, stored_sessions
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.journals import journal_of
from handrail.surfaces.cli.session_lines import session_lines
from handrail.surfaces.cli.wrapping import size_of

MOST = 9
"""Sessions to choose from, the newest."""


def chosen_session(workspace: Path) -> SessionId:
    """Raises UsageError where nobody can choose, or there is nothing to choose from; click.Abort."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise UsageError(
            "--resume without an id lets you choose at a terminal, and there is none here: name a session of those "
            "that 'handrail sessions list' shows, or take the last one with --continue"
        )
    offered = _offered(stored_sessions(journal_of(workspace)))
    if not offered:
        raise UsageError("there is no conversation here to go on with; begin one with a task")
    columns = size_of(sys.stderr.fileno()).columns - len("9  ")
    for number, line in enumerate(session_lines(offered, time.time(), Redactor(os.environ), columns), 1):
        click.echo(f"{number}  {line}", err=True)
    number = click.prompt("Which one", default=1, type=click.IntRange(1, len(offered)), err=True)
    return offered[number - 1].id


def _offered(found: list[StoredSession]) -> list[StoredSession]:
    """The newest first. One that a process has open can't be taken up."""
    talks = [session for session in found if session.work is not None and session.holder is None]
    return sorted(talks, key=lambda session: session.last, reverse=True)[:MOST]
