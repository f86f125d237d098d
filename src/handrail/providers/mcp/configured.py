"""The servers that settings configure, as providers: all start at once, each for itself."""

from __future__ import annotations

from collections.abc import Iterator

from handrail.contract.provider import Condition, Provider, Shelf, SourceStatus
from handrail.contract.window import Window
from handrail.providers.mcp.around import Around
from handrail.providers.mcp.offering import Offering
from handrail.providers.mcp.resources import ResourceTools
from handrail.providers.mcp.server import McpServer
from handrail.settings.keys import MCP_SHARE
from handrail.settings.load import Settings
from handrail.settings.mcp.server import ServerConfig


def configured_servers(settings: Settings, around: Around, window: Window | None = None) -> Iterator[Provider]:
    """In the order of their configuration. One that nobody trusts changes nothing for the others. Their tools share
    what they may take of `window`; None: nobody knows it."""
    servers = settings.servers
    guests = [server.name for server in servers.usable if server.of_workspace]
    offering = Offering([server.name for server in servers.usable], settings[MCP_SHARE], guests)
    if window is not None:
        window.follow(offering.fit)
    usable = [McpServer(server, around, offering) for server in servers.usable]
    yield from usable
    yield ResourceTools(usable)
    for server in servers.untrusted:
        yield UntrustedServer(server)


class UntrustedServer:
    """A server that came with the workspace and that nobody said yes to: it is told of, and not started."""

    is_stale = False

    def __init__(self, config: ServerConfig) -> None:
        self.name = f"MCP server {config.name}"
        self._config = config

    async def provide(self, shelf: Shelf) -> None:
        detail = f"{self._config.origin} came with the workspace; look with `handrail trust show`, then `trust add`"
        shelf.say(SourceStatus(self._config.name, Condition.UNTRUSTED, detail))

    async def refresh(self) -> None:
        """A yes holds from the next start on."""
