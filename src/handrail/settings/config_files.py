"""The config.toml files of all layers, and what each says."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from handrail.contract.values import value
from handrail.policy.rule_sets import RuleSet, denying_everything
from handrail.policy.toml_text import NotToml
from handrail.settings.config_text import Said, read_config
from handrail.settings.keys import ADD_DIRS
from handrail.settings.opening import Opened, Opener, Place
from handrail.settings.origin import Given, Layer, Origin
from handrail.settings.places import WORKSPACE_FOLDER, Folders
from handrail.settings.reading import Unreadable
from handrail.settings.trust import TrustKind

NO_RULES = RuleSet()


@value
class ConfigFile:
    """One config.toml that is there."""

    place: Place
    said: Said
    opened: Opened | None = None
    """None when it can't be read."""
    denying: RuleSet = NO_RULES
    """Denies everything when the file can't be understood: it may list policies that deny."""


def places_of(stem: str, workspace: Path, folders: Folders) -> tuple[Place, ...]:
    """Where `STEM.toml` may lie, from what yields to what wins."""
    return (
        *(
            Place(folder / f"{stem}.toml", Origin(layer, str(folder / f"{stem}.toml")))
            for layer, folder in ((Layer.SYSTEM, folders.system), (Layer.USER, folders.user))
        ),
        *(
            Place(workspace / WORKSPACE_FOLDER / name, Origin(layer, f"{WORKSPACE_FOLDER}/{name}"))
            for layer, name in ((Layer.PROJECT, f"{stem}.toml"), (Layer.LOCAL, f"{stem}.local.toml"))
        ),
    )


def config_files(opener: Opener, folders: Folders) -> Iterator[ConfigFile]:
    for place in places_of("config", opener.workspace, folders):
        try:
            opened = opener.open(place, TrustKind.SETTINGS)
        except Unreadable as error:
            yield _unusable(place, 1, str(error))
            continue
        if opened is not None:
            yield _read(opened, opener.workspace if place.origin.layer.is_of_workspace else None)


def _read(opened: Opened, base: Path | None) -> ConfigFile:
    place = opened.place
    try:
        said = read_config(opened.text, place.origin, base, opened.doubt)
    except NotToml as error:
        return _unusable(place, error.line, str(error))
    return ConfigFile(place, said, opened)


def _unusable(place: Place, line: int, problem: str) -> ConfigFile:
    origin = place.origin
    return ConfigFile(place, Said(), denying=denying_everything(origin.name, line, problem, origin.layer.scope))


def only_folders(said: Said, workspace: Path) -> Said:
    """Without the added folders that can't be: one that is gone must not keep anybody from starting.

    Those of the command line stay: opening the session tells of them.
    """
    givens, problems = [], list(said.problems)
    for key, given in said.givens:
        if key is ADD_DIRS and given.origin.layer is not Layer.FLAG and isinstance(given.value, tuple):
            given, wrong = _folders(given, workspace)
            problems += wrong
        givens.append((key, given))
    return Said(tuple(givens), tuple(problems))


def _folders(given: Given, workspace: Path) -> tuple[Given, list[str]]:
    kept, problems = [], []
    for path in map(Path, given.value if isinstance(given.value, tuple) else ()):
        of_workspace = given.origin.layer.is_of_workspace
        path = Path(os.path.normpath(path)) if of_workspace else path
        if not os.path.isdir(path):  # unlike Path.is_dir, it takes names of any length
            problems.append(f"{given.origin}: add_dirs: {path} is not a folder; it is left out")
        elif of_workspace and _leads_out(path, workspace):
            problems.append(f"{given.origin}: add_dirs: {path} is a link out of the workspace; name the folder itself")
        else:
            kept.append(path)
    return Given(tuple(kept), given.origin, given.doubt), problems


def _leads_out(path: Path, workspace: Path) -> bool:
    """A yes is to a name and not to where a link that came with the workspace leads tomorrow."""
    real = Path(os.path.realpath(workspace))
    inside = path.is_relative_to(workspace) or path.is_relative_to(real)
    return inside and not Path(os.path.realpath(path)).is_relative_to(real)
