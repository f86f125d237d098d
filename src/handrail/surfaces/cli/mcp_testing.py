"""`handrail mcp test`: starts servers as a session would, and tells what came of it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from handrail.catalog.registry import Registry
from handrail.contract.basics import Json
from handrail.contract.context import Workspace
from handrail.contract.provider import Condition, Prompt, SourceStatus
from handrail.contract.tool import Tool
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.providers.mcp.around import Around
from handrail.providers.mcp.offering import Offering
from handrail.providers.mcp.server import McpServer
from handrail.runtime.environment import child_environment
from handrail.sandbox.none import PlainLauncher
from handrail.settings.keys import PASS_ENV
from handrail.settings.load import Settings
from handrail.settings.mcp.server import ServerConfig
from handrail.settings.places import state_folder
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.mcp_logs import kept_lines, of_last_run
from handrail.surfaces.cli.mcp_servers import usable
from handrail.surfaces.cli.settings_here import settings_here, tell_problems
from handrail.surfaces.cli.text import printable
from handrail.tools import builtin_tools

BESIDE_WITHIN = 10.0
"""Seconds that a server which is ready has for listing its resources and prompts."""
WIDEST_NAME = 40
"""Characters that the column of names takes at most."""
_AGAIN = re.compile(r" It is (?:started again in [\d.e+]+ s|not started again)\.$")
"""A session does that; here it is ended."""
LINES = 10
"""Of a failed server's stderr that are shown."""


@value
class Tested:
    """What came of one server's start."""

    status: SourceStatus
    seconds: float
    tools: tuple[Tool[Any], ...]
    prompts: tuple[Prompt, ...]
    stderr: tuple[str, ...]

    @property
    def is_ready(self) -> bool:
        return self.status.condition is Condition.READY


def run_test(workspace: Path, names: Sequence[str], *, as_json: bool) -> int:
    """Raises UsageError."""
    settings = settings_here(workspace, {})
    chosen = [usable(settings, name) for name in dict.fromkeys(names)]
    if not names:
        tell_problems(settings)
        chosen = [server for server in settings.servers.usable if server.enabled]
        if not chosen:
            raise UsageError("no server that is on is configured here; `handrail mcp list` shows all")
    tested = asyncio.run(_all(chosen, settings))
    if as_json:
        servers: list[Json] = [_report(each) for each in tested]
        click.echo(json.dumps({"version": 1, "workspace": str(settings.workspace), "servers": servers}))
    else:
        for each in tested:
            for line in _lines(each):
                click.echo(line)
    return exits.DONE if all(each.is_ready for each in tested) else exits.FAULT


async def _all(chosen: Iterable[ServerConfig], settings: Settings) -> list[Tested]:
    passed = frozenset(name.upper() for name in settings[PASS_ENV])
    around = Around(
        PlainLauncher(),
        Workspace(settings.workspace),
        child_environment(os.environ, passed),
        state=await asyncio.to_thread(state_folder),
    )
    return await asyncio.gather(*(_tested(server, around) for server in chosen))


async def _tested(config: ServerConfig, around: Around) -> Tested:
    shelf = _Heard(config.name)
    server = McpServer(config, around, Offering([config.name]))
    server.beside.tell = shelf.all_known.set
    began = time.monotonic()
    running = asyncio.create_task(server.provide(shelf))
    waiting = asyncio.create_task(shelf.settled.wait())
    try:
        await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
        seconds = time.monotonic() - began
        if shelf.status.condition is Condition.READY:
            with suppress(TimeoutError):
                async with asyncio.timeout(BESIDE_WITHIN):
                    await shelf.all_known.wait()
        await asyncio.sleep(0)  # what it lists is on the shelf then
    finally:
        for task in (running, waiting):
            task.cancel()
        await asyncio.gather(running, waiting, return_exceptions=True)
    lines = kept_lines(around.state, config.name) if around.state is not None else None
    status = replace(shelf.status, detail=_AGAIN.sub("", shelf.status.detail))
    return Tested(status, seconds, shelf.tools, shelf.prompts, tuple(of_last_run(lines or [])))


class _Heard:
    """A shelf that notes what is put on it, until it is known how the server stands."""

    def __init__(self, name: str) -> None:
        self.status = SourceStatus(name, Condition.STARTING)
        self.tools: tuple[Tool[Any], ...] = ()
        self.prompts: tuple[Prompt, ...] = ()
        self.settled = asyncio.Event()
        self.all_known = asyncio.Event()
        """Set once it is known what the server has beside its tools."""
        self._registry = Registry(builtin_tools())

    def put(self, tools: Iterable[Tool[Any]], prompts: Iterable[Prompt] = ()) -> Sequence[str]:
        problems = self._registry.put("tested", tools)
        self.tools, self.prompts = self._registry.of("tested"), tuple(prompts)
        return problems

    def say(self, status: SourceStatus) -> None:
        if not self.settled.is_set() or status.condition is Condition.READY:
            self.status = status
        if status.condition is not Condition.STARTING:
            self.settled.set()

    def notice(self, text: str) -> None:
        """Told by the status too."""


def _lines(tested: Tested) -> Iterator[str]:
    status = tested.status
    after = "in" if tested.is_ready else "after"
    yield printable(f"{status.name}: {status.condition} {after} {tested.seconds:.2f} s: {status.detail}")
    rows = [(tool.name, tool.description.strip().split("\n", 1)[0]) for tool in tested.tools]
    rows += [(f"/{status.name}:{prompt.name}", prompt.description) for prompt in tested.prompts]
    width = max((len(name) for name, _ in rows if len(name) <= WIDEST_NAME), default=0)
    yield from (printable(f"  {name:<{width}}  {about}") for name, about in rows)
    yield from (printable(f"  problem: {problem}") for problem in status.problems)
    if not tested.is_ready and tested.stderr:
        yield "  the last that it wrote on stderr:"
        yield from (printable(f"    {line}") for line in tested.stderr[-LINES:])


def _report(tested: Tested) -> Json:
    return {
        "name": tested.status.name,
        "status": tested.status.condition,
        "detail": tested.status.detail,
        "seconds": round(tested.seconds, 3),
        "tools": [{"name": tool.name, "description": tool.description} for tool in tested.tools],
        "prompts": [{"name": prompt.name, "description": prompt.description} for prompt in tested.prompts],
        "problems": list(tested.status.problems),
        "stderr": list(tested.stderr[-LINES:]),
    }
