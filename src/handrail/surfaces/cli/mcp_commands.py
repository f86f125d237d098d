"""`handrail mcp`: the servers that are configured here, with their logins, logs and whether they start."""

from __future__ import annotations

from pathlib import Path

import click

from handrail.surfaces.cli.options import in_workspace

_name = click.argument("name")
_as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


@click.group("mcp", no_args_is_help=False)
def mcp() -> None:
    """Show, add, test and log in to MCP servers."""


@mcp.command("list")
@in_workspace
@_as_json
def list_(workspace: Path, as_json: bool) -> None:
    """Show every server, where it is named, and how it stands.

    None is started.
    """
    from handrail.surfaces.cli.mcp_listing import run_list

    run_list(workspace, as_json=as_json)


@mcp.command("add")
@in_workspace
@_name
@click.argument("command", nargs=-1, metavar="[-- COMMAND [ARGS]…]")
@click.option("--url", metavar="URL", help="Connect to this address instead of starting a command.")
@click.option("--sse", is_flag=True, help="The address speaks the older transport of two channels.")
@click.option("--env", "variables", multiple=True, metavar="NAME=VALUE", help="A variable of the command; repeatable.")
@click.option("--header", "headers", multiple=True, metavar="NAME=VALUE", help="A header of requests; repeatable.")
@click.option(
    "--scope",
    type=click.Choice(["user", "project", "local"]),
    default="user",
    help="Whose: yours everywhere, the project's, or yours in this checkout.",
)
def add(
    workspace: Path,
    name: str,
    command: tuple[str, ...],
    url: str | None,
    sse: bool,
    variables: tuple[str, ...],
    headers: tuple[str, ...],
    scope: str,
) -> None:
    """Write a server into config.toml.

    It is a command that is started, or an address.

    All else in the file stays as it is. In values, '${NAME}' is a variable that is looked up when the server starts:
    write no secret down.
    """
    from handrail.surfaces.cli.mcp_editing import Wanted, run_add

    run_add(workspace, scope, Wanted(name, command, url or "", sse, variables, headers))


@mcp.command("remove")
@in_workspace
@_name
@click.option("--scope", type=click.Choice(["user", "project", "local"]), help="Whose file; found out when not given.")
def remove(workspace: Path, name: str, scope: str | None) -> None:
    """Take a server out of config.toml.

    All else in the file stays as it is.
    """
    from handrail.surfaces.cli.mcp_editing import run_remove

    run_remove(workspace, scope, name)


@mcp.command("test")
@in_workspace
@click.argument("names", nargs=-1, metavar="[NAME]…")
@_as_json
def test(workspace: Path, names: tuple[str, ...], as_json: bool) -> int:
    """Start servers, and show their tools or what went wrong.

    Without NAME: all that are on.

    Exit codes: 0 all are ready; 1 one is not.
    """
    from handrail.surfaces.cli.mcp_testing import run_test

    return run_test(workspace, names, as_json=as_json)


@mcp.command("login")
@in_workspace
@_name
@click.option("--no-browser", is_flag=True, help="Only print the address to visit.")
def login(workspace: Path, name: str, no_browser: bool) -> None:
    """Log in at a server, in the browser.

    Waits for five minutes for you to come back.
    """
    from handrail.surfaces.cli.mcp_logging_in import run_login

    run_login(workspace, name, browser=not no_browser)


@mcp.command("logout")
@in_workspace
@_name
def logout(workspace: Path, name: str) -> None:
    """Forget the login at a server."""
    from handrail.surfaces.cli.mcp_logging_in import run_logout

    run_logout(workspace, name)


@mcp.command("logs")
@_name
@click.option("-n", "--lines", type=click.IntRange(1), default=50, show_default=True, help="How many of the last.")
def logs(name: str, lines: int) -> None:
    """Show what a server wrote on stderr, kept from its latest runs."""
    from handrail.surfaces.cli.mcp_logs import run_logs

    run_logs(name, lines)
