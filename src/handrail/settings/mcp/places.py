"""Where servers are configured: Handrail's own files, and those of other agents, as data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from handrail.contract.values import value
from handrail.settings.mcp.forms import CLAUDES, GEMINIS, Form
from handrail.settings.opening import Place
from handrail.settings.origin import Layer, Origin

IN_HOME: tuple[tuple[str, Form], ...] = (
    (".claude.json", CLAUDES),
    (".claude/settings.json", CLAUDES),
    (".gemini/settings.json", GEMINIS),
)
IN_WORKSPACE: tuple[tuple[str, Form], ...] = (
    (".mcp.json", CLAUDES),
    (".claude/settings.json", CLAUDES),
    (".claude/settings.local.json", CLAUDES),
    (".gemini/settings.json", GEMINIS),
)

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
        for name, form in IN_HOME:
            yield ServerPlace(Place(home / name, Origin(Layer.USER, f"~/{name}")), form)
    for name, form in IN_WORKSPACE:
        yield ServerPlace(Place(workspace / name, Origin(Layer.PROJECT, name)), form)
