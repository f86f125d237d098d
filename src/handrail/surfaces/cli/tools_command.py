"""`handrail tools`: what a model would see, and why the rest is hidden. Starts nothing, opens no session."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from handrail.catalog import Menu, Registry
from handrail.catalog.toolbox import Toolbox
from handrail.contract.basics import Json
from handrail.settings.keys import MODEL
from handrail.settings.skills.listing import told_of
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.policies import notes_on
from handrail.surfaces.cli.settings_here import settings_here, tell_of
from handrail.surfaces.cli.text import printable
from handrail.tools import builtin_tools


def run_tools(workspace: Path, flags: Mapping[str, object], *, as_json: bool, explain: bool, everything: bool) -> int:
    """`flags` gives settings as typed."""
    registry = Registry(builtin_tools())
    settings = settings_here(workspace, flags)
    tell_of(settings)
    policy = settings.policy()
    for note in notes_on(policy.rules, registry.knows):
        exits.told(printable(note))
    menu = Toolbox(registry, lambda: policy, told_of(settings.skills.usable)).menu(settings[MODEL])
    if as_json:
        report = _report(registry, menu, explain=explain, everything=everything)
        sys.stdout.write(json.dumps(report) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(registry, menu, explain=explain, everything=everything))
    return 0


def _report(registry: Registry, menu: Menu, *, explain: bool, everything: bool) -> dict[str, Json]:
    report: dict[str, Json] = {
        "version": 1,
        "family": menu.family.name,
        "tools": [
            {
                "name": shown.name,
                "tool": shown.tool.name,
                "kind": shown.tool.kind.value,
                "description": shown.description,
                "parameters": shown.schema,
            }
            for shown in menu.tools
        ],
    }
    if explain:
        report["hidden"] = [{"tool": hidden.tool.name, "reason": hidden.reason} for hidden in menu.hidden]
    if everything:
        report["all"] = [
            {
                "tool": entry.tool.name,
                "aliases": list(entry.tool.aliases),
                "provider": entry.provider,
                "server": entry.server or None,
            }
            for entry in registry
        ]
    return report


def tool_lines(menu: Menu, *, explain: bool) -> Iterator[str]:
    """What a menu shows, and with `explain` what it hides. Not made printable."""
    for shown in menu.tools:
        summary = shown.description.split("\n", 1)[0]
        yield f"{shown.name:<20} {shown.tool.kind.value:<9} {summary}"
    if explain:
        yield from ["", "Hidden:"] if menu.hidden else ["", "Nothing is hidden."]
        yield from (f"{hidden.tool.name:<20} {hidden.reason}" for hidden in menu.hidden)


def _lines(registry: Registry, menu: Menu, *, explain: bool, everything: bool) -> Iterator[str]:
    yield from tool_lines(menu, explain=explain)
    if everything:
        yield from ["", "All known tools:"]
        for entry in registry:
            server = f", server {entry.server}" if entry.server else ""
            names = f" (also {', '.join(entry.tool.aliases)})" if entry.tool.aliases else ""
            yield f"{entry.tool.name:<20} {entry.provider}{server}{names}"
