"""`handrail mcp login` and `logout`."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from pathlib import Path

import click

from handrail.errors import LoginFailed
from handrail.providers.mcp.tokens import Logins
from handrail.settings.mcp.server import Http, OAuth
from handrail.settings.places import state_folder
from handrail.surfaces.cli.mcp_servers import address_of, at_address, refuse_inside
from handrail.surfaces.cli.settings_here import settings_here
from handrail.surfaces.cli.text import printable

_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


def run_login(workspace: Path, name: str, *, browser: bool) -> None:
    """Raises UsageError, LoginFailed."""
    refuse_inside()
    server, transport = at_address(settings_here(workspace, {}), name)
    # The SDK logs what it also raises, with a traceback.
    logging.getLogger("mcp").addHandler(logging.NullHandler())
    try:
        asyncio.run(_login(transport, server.oauth, Logins(state_folder()), browser=browser))
    except LoginFailed as error:
        raise LoginFailed(f"{name}: {printable(str(error))}") from error
    click.echo(f"Logged in at {printable(name)}. Sessions that run take it up with their next call.")


async def _login(transport: Http, oauth: OAuth | None, logins: Logins, *, browser: bool) -> None:
    from handrail.providers.mcp.login import log_in

    def show(address: str) -> None:
        click.echo(f"Visit this address to log in:\n{printable(address)}")
        if browser and _has_screen():
            opening.append(asyncio.create_task(asyncio.to_thread(_open, address)))

    opening: list[asyncio.Task[None]] = []
    login = await log_in(transport, oauth, show)
    await logins.save(transport.url, login)
    for task in opening:
        task.cancel()


def _open(address: str) -> None:
    import webbrowser

    webbrowser.open(address)


def _has_screen() -> bool:
    """Without one, a browser would take over this terminal."""
    return sys.platform != "linux" or any(os.environ.get(name) for name in _DISPLAYS)


def run_logout(workspace: Path, name: str) -> None:
    """Raises UsageError."""
    refuse_inside()
    address = address_of(settings_here(workspace, {}), name)
    forgotten = asyncio.run(Logins(state_folder()).forget(address))
    click.echo(f"{'Forgot the' if forgotten else 'There was no'} login at {printable(name)}.")
