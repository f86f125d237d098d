"""The servers that settings name, for commands that take one by its name."""

from __future__ import annotations

from handrail.errors import UsageError
from handrail.policy.spelling import unknown
from handrail.runtime.who import governed_by
from handrail.settings.load import Settings
from handrail.settings.mcp.server import Http, ServerConfig
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.text import printable


def usable(settings: Settings, name: str) -> ServerConfig:
    """The server of this name. Raises UsageError where there is none, or where nobody trusts it yet."""
    for server in settings.servers.usable:
        if server.name == name:
            return server
    for server in settings.servers.untrusted:
        if server.name == name:
            raise UsageError(
                f"{name} came with the workspace, in {printable(server.origin)}, and waits for your trust; look with "
                "`handrail trust show`, then `handrail trust add`"
            )
    names = tuple(server.name for server in settings.servers.usable)
    if not names:
        raise UsageError("no server is configured here; add one with `handrail mcp add`")
    raise UsageError(unknown("server", name, names))


def reached(server: ServerConfig) -> str:
    """Its command or address as written, without what has the shape of a secret."""
    return printable(Redactor({}).text(server.shown))


def at_address(settings: Settings, name: str) -> tuple[ServerConfig, Http]:
    """One that can be logged in to. Raises UsageError."""
    server = usable(settings, name)
    if server.problem:
        raise UsageError(f"{name}: {server.problem}")
    if not isinstance(server.transport, Http):
        raise UsageError(f"{name} is a command that is started, and needs no login")
    if server.transport.helper:
        raise UsageError(f"{name} gets its headers from a command, headersHelper, and needs no login")
    if server.oauth is not None and not server.oauth.enabled:
        raise UsageError(f"{name}: {printable(server.origin)} says that it has no login (oauth.enabled = false)")
    return server, server.transport


def address_of(settings: Settings, name: str) -> str:
    """Of one that there may be a login at, whatever else its file got wrong. Raises UsageError."""
    server = usable(settings, name)
    if not isinstance(server.transport, Http):
        raise UsageError(f"{name} is a command that is started, and has no login")
    if not server.transport.url:
        raise UsageError(f"{name}: {server.problem}")
    return server.transport.url


def refuse_inside() -> None:
    """Raises UsageError within a governed call."""
    if why := governed_by(None):
        raise UsageError(f"only a person adds servers and logs in, at a surface of their own; refused: {why}")
