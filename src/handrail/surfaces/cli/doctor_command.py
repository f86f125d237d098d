"""`handrail doctor`: looks at all that a session needs, and says how to mend what is not well."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click

from handrail.settings.load import Settings
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.doctor.configured import configured, model
from handrail.surfaces.cli.doctor.elsewhere import servers
from handrail.surfaces.cli.doctor.finding import Finding, Health
from handrail.surfaces.cli.doctor.kept import kept
from handrail.surfaces.cli.doctor.machine import programs, terminal
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.settings_here import settings_here
from handrail.surfaces.cli.text import Tint, dim, printable, tinted, wants_colour
from handrail.surfaces.cli.wrapping import output_columns, wrapped

_TINTS: dict[Health, Tint] = {Health.OK: "green", Health.WARN: "yellow", Health.FAIL: "red"}


@click.command("doctor")
@in_workspace
@click.option("--online", is_flag=True, help="Also ask the model for one word: it costs next to nothing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def doctor(workspace: Path, online: bool, as_json: bool) -> int:
    """Check all that a session needs, and say how to mend it.

    Changes nothing. Exit codes: 0 nothing fails, though there may be warnings; 1 something will not work.
    """
    settings = settings_here(workspace, {})
    findings = asyncio.run(_findings(settings, online=online))
    if as_json:
        click.echo(json.dumps({"version": 1, "findings": [asdict(finding) for finding in findings]}))
    else:
        for line in _lines(findings, colour=wants_colour(), columns=output_columns()):
            click.echo(line)
    return exits.FAULT if any(finding.health is Health.FAIL for finding in findings) else exits.DONE


async def _findings(settings: Settings, *, online: bool) -> Sequence[Finding]:
    return [
        *await programs(settings, os.environ),
        *await asyncio.to_thread(lambda: list(kept(settings.workspace, os.environ))),
        *configured(settings),
        *await asyncio.to_thread(lambda: list(servers(settings, os.environ))),
        await model(settings, os.environ, online=online),
        *terminal(os.environ),
    ]


def _lines(findings: Sequence[Finding], *, colour: bool, columns: int) -> Iterator[str]:
    widest = max(len(finding.about) for finding in findings)
    for finding in findings:
        mark = f"{finding.health:<4}"
        first, *rest = wrapped(f"{mark}  {finding.about:<{widest}}  {printable(finding.found)}", columns)
        yield tinted(mark, _TINTS[finding.health], colour=colour) + first.removeprefix(mark)
        yield from rest
        if finding.mend:
            mend = wrapped(f"{'':<{widest + 6}}  → {printable(finding.mend)}", columns)
            yield from (dim(line, colour=colour) for line in mend)
