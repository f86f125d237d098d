"""Where tools come from beside the built-in ones: what can be seen without starting anything."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping

from handrail.settings.load import Settings
from handrail.settings.mcp.server import ServerConfig, Stdio
from handrail.surfaces.cli.doctor.finding import Finding, Health


def servers(settings: Settings, environ: Mapping[str, str]) -> Iterator[Finding]:
    """One for each server that may start; what waits for trust is told with all else that does."""
    for server in settings.servers.usable:
        if server.enabled:
            yield _server(server, environ)


def _server(server: ServerConfig, environ: Mapping[str, str]) -> Finding:
    about, shown = "mcp server", server.shown or server.name
    if server.problem:
        return Finding(about, Health.FAIL, f"{server.name}: {server.problem}", f"mend it in {server.origin}")
    transport = server.transport
    if isinstance(transport, Stdio) and not _found(transport, environ):
        found = f"{server.name}: there is no program {transport.command} on PATH"
        return Finding(about, Health.FAIL, found, f"install it, or mend {server.origin}")
    return Finding(
        about, Health.OK, f"{server.name}: {shown}, not started", f"handrail mcp test {server.name} starts it"
    )


def _found(transport: Stdio, environ: Mapping[str, str]) -> bool:
    path = {**environ, **transport.env}.get("PATH")
    return shutil.which(transport.command, path=path) is not None
