"""`handrail trust`: a person's yes to the exact content of what came with a workspace."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from handrail.contract.basics import Instant, Json
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.runtime.who import governed_by
from handrail.settings.load import Settings
from handrail.settings.places import folders, state_folder
from handrail.settings.trust import TrustBook, TrustKey, TrustStore
from handrail.settings.waiting import Waiting
from handrail.surfaces.cli import exits
from handrail.surfaces.cli.asking import discard_typeahead
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.settings_here import settings_here, tell_problems
from handrail.surfaces.cli.text import printable

_paths = click.argument("paths", nargs=-1, metavar="[PATH]…")


@click.group("trust", no_args_is_help=False)
def trust() -> None:
    """Say yes to what came with a workspace, or take it back. A yes is to exact content: a change voids it."""


@trust.command("list")
@in_workspace
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def list_(workspace: Path, as_json: bool) -> None:
    """What waits for trust in a workspace, and what has it."""
    settings = settings_here(workspace, {})
    book = TrustStore(folders(os.environ).state).read()
    for problem in dict.fromkeys((*settings.problems, *filter(None, [book.problem]))):
        exits.told(printable(problem))
    standings = list(_standings(settings, book))
    if as_json:
        click.echo(json.dumps({"version": 1, "workspace": str(settings.workspace), "items": _report(standings)}))
        return
    widest = max((len(printable(each.key.path)) for each in standings), default=0)
    for each in standings:
        click.echo(f"{printable(each.key.path):<{widest}}  {each.key.kind:<8}  {each.state:<7}  {each.note}".rstrip())
    if not standings:
        click.echo(f"Nothing in {printable(str(settings.workspace))} waits for trust or has it.")


@trust.command("show")
@in_workspace
@_paths
def show(workspace: Path, paths: tuple[str, ...]) -> None:
    """Print what waits for trust whole, and what a yes would switch on."""
    settings = settings_here(workspace, {})
    for waiting in _chosen(settings, paths):
        for line in _content_lines(waiting):
            click.echo(line)


@trust.command("add")
@in_workspace
@click.option("--yes", is_flag=True, help="Trust without asking: for scripts.")
@_paths
def add(workspace: Path, paths: tuple[str, ...], yes: bool) -> None:
    """Show what waits for trust, ask, and keep the yes. Without PATH: all that waits."""
    _refuse_inside()
    settings = settings_here(workspace, {})
    chosen = _chosen(settings, paths)
    if chosen and not yes and not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask at; look with `handrail trust show`, then add --yes")
    store = TrustStore(state_folder())
    for waiting in chosen:
        for line in _content_lines(waiting):
            click.echo(line)
        if yes or _agreed(waiting):
            store.add([waiting.key], Instant(time.time()))
            click.echo(f"Trusted: {printable(waiting.name)}")
        else:
            click.echo(f"Not trusted: {printable(waiting.name)}")


@trust.command("remove")
@in_workspace
@_paths
def remove(workspace: Path, paths: tuple[str, ...]) -> None:
    """Take trust back. Without PATH: all that the workspace has."""
    _refuse_inside()
    real = os.path.realpath(os.path.expanduser(workspace))
    store = TrustStore(state_folder())
    named = {_within(real, path): path for path in paths} if paths else None
    gone = store.remove(real, named)
    for key in gone:
        click.echo(f"No longer trusted: {printable(key.path)}")
    missed = [path for inner, path in (named or {}).items() if inner not in {key.path for key in gone}]
    if missed:
        raise UsageError(f"not trusted, so nothing to take back: {', '.join(map(printable, missed))}")
    if not gone:
        click.echo(f"Nothing in {printable(real)} was trusted.")


@value
class _Standing:
    """How it stands with one thing that is trusted, was, or waits to be."""

    key: TrustKey
    state: str
    """`waiting`, `changed` (since it was trusted), `trusted`, or `gone` (what was trusted is no longer there)."""
    note: str = ""


def _standings(settings: Settings, book: TrustBook) -> Iterator[_Standing]:
    known = book.of(os.path.realpath(settings.workspace))
    places = {(key.kind, key.path) for key in known}
    for waiting in settings.waiting:
        state = "changed" if (waiting.key.kind, waiting.key.path) in places else "waiting"
        yield _Standing(waiting.key, state, f"would switch on {len(waiting.would)}: see `handrail trust show`")
    waits = {(waiting.key.kind, waiting.key.path) for waiting in settings.waiting}
    for key in known:
        if (key.kind, key.path) not in waits:
            when = datetime.fromtimestamp(book.entries[key], UTC).strftime("%Y-%m-%d %H:%M UTC")
            yield _Standing(key, "trusted" if key in settings.trusted else "gone", f"since {when}")


def _report(standings: Iterable[_Standing]) -> list[Json]:
    return [
        {"path": each.key.path, "kind": each.key.kind, "sha256": each.key.digest, "state": each.state}
        for each in standings
    ]


def _chosen(settings: Settings, paths: tuple[str, ...]) -> list[Waiting]:
    """What waits at these paths; all of it when none is named. Raises UsageError for a path where nothing waits."""
    tell_problems(settings)
    if not settings.waiting:
        click.echo(f"Nothing in {printable(str(settings.workspace))} waits for trust.")
    if not paths:
        return list(settings.waiting)
    real = os.path.realpath(settings.workspace)
    wanted = {_within(real, path): path for path in paths}
    there = dict.fromkeys(waiting.key.path for waiting in settings.waiting)
    missed = [path for inner, path in wanted.items() if inner not in there]
    if missed:
        waits = ", ".join(map(printable, there)) or "nothing"
        raise UsageError(f"nothing waits for trust at {', '.join(map(printable, missed))}; what waits: {waits}")
    return [waiting for waiting in settings.waiting if waiting.key.path in wanted]


def _within(workspace: str, path: str) -> str:
    """A path as typed, from here or from the workspace, as trust is kept: relative to the workspace."""
    here = os.path.realpath(path)
    inside = os.path.commonpath([here, workspace]) == workspace
    return Path(os.path.relpath(here, workspace) if inside else os.path.normpath(path)).as_posix()


def _content_lines(waiting: Waiting) -> Iterator[str]:
    yield f"--- {printable(waiting.name)} (sha256 {waiting.key.digest})"
    yield from printable(waiting.text.removesuffix("\n"), keep_lines=True).split("\n")
    yield "--- trusted, it would switch on:"
    yield from (f"  {printable(would)}" for would in waiting.would)


def _agreed(waiting: Waiting) -> bool:
    discard_typeahead(sys.stdin.fileno())
    return click.confirm(f"Trust exactly this content of {printable(waiting.name)}?", default=False)


def _refuse_inside() -> None:
    if why := governed_by(None):
        raise UsageError(f"only a person gives trust or takes it back, at a surface of their own; refused: {why}")
