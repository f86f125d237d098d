"""`handrail sessions`: what ran in a workspace, and what is kept of it."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from handrail.contract.basics import Instant, JsonObject, SessionId
from handrail.errors import UsageError
from handrail.runtime.histories import exported_events, histories, kept_payloads, recorded_events
from handrail.runtime.stored_sessions import Pruned, StoredSession, prune, stored_sessions
from handrail.runtime.who import governed_by
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.audit_commands import write_lines
from handrail.surfaces.cli.journals import journal_of, journal_place, shown_time
from handrail.surfaces.cli.later import LazyGroup
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.session_lines import session_lines as lines_of
from handrail.surfaces.cli.session_lines import standing, work_json
from handrail.surfaces.cli.text import printable
from handrail.surfaces.cli.wrapping import output_columns, wrapped

_SECONDS_IN_A_DAY = 86_400

_LATER: Mapping[str, str] = {"resume": "handrail.surfaces.cli.resume_command:resume"}

_json = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


@click.group("sessions", no_args_is_help=False, cls=LazyGroup, later=_LATER)
def sessions() -> None:
    """Look at the sessions of a workspace, and delete what is old."""


@sessions.command("list")
@in_workspace
@_json
def list_(workspace: Path, as_json: bool) -> int:
    """Show all sessions, the oldest first.

    How long ago the last event was, how each stands, what it did and cost, and its task.
    """
    journal = journal_place(workspace)
    found = stored_sessions(journal) if journal.exists() else []
    if as_json:
        click.echo(json.dumps({"version": 1, "sessions": [_session_json(session) for session in found]}))
        return exits.DONE
    for line in session_lines(found):
        click.echo(line)
    return exits.DONE


@sessions.command("show")
@click.argument("session")
@in_workspace
@_json
def show(session: str, workspace: Path, as_json: bool) -> int:
    """Show one session, without secrets.

    What an agent worked on in it, how that stands and what it cost, its subagents and last words; then the calls.
    """
    from handrail.surfaces.cli.session_report import agent_work, session_json, session_lines  # no other needs agents

    journal, id = journal_of(workspace), SessionId(session)
    calls, payloads = histories(recorded_events(journal, id)), kept_payloads(journal, id)
    stored = next(each for each in stored_sessions(journal) if each.id == id)
    did = agent_work(journal, stored)
    if as_json:
        click.echo(json.dumps(session_json(stored, did, calls, payloads)))
        return exits.DONE
    columns = output_columns()
    for line in session_lines(stored, did, calls, payloads):
        click.echo("\n".join(wrapped(line, columns)))
    return exits.DONE


@sessions.command("export")
@click.argument("session")
@in_workspace
def export(session: str, workspace: Path) -> int:
    """Print one session whole, with whatever secrets it holds.

    A line of JSON for each event, with its payload: exact arguments and results.
    """
    write_lines(exported_events(journal_of(workspace), SessionId(session), payloads=True))
    return exits.DONE


@sessions.command("prune")
@in_workspace
@click.option("--older-than", "days", type=click.FloatRange(min=0), default=30, show_default=True, metavar="DAYS")
@click.option("--all", "whole", is_flag=True, help="Delete the sessions whole, not their payloads alone.")
@click.option("--unfinished", is_flag=True, help="Also those with calls that could go on: they never will.")
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
def prune_(workspace: Path, days: float, whole: bool, unfinished: bool, dry_run: bool) -> int:
    """Delete exact arguments and results of old sessions. Their events stay, and can still be verified."""
    if why := governed_by(None):
        raise UsageError(f"a governed call may not delete what is kept of calls ({why}); run this yourself")
    before = Instant(time.time() - days * _SECONDS_IN_A_DAY)
    journal, nothing = journal_place(workspace), Pruned((), (), wiped=True)
    there = journal.exists()
    pruned = prune(journal, before, whole=whole, unfinished=unfinished, dry_run=dry_run) if there else nothing
    for line in _pruned_lines(pruned, whole=whole, dry_run=dry_run):
        click.echo(line)
    if pruned.sessions and not dry_run and not pruned.wiped:
        exits.told(
            "another process reads the journal, so what was deleted may be found in its -wal file until that ends; "
            "run this again then"
        )
    return exits.DONE


def session_lines(found: Sequence[StoredSession]) -> Iterator[str]:
    """As `sessions list` prints them."""
    yield from lines_of(found, time.time(), Redactor(os.environ), output_columns())
    if not found:
        yield "No sessions."


def _session_json(session: StoredSession) -> JsonObject:
    """Without secrets, as the lines."""
    return {**asdict(session), "work": work_json(session, Redactor(os.environ)), "standing": standing(session)}


def _pruned_lines(pruned: Pruned, *, whole: bool, dry_run: bool) -> Iterator[str]:
    done = "Would delete" if dry_run else "Deleted"
    for session in pruned.sessions:
        what = "all of it" if whole else f"{session.payloads:,} payloads, {session.payload_size / 1000:,.0f} kB"
        yield f"{done}  {printable(session.id)}  {shown_time(session.last)}  {what}"
    for session in pruned.spared:
        yield f"Spared  {printable(session.id)}  {shown_time(session.last)}  {standing(session)}"
    if not pruned.sessions:
        yield "Nothing to delete."
