"""Where servers are configured: Handrail's own files, and those of other agents, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from handrail.contract.values import value
from handrail.settings.mcp.forms import CLAUDES, GEMINIS, Form
from handrail.settings.mcp.found import IN_HOME, IN_WORKSPACE
from handrail.settings.opening import Place
from handrail.settings.origin import Layer, Origin

_FORMS: Mapping[str, Form] = {".gemini/settings.json": GEMINIS}
"""The others are Claude Code's."""

MOST_BYTES = 32 * 1024 * 1024
"""Of a file in the home folder: `.claude.json` also holds what was said, and grows to several MB."""


@value
class ServerPlace:
    """A JSON file that may name servers."""

    place: Place
    form: Form


def other_places(workspace: Path, home: Path | None) -> Iterator[ServerPlace]:
    """From what wins to what yields: what came with a workspace never takes the name of what the person has."""
    if home is not None:
        for name in IN_HOME:
            yield ServerPlace(Place(home / name, Origin(Layer.USER, f"~/{name}")), _FORMS.get(name, CLAUDES))
    for name in IN_WORKSPACE:
        yield ServerPlace(Place(workspace / name, Origin(Layer.PROJECT, name)), _FORMS.get(name, CLAUDES))
