"""Opens the way to a server, by the transport that its configuration names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from handrail.contract.launching import LaunchSpec
from handrail.errors import ToolFailed
from handrail.providers.mcp.around import Around
from handrail.providers.mcp.channel import Channel
from handrail.providers.mcp.log import ServerLog
from handrail.providers.mcp.stdio import stdio_channel
from handrail.settings.mcp.server import ServerConfig, Stdio


@asynccontextmanager
async def opened(config: ServerConfig, around: Around, log: ServerLog) -> AsyncIterator[Channel]:
    """Raises what the transport raises when there is no way."""
    match config.transport:
        case Stdio():
            spec = launch_spec(config.transport, around, log)
            async with stdio_channel(around.launcher, spec, log.noise) as channel:
                yield channel
        case _:
            raise ToolFailed("only programs can be reached")


def launch_spec(transport: Stdio, around: Around, log: ServerLog) -> LaunchSpec:
    folder = around.workspace.absolute(transport.cwd) if transport.cwd else around.workspace.root
    return LaunchSpec(
        (transport.command, *transport.args), folder, {**around.environment, **transport.env}, on_error=log.add
    )
