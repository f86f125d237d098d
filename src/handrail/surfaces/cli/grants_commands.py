"""`handrail grants`: what people said yes to for good, and how to take it back."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import click

from handrail.contract.basics import Instant, SessionId
from handrail.errors import UsageError
from handrail.policy.grants import Grant, as_record
from handrail.runtime.grant_store import GrantStore, StoredGrant
from handrail.runtime.who import governed_by
from handrail.settings.places import state_folder
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.journals import journal_place
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.text import printable

_NEW = SessionId("")
"""No session has this id: nothing was granted for it alone."""


@click.group("grants", no_args_is_help=False)
def grants() -> None:
    """Look at remembered approvals, and revoke them."""


@grants.command("list")
@in_workspace
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_(workspace: Path, as_json: bool) -> int:
    """Show the grants of sessions here, of the project and of the user."""
    with _store(workspace) as store:
        found = [stored for stored in store.all() if stored.revoked is None]
    if as_json:
        click.echo(json.dumps({"version": 1, "grants": [_report(stored) for stored in found]}))
        return exits.DONE
    for line in grant_lines(found, Redactor(os.environ)):
        click.echo(line)
    return exits.DONE


@grants.command("revoke")
@click.argument("grant", metavar="ID")
@in_workspace
def revoke(grant: str, workspace: Path) -> int:
    """Take a grant back, in running sessions too: it is asked again."""
    if why := governed_by(None):
        raise UsageError(f"this command may not change grants, for {why}")
    with _store(workspace) as store:
        revoked = store.revoke(grant, Instant(time.time()))
    click.echo(f"revoked: {printable(revoked.grant.option.label)} ({grant})")
    return exits.DONE


@contextmanager
def _store(workspace: Path) -> Iterator[GrantStore]:
    with closing(GrantStore(journal_place(workspace), state_folder())) as store:
        yield store


def grants_here(workspace: Path) -> tuple[Grant, ...]:
    """Those that a new session here would begin with: the project's and the user's."""
    with _store(workspace) as store:
        return store.in_force(_NEW)


def _report(stored: StoredGrant) -> dict[str, object]:
    return {**as_record(stored.grant), "created": stored.created, "session": stored.session}


def grant_lines(found: Sequence[StoredGrant], redactor: Redactor) -> Iterator[str]:
    if not found:
        yield "No grants."
    for stored in found:
        option = stored.grant.option
        of = f" (session {stored.session})" if stored.session else ""
        yield f"{stored.grant.id}  {option.scope:<8} {option.tool:<14} {printable(redactor.text(option.label))}{of}"
