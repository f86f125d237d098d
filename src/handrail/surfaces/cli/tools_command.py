"""`handrail tools`: what a model would see, and why the rest is hidden. Opens no session, and starts no program
unless it is told to."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from handrail.agent.subagents.types import listed_in, told_without_session
from handrail.catalog import Menu, Registry
from handrail.catalog.toolbox import Toolbox
from handrail.contract.agents import AGENT
from handrail.contract.basics import Json
from handrail.contract.provider import SourceStatus
from handrail.contract.values import value
from handrail.settings.keys import AGENT_DEPTH, ENTRY_POINTS, MODEL
from handrail.settings.load import Settings
from handrail.settings.skills.listing import told_of
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.own_output import OwnOutput, own_output
from handrail.surfaces.cli.policies import notes_on
from handrail.surfaces.cli.settings_here import settings_here, tell_of
from handrail.surfaces.cli.text import printable
from handrail.surfaces.cli.wrapping import wrapped
from handrail.tools import builtin_tools

WIDEST_NAME = 40
"""Characters that a column of names takes at most."""


@value
class Wanted:
    """What is to be printed, and how."""

    as_json: bool
    explain: bool
    everything: bool


def run_tools(workspace: Path, flags: Mapping[str, object], wanted: Wanted, *, start: bool) -> int:
    """`flags` gives settings as typed. `start` runs servers and commands, to ask them for their tools."""
    registry = Registry(builtin_tools())
    settings = settings_here(workspace, flags)
    tell_of(settings)
    with own_output() as output:
        _run(registry, settings, wanted, output, start=start)
    return 0


def _run(registry: Registry, settings: Settings, wanted: Wanted, output: OwnOutput, *, start: bool) -> None:
    if not _has_tools_elsewhere(settings):
        _show(registry, settings, wanted, (), output)
        return
    from handrail.surfaces.cli.sources import SourceNotes  # a list of the built-in tools alone needs no event loop
    from handrail.surfaces.cli.tools_elsewhere import with_tools_elsewhere

    def show(sources: tuple[SourceStatus, ...], left: tuple[str, ...]) -> None:
        notes = SourceNotes(settings.problems)
        for status in sources:
            notes.tell(status)
        if left:
            exits.told(printable(f"not asked for their tools: {', '.join(left)}; --start starts them, and asks"))
        _show(registry, settings, wanted, sources, output)

    with_tools_elsewhere(registry, settings, show, start=start)


def _has_tools_elsewhere(settings: Settings) -> bool:
    folders = any(folder.is_there for folder in settings.tool_folders)
    servers = settings.servers.usable or settings.servers.untrusted
    return bool(folders or settings[ENTRY_POINTS] or settings.tool_commands or servers)


def _show(
    registry: Registry, settings: Settings, wanted: Wanted, sources: tuple[SourceStatus, ...], output: OwnOutput
) -> None:
    policy = settings.policy()
    for note in notes_on(policy.rules, registry.knows):
        exits.told(printable(note))
    agents = told_without_session(settings.agents.usable, deepest=settings[AGENT_DEPTH])
    menu = Toolbox(registry, lambda: policy, told_of(settings.skills.usable), lambda: agents).menu(settings[MODEL])
    if wanted.as_json:
        output.line(json.dumps(_report(registry, menu, wanted, sources)))
    else:
        lines = map(printable, _lines(registry, menu, wanted, sources))
        output.line("\n".join(part for line in lines for part in wrapped(line, output.columns)))


def _report(registry: Registry, menu: Menu, wanted: Wanted, sources: tuple[SourceStatus, ...]) -> dict[str, Json]:
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
    if wanted.explain:
        report["hidden"] = [{"tool": hidden.tool.name, "reason": hidden.reason} for hidden in menu.hidden]
    if wanted.everything:
        report["sources"] = [
            {
                "name": source.name,
                "condition": source.condition.value,
                "detail": source.detail,
                "problems": list(source.problems),
            }
            for source in sources
        ]
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
    names = _width(shown.name for shown in menu.tools)
    kinds = max((len(shown.tool.kind.value) for shown in menu.tools), default=0)
    for shown in menu.tools:
        summary = shown.description.split("\n", 1)[0]
        yield f"{shown.name:<{names}}  {shown.tool.kind.value:<{kinds}}  {summary}"
        if shown.tool.name == AGENT:
            yield from (f"{'':<{names}}  {'':<{kinds}}  {line}" for line in listed_in(shown.description))
    if explain:
        yield from ["", "Hidden:"] if menu.hidden else ["", "Nothing is hidden."]
        names = _width(hidden.tool.name for hidden in menu.hidden)
        yield from (f"{hidden.tool.name:<{names}}  {hidden.reason}" for hidden in menu.hidden)


def _width(names: Iterable[str]) -> int:
    """Of a column of names: a longer one breaks its own line alone."""
    return max((len(name) for name in names if len(name) <= WIDEST_NAME), default=0)


def _lines(registry: Registry, menu: Menu, wanted: Wanted, sources: tuple[SourceStatus, ...]) -> Iterator[str]:
    yield from tool_lines(menu, explain=wanted.explain)
    if wanted.everything:
        if sources:
            yield from ["", "Where tools come from:"]
            yield from (f"{source.name}: {source.condition.value}, {source.detail}" for source in sources)
        yield from ["", "All known tools:"]
        width = _width(entry.tool.name for entry in registry)
        for entry in registry:
            server = f", server {entry.server}" if entry.server else ""
            names = f" (also {', '.join(entry.tool.aliases)})" if entry.tool.aliases else ""
            yield f"{entry.tool.name:<{width}}  {entry.provider}{server}{names}"
