"""`handrail sessions resume`: goes on where a session was left, and prints its turns as `handrail exec` does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from handrail.contract.basics import SessionId
from handrail.errors import UsageError
from handrail.runtime.books import TakeOver
from handrail.runtime.openings import how_opened
from handrail.runtime.parts import Parts
from handrail.runtime.session_lock import holder_of
from handrail.runtime.who import governed_by
from handrail.session import Session
from handrail.settings.keys import APPROVE
from handrail.settings.load import Settings
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.asking import Approve, asker_of_option
from handrail.surfaces.cli.exec_command import show_turn, tell_how_to_go_on, tell_survivors
from handrail.surfaces.cli.interrupting import ends, interruptible
from handrail.surfaces.cli.journals import journal_of
from handrail.surfaces.cli.options import (
    answered_by,
    in_mode,
    in_workspace,
    of_model,
    with_folders,
    with_policies,
    with_tools,
)
from handrail.surfaces.cli.own_output import OwnOutput, own_output
from handrail.surfaces.cli.settings_here import tell_of
from handrail.surfaces.cli.sources import SourceNotes
from handrail.surfaces.cli.taking_up import settings_as_left

TAKEN_OVER = (
    "taken over from process {process}, which writes and starts nothing more; what it had started may be running there "
    "yet, until that process is ended"
)


@click.command("resume")
@click.argument("session")
@in_workspace
@with_folders
@in_mode
@with_policies
@with_tools
@of_model
@answered_by
@click.option("--take-over", is_flag=True, help="Also from a process that has it yet, and hangs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each turn.")
def resume(session: str, workspace: Path, take_over: bool, as_json: bool, **flags: object) -> int:
    """Go on where a session was left, and print its turns.

    It was left by a crash, or with questions open. Answers that were given meanwhile count. What had started and may
    have changed something is not run again; what had its result keeps it. Where nothing is left to do, the last turn
    is printed again. With --json, print the messages to append.

    The session goes on under the mode, policies, folders and so on that it was opened with; an option given here
    takes the place of that one. Settings in files hold as they are now.

    A session that another process has open is left to it. With --take-over it is taken from there: that process
    writes and starts nothing more, should it go on. What it had started counts as interrupted.

    Exit codes are those of 'handrail exec'.
    """
    journal, id = journal_of(workspace), SessionId(session)
    settings = settings_as_left(workspace, how_opened(journal, id), flags)
    taken = _taken_over(holder_of(journal, id)) if take_over else ""
    tell_of(settings)
    with own_output() as output:
        return asyncio.run(_resume(TakeOver(id) if taken else id, settings, taken, output, as_json=as_json))


def _taken_over(holder: int | None) -> str:
    """What people should know of the process that had the session; empty where none has. Raises UsageError."""
    if why := governed_by(None):
        raise UsageError(f"this command may not take a session over, for {why}")
    return "" if holder is None else TAKEN_OVER.format(process=holder or "(unknown)")


async def _resume(named: str | TakeOver, settings: Settings, taken: str, output: OwnOutput, *, as_json: bool) -> int:
    """`taken` is told once the session is taken over."""
    parts = Parts(asker=asker_of_option(Approve(settings[APPROVE]), settings.workspace))
    async with Session.open(settings.workspace, settings=settings, session=named, parts=parts) as session:
        exits.told(taken)
        SourceNotes(settings.problems).follow(session)
        async with interruptible(ends(session)) as interrupted:
            turns = await session.take_up()
        for turn in turns:
            show_turn(turn, settings.workspace, output, as_json=as_json)
        tell_survivors(session)
    if not turns:
        exits.told(f"the session {session.id} has no turn that could be finished")
    if interrupted.is_set():
        return exits.INTERRUPTED
    return tell_how_to_go_on(session.id, turns, settings.workspace)
