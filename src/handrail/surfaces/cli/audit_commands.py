"""`handrail audit`: is the journal what was written, and what does it say."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from handrail import __version__
from handrail.contract.basics import SessionId
from handrail.runtime.audit import Finding, heads, verify
from handrail.runtime.chain import Anchor
from handrail.runtime.histories import exported_events, histories, recorded_events
from handrail.runtime.spans import otlp
from handrail.runtime.stored_sessions import stored_sessions
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.journals import journal_of
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.text import printable
from handrail.surfaces.cli.wrapping import output_columns, wrapped

_session = click.option("--session", default=None, metavar="ID", help="One session alone (default: all).")
_json = click.option("--json", "as_json", is_flag=True, help="One JSON object.")

_NOT_KNOWN = (
    "Without an anchor it can't be known whether the last events were cut off, whole sessions deleted, or all of it "
    "written anew. Keep what 'handrail audit head' prints where nobody here can change it, and pass it as --anchor."
)


@click.group("audit", no_args_is_help=False)
def audit() -> None:
    """Check the journal, and hand it on. The journal of a workspace is its audit log."""


@audit.command("verify")
@in_workspace
@_session
@click.option("--anchor", "anchors", multiple=True, metavar="A", help="What 'audit head' printed earlier; repeatable.")
@_json
def verify_(workspace: Path, session: str | None, anchors: tuple[str, ...], as_json: bool) -> int:
    """Say what was changed, is missing or was reordered in the journal.

    Exit codes: 0 nothing is wrong; 1 something is; 2 there is no such journal.
    """
    # What `head` printed about several sessions may be passed as one.
    known = [Anchor.parse(line) for anchor in anchors for line in anchor.splitlines() if line.strip()]
    findings = verify(journal_of(workspace), None if session is None else SessionId(session), known)
    if as_json:
        click.echo(json.dumps({"version": 1, "sessions": [asdict(finding) for finding in findings]}))
    else:
        columns = output_columns()
        for line in _finding_lines(findings):
            click.echo("\n".join(wrapped(line, columns)))
    return exits.FAULT if any(finding.flaws for finding in findings) else exits.DONE


@audit.command("head")
@in_workspace
@_session
@_json
def head(workspace: Path, session: str | None, as_json: bool) -> int:
    """Print an anchor for each session, to be kept elsewhere.

    It is the session's id, its last event's number and that event's hash.
    """
    anchors = heads(journal_of(workspace), None if session is None else SessionId(session))
    if as_json:
        click.echo(json.dumps({"version": 1, "anchors": [asdict(anchor) for anchor in anchors]}))
    else:
        for anchor in anchors:
            click.echo(str(anchor))
    return exits.DONE


@audit.command("export")
@in_workspace
@_session
@click.option("--format", "form", type=click.Choice(["jsonl", "otel"]), default="jsonl", show_default=True)
def export(workspace: Path, session: str | None, form: str) -> int:
    """Print the events, without secrets and payloads.

    A line of JSON for each, or all as OpenTelemetry spans.
    """
    journal = journal_of(workspace)
    chosen = [stored.id for stored in stored_sessions(journal)] if session is None else [SessionId(session)]
    if form == "otel":
        click.echo(json.dumps(otlp(((id, histories(recorded_events(journal, id))) for id in chosen), __version__)))
    else:
        write_lines(event for id in chosen for event in exported_events(journal, id, payloads=False))
    return exits.DONE


def write_lines(objects: Iterator[Any]) -> None:
    """One line of JSON for each."""
    for each in objects:
        sys.stdout.write(json.dumps(each) + "\n")


def _finding_lines(findings: Sequence[Finding]) -> Iterator[str]:
    width = max((len(finding.session) for finding in findings), default=0)
    for finding in findings:
        verdict = f"{len(finding.flaws)} wrong" if finding.flaws else "whole"
        gone = f", {finding.payloads_gone:,} payloads deleted" if finding.payloads_gone else ""
        yield f"{printable(finding.session):<{width}}  {finding.events:>6,} events  {verdict}{gone}"
        yield from (f"  {flaw.kind}: {flaw.message}" for flaw in finding.flaws)
    if not findings:
        yield "The journal holds no sessions."
    elif not all(finding.anchored for finding in findings):
        yield _NOT_KNOWN
