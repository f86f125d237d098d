"""`handrail config`: which settings hold in a folder, and where each comes from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from handrail.contract.basics import Json
from handrail.policy.spelling import shown
from handrail.settings.config_files import places_of
from handrail.settings.load import Settings
from handrail.settings.merging import Setting
from handrail.settings.origin import Given, Layer
from handrail.settings.places import folders
from handrail.settings.policy_files import PolicyFile
from handrail.surfaces.cli.options import in_workspace
from handrail.surfaces.cli.settings_here import settings_here, tell_problems, waiting_lines
from handrail.surfaces.cli.text import printable


@click.group("config", no_args_is_help=False)
def config() -> None:
    """Show the settings that hold in a folder, and their origins."""


@config.command("show")
@in_workspace
@click.option("--origin", is_flag=True, help="Also where each comes from, and what it took the place of.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def show(workspace: Path, origin: bool, as_json: bool) -> None:
    """Show every setting with its value, the policy files, and what waits."""
    settings = settings_here(workspace, {})
    if as_json:
        click.echo(json.dumps(_report(settings)))
        return
    tell_problems(settings)
    for line in (*_setting_lines(settings, origin=origin), "", *_policy_lines(settings), *_waiting_lines(settings)):
        click.echo(line)


@config.command("path")
@in_workspace
def path(workspace: Path) -> None:
    """Name the files that are read, what wins last, and which are there."""
    where = folders(os.environ)
    for stem in ("config", "policy"):
        for place in places_of(stem, Path(os.path.expanduser(workspace)).absolute(), where):
            there = "there" if place.path.is_file() else "absent"
            click.echo(f"{place.origin.layer:<8} {there:<7} {printable(str(place.path))}")


def _setting_lines(settings: Settings, *, origin: bool) -> Iterator[str]:
    values = {name: printable(_text(setting.value)) for name, setting in settings.all.items()}
    names, widest = max(map(len, values)), max(map(len, values.values()))
    for name, setting in settings.all.items():
        if origin:
            yield f"{name:<{names}}  {values[name]:<{widest}}  {_origins(setting)}"
            yield from (f"{'':<{names}}  {line}" for line in _others(setting))
        else:
            yield f"{name:<{names}}  {values[name]}"


def _text(value: object) -> str:
    """Names as they are, all else as in TOML; `none` for what is empty."""
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {number}" for name, number in value.items()) or "none"
    return shown(value) if isinstance(value, bool) else str(value) or "none"


def _origins(setting: Setting) -> str:
    """Of a list, the default is told where nothing else is."""
    given = [each for each in setting.held if each.origin.layer is not Layer.DEFAULT] or setting.held
    return printable(", ".join(str(each.origin) for each in given))


def _others(setting: Setting) -> Iterator[str]:
    """What was given and does not hold."""
    for given in reversed(setting.yielded):
        if given.origin.layer is not Layer.DEFAULT:
            yield printable(f"  in the place of {_text(given.value)} ({given.origin})")
    for given in setting.kept_out:
        yield printable(f"  not {_text(given.value)} ({given.origin}): {given.doubt}")


def _policy_lines(settings: Settings) -> Iterator[str]:
    yield "Policy files:" if settings.policies else "No policy files."
    for policy in settings.policies:
        origin = policy.place.origin
        waits = f", {len(policy.kept_out)} without effect: {_doubt(policy)}" if policy.kept_out else ""
        yield printable(f"{origin.layer:<11}  {origin.name}  {_rules(len(policy.holds.rules))} in force{waits}")


def _waiting_lines(settings: Settings) -> Iterator[str]:
    lines = waiting_lines(settings)
    yield from ["", *lines] if lines else []


def _rules(count: int) -> str:
    return "1 rule" if count == 1 else f"{count} rules"


def _doubt(policy: PolicyFile) -> str:
    return str(policy.opened.doubt) if policy.opened is not None and policy.opened.doubt else "its listing is in doubt"


def _report(settings: Settings) -> dict[str, Json]:
    return {
        "version": 1,
        "workspace": str(settings.workspace),
        "settings": [_setting_report(setting) for setting in settings.all.values()],
        "policies": [
            {
                "layer": policy.place.origin.layer,
                "name": policy.place.origin.name,
                "rules": len(policy.holds.rules),
                "kept_out": len(policy.kept_out),
            }
            for policy in settings.policies
        ],
        "waiting": [
            {"kind": each.key.kind, "path": each.key.path, "sha256": each.key.digest, "would": list(each.would)}
            for each in settings.waiting
        ],
        "problems": list(settings.problems),
    }


def _setting_report(setting: Setting) -> dict[str, Json]:
    return {
        "name": setting.key.name,
        "value": _json(setting.value),
        "about": setting.key.about,
        "origins": [_given_report(given) for given in setting.held],
        "overridden": [_given_report(given) for given in setting.yielded],
        "kept_out": [{**_given_report(given), "reason": str(given.doubt)} for given in setting.kept_out],
    }


def _given_report(given: Given) -> dict[str, Json]:
    origin = given.origin
    return {
        "value": _json(given.value),
        "layer": origin.layer,
        "name": origin.name or None,
        "line": origin.line or None,
    }


def _json(value: object) -> Json:
    if isinstance(value, tuple):
        return [str(part) for part in value]
    return dict(value) if isinstance(value, Mapping) else value if isinstance(value, (bool, int, str)) else str(value)
