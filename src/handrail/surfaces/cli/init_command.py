"""`handrail init`: a policy and settings for the project that lies here, shown before they are written."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from handrail.contract.basics import Instant
from handrail.errors import UsageError
from handrail.runtime.who import governed_by
from handrail.settings.load import Settings
from handrail.settings.places import WORKSPACE_FOLDER, state_folder
from handrail.settings.trust import TrustStore
from handrail.surfaces.cli.asking import discard_typeahead
from handrail.surfaces.cli.hints import in_that
from handrail.surfaces.cli.init.finding import Project, look
from handrail.surfaces.cli.init.placing import NewFile, is_there, place
from handrail.surfaces.cli.init.tables import tables
from handrail.surfaces.cli.init.texts import config_text, policy_text
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.settings_here import settings_here, tell_of
from handrail.surfaces.cli.text import printable

POLICY, CONFIG = f"{WORKSPACE_FOLDER}/policy.toml", f"{WORKSPACE_FOLDER}/config.toml"


@click.command("init")
@in_workspace
@click.option("--yes", is_flag=True, help="Write and trust without asking: for scripts.")
@click.option("--print", "only_print", is_flag=True, help="Show the files, and write nothing.")
def init(workspace: Path, yes: bool, only_print: bool) -> None:
    """Write a policy and settings for the project here.

    Looks for what people of such a project run all day: tests, linters, formatters. Shows a policy that lets exactly
    these through, and a file of settings, each line with its comment; asks; writes them to .handrail. What is there
    already is left as it is.

    A policy of a workspace allows nothing until a person trusts it. A yes here is that trust, to the content shown.
    """
    settings = settings_here(workspace, {})
    known = tables()
    project = look(settings.workspace, known)
    # The policy comes last: it is what the question is about, and is to be on the screen with it.
    files = [NewFile(CONFIG, config_text()), NewFile(POLICY, policy_text(project, known.roles))]
    if not only_print:
        _refuse_inside()
        files = list(_new(files, settings))
    for line in _shown(project, files):
        click.echo(line)
    if only_print or not files or not _agreed(yes=yes):
        return
    for file in files:
        place(settings.workspace, file)
        click.echo(f"Written: {file.name}")
    _trust(settings, files)
    click.echo(
        f"\nNext: handrail doctor{in_that(settings.workspace)} says whether all is there; then start `handrail`."
    )


def _new(files: Sequence[NewFile], settings: Settings) -> Iterator[NewFile]:
    for file in files:
        if is_there(settings.workspace, file):
            click.echo(
                f"{file.name} is there already, and is left as it is; `handrail init --print` shows a fresh one."
            )
        else:
            yield file


def _shown(project: Project, files: Sequence[NewFile]) -> Iterator[str]:
    yield f"Found: {', '.join(project.names) or 'no project that handrail init knows; the files are to be filled in'}"
    for file in files:
        yield f"--- {file.name}"
        yield from file.text.removesuffix("\n").split("\n")
    if files:
        yield "---"


def _agreed(*, yes: bool) -> bool:
    """Raises UsageError where there is nobody to ask."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask at; look with `handrail init --print`, then add --yes")
    discard_typeahead(sys.stdin.fileno())
    if click.confirm("Write this, and trust it: what it allows then runs here without a question?", default=False):
        return True
    click.echo("Nothing was written.")
    return False


def _trust(settings: Settings, files: Sequence[NewFile]) -> None:
    """A yes to what was shown, and to nothing else that lies here."""
    written = settings_here(settings.workspace, {})
    shown = {file.name: file.text for file in files}
    keys = [waiting.key for waiting in written.waiting if shown.get(waiting.name) == waiting.text]
    if keys:
        TrustStore(state_folder()).add(keys, Instant(time.time()))
        click.echo(f"Trusted: {', '.join(printable(key.path) for key in keys)}, as shown. A change voids that.")
    tell_of(settings_here(settings.workspace, {}))


def _refuse_inside() -> None:
    if why := governed_by(None):
        raise UsageError(f"only a person writes and trusts a policy, at a surface of their own; refused: {why}")
