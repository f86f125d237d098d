"""`handrail mcp add` and `remove`: one table of a config.toml, and no other character of it."""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

import click

from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.policy.toml_text import NotToml
from handrail.settings.config_files import places_of
from handrail.settings.mcp.forms import LONGEST_NAME, OURS, read_server
from handrail.settings.mcp.showing import is_written_secret
from handrail.settings.opening import Place
from handrail.settings.origin import Layer, Origin
from handrail.settings.places import folders
from handrail.settings.private_files import replace
from handrail.settings.reading import Unreadable, read_in_workspace, read_own
from handrail.settings.toml_edit import CantEdit, Content, with_table, without_table
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.hints import in_that
from handrail.surfaces.cli.mcp_servers import refuse_inside
from handrail.surfaces.cli.text import printable

_SERVERS = ("mcp", "servers")
_LAYERS = {"user": Layer.USER, "project": Layer.PROJECT, "local": Layer.LOCAL}


@value
class Wanted:
    """A server as it was typed."""

    name: str
    command: tuple[str, ...]
    url: str
    sse: bool
    variables: tuple[str, ...]
    headers: tuple[str, ...]

    def content(self) -> Content:
        """Its table. Raises UsageError for what can't be."""
        if not self.name.strip() or not self.name.isprintable() or len(self.name) > LONGEST_NAME:
            raise UsageError(f"that can't name a server: use up to {LONGEST_NAME} visible characters")
        if bool(self.command) == bool(self.url):
            raise UsageError("give either a command, after '--', or --url with an address")
        if self.command and self.command[0].lower().startswith(("http://", "https://")):
            raise UsageError(f"an address is no command: handrail mcp add {shlex.quote(self.name)} --url ADDRESS")
        made: dict[str, str | list[str] | Mapping[str, str]] = {}
        if self.url:
            made["url"] = self.url
            if self.sse:
                made["transport"] = "sse"
        else:
            made["command"] = self.command[0]
            if self.command[1:]:
                made["args"] = list(self.command[1:])
        if (self.url and self.variables) or (self.command and (self.headers or self.sse)):
            raise UsageError("--env goes with a command, --header and --sse with --url")
        if self.variables:
            made["env"] = _pairs(self.variables, "--env")
        if self.headers:
            made["headers"] = _pairs(map(_as_pair, self.headers), "--header")
        return made


def run_add(workspace: Path, scope: str, wanted: Wanted) -> None:
    """Raises UsageError."""
    refuse_inside()
    place, root = _place(workspace, scope), Path(os.path.expanduser(workspace)).absolute()
    content = wanted.content()
    server, _ = read_server(wanted.name, content, OURS, Origin(place.origin.layer, place.origin.name), _EverySet())
    if server.problem:
        raise UsageError(f"{wanted.name}: {server.problem.partition(': ')[2]}")
    text = _text(place, root)
    try:
        made = with_table(text or "", (*_SERVERS, wanted.name), content)
    except CantEdit as error:
        raise UsageError(f"{place.origin.name}: {error}") from error
    except NotToml as error:
        raise UsageError(f"{place.origin.name}:{error.line}: {error}; mend it first") from error
    _write(place, root, made)
    click.echo(f"{printable(wanted.name)} is in {printable(str(place.path))}.")
    _tell_of_secrets(content, place.path)
    if place.origin.layer.is_of_workspace:
        click.echo(f"It starts once you trust that: handrail trust add{in_that(workspace)}")
    else:
        click.echo(f"Try it: handrail mcp test {shlex.quote(wanted.name)}{in_that(workspace)}")


def run_remove(workspace: Path, scope: str | None, name: str) -> None:
    """Raises UsageError."""
    refuse_inside()
    root = Path(os.path.expanduser(workspace)).absolute()
    why = ""
    for each in [scope] if scope else ["local", "project", "user"]:
        place = _place(workspace, each)
        text = _text(place, root)
        if text is None:
            continue
        try:
            made = without_table(text, (*_SERVERS, name))
        except CantEdit as error:
            why = why or ("" if str(error).startswith("there is no") else f"{place.origin.name}: {error}")
            continue
        except NotToml as error:
            raise UsageError(f"{place.origin.name}:{error.line}: {error}; mend it first") from error
        _write(place, root, made)
        click.echo(f"{printable(name)} is no longer in {printable(str(place.path))}.")
        return
    raise UsageError(why or f"no config.toml here has the server {name}; `handrail mcp list` shows which file does")


def _place(workspace: Path, scope: str) -> Place:
    root = Path(os.path.expanduser(workspace)).absolute()
    if not root.is_dir():
        raise UsageError(f"{workspace} is not a folder; name one that exists")
    places = places_of("config", root, folders(os.environ))
    return next(place for place in places if place.origin.layer is _LAYERS[scope])


def _text(place: Place, root: Path) -> str | None:
    """None where there is no file. Raises UsageError."""
    try:
        of_workspace = place.origin.layer.is_of_workspace
        found = read_in_workspace(place.path, root) if of_workspace else read_own(place.path)
    except Unreadable as error:
        raise UsageError(f"{place.origin.name} {error}") from error
    return None if found is None else found.text


def _write(place: Place, root: Path, text: str) -> None:
    """Whoever could read the file still can; a new one in the person's own folder may hold what is theirs alone.

    Raises UsageError, also where a link that came with the workspace leads out of it.
    """
    file = Path(os.path.realpath(place.path))
    if place.origin.layer.is_of_workspace and not file.is_relative_to(os.path.realpath(root)):
        raise UsageError(f"{place.path.parent} leads out of the workspace, to {file.parent}; put a folder in its place")
    try:
        mode = stat.S_IMODE(file.stat().st_mode)
    except FileNotFoundError:
        mode = 0o644 if place.origin.layer.is_of_workspace else 0o600
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace(file, text.encode(), mode)
    except OSError as error:
        raise UsageError(f"{file} can't be written: {error.strerror}") from error


def _as_pair(header: str) -> str:
    """`Name: value`, as requests have it, is taken too."""
    name, colon, value = header.partition(":")
    return f"{name}={value.strip()}" if colon and "=" not in name else header


def _tell_of_secrets(content: Content, file: Path) -> None:
    """What should rather be a variable: the file is for whoever can read it, and may be committed."""
    for table in ("env", "headers"):
        pairs = content.get(table, {})
        for name, text in pairs.items() if isinstance(pairs, Mapping) else ():
            if is_written_secret(name, text):
                exits.told(
                    f"the value of {printable(name)} is written down in {printable(str(file))}; a variable in its "
                    "place, as '${NAME}' in single quotes, is looked up when the server starts"
                )


def _pairs(typed: Iterable[str], option: str) -> dict[str, str]:
    pairs = {}
    for each in typed:
        name, equals, held = each.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option} takes NAME=VALUE")
        pairs[name.strip()] = held
    return pairs


class _EverySet(dict[str, str]):
    """Variables of which each is set: those of today say nothing of when the server starts."""

    def get(self, key: str, default: object = None) -> str:
        return "set"
