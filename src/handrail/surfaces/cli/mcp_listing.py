"""`handrail mcp list`: each server, where it is configured, and how it stands as far as that is known unstarted."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from handrail.contract.basics import Json
from handrail.contract.values import value
from handrail.providers.mcp.tokens import Logins
from handrail.settings.load import Settings
from handrail.settings.mcp.server import Http, ServerConfig
from handrail.settings.places import folders
from handrail.surfaces.cli.mcp_servers import reached
from handrail.surfaces.cli.settings_here import settings_here, tell_problems
from handrail.surfaces.cli.text import printable


@value
class Row:
    """One server."""

    server: ServerConfig
    trust: str
    """`yours`, `trusted` where it came with the workspace and got a yes, or `untrusted`."""
    status: str
    """`configured`, `off`, `failed`, `untrusted`, `needs login` or `logged in`."""
    detail: str = ""


def run_list(workspace: Path, *, as_json: bool) -> None:
    settings = settings_here(workspace, {})
    rows = list(_rows(settings, Logins(folders(os.environ).state)))
    if as_json:
        servers: list[Json] = [_report(row) for row in rows]
        click.echo(json.dumps({"version": 1, "workspace": str(settings.workspace), "servers": servers}))
        return
    tell_problems(settings)
    for line in _lines(rows):
        click.echo(line)


def _rows(settings: Settings, logins: Logins) -> Iterator[Row]:
    for server in settings.servers.usable:
        yield Row(server, "trusted" if server.of_workspace else "yours", *_status(server, logins))
    for server in settings.servers.untrusted:
        yield Row(server, "untrusted", "untrusted", "look with `handrail trust show`, then `handrail trust add`")


def _status(server: ServerConfig, logins: Logins) -> tuple[str, str]:
    transport, oauth = server.transport, server.oauth
    if not server.enabled:
        return "off", ""
    if server.problem:
        return "failed", server.problem
    if isinstance(transport, Http) and logins.kept(transport.url):
        return "logged in", ""
    if isinstance(transport, Http) and oauth is not None and oauth.enabled:
        return "needs login", f"handrail mcp login {shlex.quote(server.name)}"
    return "configured", ""


def _kind(server: ServerConfig) -> str:
    return server.transport.kind if isinstance(server.transport, Http) else "stdio"


def _lines(rows: list[Row]) -> Iterator[str]:
    if not rows:
        yield "No server is configured here; add one with `handrail mcp add`."
    widest = max((len(printable(row.server.name)) for row in rows), default=0)
    for row in rows:
        server = row.server
        detail = row.detail.removeprefix(f"{server.origin}: ")  # the line ends with that
        status = f"{row.status}: {detail}" if detail else row.status
        yield f"{printable(server.name):<{widest}}  {_kind(server):<5}  {reached(server)}"
        yield f"{'':<{widest}}  {printable(status)}  ({row.trust}, {printable(server.origin)})"


def _report(row: Row) -> Json:
    return {
        "name": row.server.name,
        "transport": _kind(row.server),
        "reached": reached(row.server),
        "origin": row.server.origin,
        "trust": row.trust,
        "status": row.status,
        "detail": row.detail,
    }
