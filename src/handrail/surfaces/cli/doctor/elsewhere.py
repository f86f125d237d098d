"""Where tools come from beside the built-in ones: what can be seen without starting anything."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator, Mapping

from handrail.contract.context import Workspace
from handrail.settings.load import Settings
from handrail.settings.mcp.server import ServerConfig, Stdio
from handrail.surfaces.cli.doctor.finding import Finding, Health


def servers(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """One for each server that may start; what waits for trust is told with all else that does."""
    for server in settings.servers.usable:
        if server.enabled:
            yield _server(server, Workspace(settings.workspace), environ)


def _server(server: ServerConfig, workspace: Workspace, environ: Mapping[str, str]) -> Finding:
    about, shown = "mcp server", server.shown or server.name
    if server.problem:
        return Finding(about, Health.FAIL, f"{server.name}: {server.problem}", f"mend it in {server.origin}")
    transport = server.transport
    if isinstance(transport, Stdio) and (where := _missing_in(transport, workspace, environ)):
        found = f"{server.name}: there is no program {transport.command} {where}"
        return Finding(about, Health.FAIL, found, f"install it, or mend {server.origin}")
    start = f"handrail mcp test {shlex.quote(server.name)} starts it"
    return Finding(about, Health.OK, f"{server.name}: {shown}, not started", start)


def _missing_in(transport: Stdio, workspace: Workspace, environ: Mapping[str, str]) -> str:
    """Where its program was looked for in vain, as when it is started; empty where it is there."""
    if os.path.dirname(transport.command):
        folder = workspace.absolute(transport.cwd)
        return "" if shutil.which(folder / transport.command) else f"in {folder}"
    path = {**environ, **transport.env}.get("PATH")
    return "" if shutil.which(transport.command, path=path) else "on PATH"
