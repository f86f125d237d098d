"""Opens the way to a server, by the transport that its configuration names."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from handrail.contract.launching import LaunchSpec
from handrail.providers.mcp.around import Around
from handrail.providers.mcp.channel import Channel
from handrail.providers.mcp.log import ServerLog
from handrail.providers.mcp.sdk import loaded
from handrail.providers.mcp.stdio import stdio_channel
from handrail.settings.mcp.server import Http, ServerConfig, Stdio

if TYPE_CHECKING:
    from handrail.providers.mcp.oauth import SessionLogin


@asynccontextmanager
async def opened(
    config: ServerConfig,
    around: Around,
    log: ServerLog,
    login: SessionLogin | None,
    on_noise: Callable[[], None],
    on_refusal: Callable[[str], None],
) -> AsyncIterator[Channel]:
    """Raises ToolFailed where there is no way, now or later. A program starts while the SDK loads.

    `on_noise` is called for each line that stands where only messages should; the log has it by then. `on_refusal`
    gets, as a clause, how a server at an address answered a greeting that one of the older transport does not know.
    """
    match config.transport:
        case Stdio():
            spec = launch_spec(config.transport, around, log)

            def noise(line: bytes) -> None:
                log.noise(line)
                on_noise()

            async with stdio_channel(around.launcher, spec, noise) as channel:
                yield channel
        case Http():
            await loaded()
            from handrail.providers.mcp.helped import helped
            from handrail.providers.mcp.http import http_channel

            transport = config.transport
            signs = await helped(config.name, transport, around, log) if transport.helper else login
            async with http_channel(transport, config.shown or config.name, signs, on_refusal) as channel:
                yield channel


def launch_spec(transport: Stdio, around: Around, log: ServerLog) -> LaunchSpec:
    folder = around.workspace.absolute(transport.cwd) if transport.cwd else around.workspace.root
    return LaunchSpec(
        (transport.command, *transport.args), folder, {**around.environment, **transport.env}, on_error=log.add
    )


async def login_for(config: ServerConfig, around: Around, tell: Callable[[str], None]) -> SessionLogin | None:
    """Of a server at an address; None where there is nothing to log in to, or no place for logins."""
    if not isinstance(config.transport, Http) or around.state is None:
        return None
    if config.transport.helper or (config.oauth is not None and not config.oauth.enabled):
        return None
    await loaded()
    from handrail.providers.mcp.oauth import SessionLogin
    from handrail.providers.mcp.tokens import Logins

    return SessionLogin(config.name, config.transport.url, Logins(around.state), tell)
