"""The policy files of all layers, and which of their rules hold."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from handrail.contract.decision import RuleRef
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.policy.rule_file import load_policy, load_policy_leniently
from handrail.policy.rule_sets import RuleSet, denying_everything, tightening_only
from handrail.settings.config_files import places_of
from handrail.settings.merging import Setting
from handrail.settings.opening import Opened, Opener, Place
from handrail.settings.origin import Doubt, Given, Layer, Origin
from handrail.settings.places import Folders
from handrail.settings.reading import Unreadable
from handrail.settings.trust import TrustKind


@value
class PolicyFile:
    """One policy file that is there, or should be."""

    place: Place
    holds: RuleSet
    kept_out: tuple[RuleRef, ...] = ()
    """What would loosen something, and doesn't while the file, or what lists it, is in doubt."""
    opened: Opened | None = None
    """None when it can't be read."""


def policy_files(opener: Opener, folders: Folders, listed: Setting) -> Iterator[PolicyFile]:
    """The policy.toml of each layer, then the files that `policies` lists, each once.

    Raises UsageError for what is wrong with a file of the command line: whoever named it is there.
    """
    seen: set[str] = set()
    for place in places_of("policy", opener.workspace, folders):
        file = _file(opener, place)
        if file is not None:
            seen.add(os.path.realpath(place.path))
            yield file
    for given in listed.held:
        if given.doubt is Doubt.UNREADABLE:
            yield _unusable(Place(Path(), given.origin), "policies can't be read")
        for path in _paths(given):
            real = os.path.realpath(path)
            if real not in seen:
                seen.add(real)
                yield _listed(opener, path, given)


def _paths(given: Given) -> Iterator[Path]:
    if isinstance(given.value, tuple):
        yield from given.value


def _listed(opener: Opener, path: Path, given: Given) -> PolicyFile:
    layer = given.origin.layer
    name = path.relative_to(opener.workspace) if _is_ours(path, layer, opener.workspace) else path
    place = Place(path, Origin(layer, str(name)))
    if layer is Layer.FLAG:
        return _of_command_line(place)
    # What came with a workspace is trusted for itself, whoever lists it.
    found = _file(opener, place, None if given.doubt is Doubt.UNTRUSTED else given.doubt)
    return found or _unusable(place, f"is not there, and {given.origin} lists it")


def _is_ours(path: Path, layer: Layer, workspace: Path) -> bool:
    return layer.is_of_workspace and path.is_relative_to(workspace)


def _file(opener: Opener, place: Place, doubt: Doubt | None = None) -> PolicyFile | None:
    """None where there is no such file. `doubt` lies on whatever lists it."""
    try:
        opened = opener.open(place, TrustKind.POLICY)
    except Unreadable as error:
        return _unusable(place, str(error))
    if opened is None:
        return None
    said = load_policy_leniently(opened.text, place.origin.name, place.origin.layer.scope)
    if opened.doubt is None and doubt is None:
        return PolicyFile(place, said, opened=opened)
    return PolicyFile(place, tightening_only(said), said.loosening, opened)


def _of_command_line(place: Place) -> PolicyFile:
    """A policy that somebody names here and now is whole or nothing, and may come through a pipe."""
    name = place.origin.name
    try:
        text = place.path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"the policy file {name} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"the policy file {name} is not UTF-8: byte {error.start}") from error
    return PolicyFile(place, load_policy(text, name))


def _unusable(place: Place, problem: str) -> PolicyFile:
    origin = place.origin
    return PolicyFile(place, denying_everything(origin.name, origin.line or 1, problem, origin.layer.scope))
