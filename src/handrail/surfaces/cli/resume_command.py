"""`handrail sessions resume`: goes on where a session was left, and prints its turns as `handrail exec` does."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from handrail.session import Parts, Session
from handrail.settings.keys import APPROVE
from handrail.settings.load import Settings
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.asking import Approve, asker_of_option
from handrail.surfaces.cli.exec_command import interruptible, show_turn, tell_how_to_go_on, tell_survivors
from handrail.surfaces.cli.journals import journal_of
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.settings_here import settings_here, tell_of

_folder = click.Path(path_type=Path)


@click.command("resume")
@click.argument("session")
@in_workspace
@click.option("--add-dir", "add_dirs", type=_folder, multiple=True, metavar="DIR", help="A further folder to work in.")
@click.option("--mode", metavar="MODE", help="How much runs unasked.")
@click.option("--policy", "policies", type=_folder, multiple=True, metavar="FILE", help="Rules, in TOML; repeatable.")
@click.option("--model", metavar="NAME", help="The model that answered.")
@click.option(
    "--approve",
    type=click.Choice(["ask", "all", "none", "wait"]),
    help="Who answers what is still asked: you at the terminal, yes to all, nobody, or somebody later.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object for each turn.")
def resume(session: str, workspace: Path, as_json: bool, **flags: object) -> int:
    """Go on where a session was left: by a crash, or with questions open. With --json, print the messages to append.

    Answers that were given meanwhile count. What had started and may have changed something is not run again; what
    had its result keeps it. Where nothing is left to do, the last turn is printed again.

    Exit codes are those of 'handrail exec'.
    """
    settings = settings_here(workspace, flags)
    journal_of(settings.workspace)  # Raises where there is none.
    tell_of(settings)
    return asyncio.run(_resume(session, settings, as_json=as_json))


async def _resume(id: str, settings: Settings, *, as_json: bool) -> int:
    parts = Parts(asker=asker_of_option(Approve(settings[APPROVE]), settings.workspace))
    async with Session.open(settings.workspace, settings=settings, session=id, parts=parts) as session:
        async with interruptible(session) as interrupted:
            turns = await session.take_up()
        for turn in turns:
            show_turn(turn, settings.workspace, as_json=as_json)
        tell_survivors(session)
    if not turns:
        exits.told(f"the session {id} has no turn that could be finished")
    if interrupted.is_set():
        return exits.INTERRUPTED
    return tell_how_to_go_on(id, turns, settings.workspace)
