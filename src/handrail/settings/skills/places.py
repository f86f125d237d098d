"""Where skills lie: Handrail's own folders, and those of other agents, as data."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from handrail.settings.opening import Place
from handrail.settings.origin import Layer, Origin
from handrail.settings.places import WORKSPACE_FOLDER, Folders

OTHERS = (".agents/skills", ".claude/skills", ".gemini/skills")
"""In the home folder and in a workspace. `.agents` is what the Agent Skills documentation names for all agents; the
other two are Claude Code's and Gemini CLI's own."""

OURS = "skills"


def skill_places(workspace: Path, folders: Folders, home: Path | None) -> Iterator[Place]:
    """From what wins to what yields: what came with a workspace never takes the name of what the person has."""
    for layer, folder in ((Layer.SYSTEM, folders.system), (Layer.USER, folders.user)):
        yield Place(folder / OURS, Origin(layer, str(folder / OURS)))
    if home is not None:
        for name in OTHERS:
            yield Place(home / name, Origin(Layer.USER, f"~/{name}"))
    for name in (f"{WORKSPACE_FOLDER}/{OURS}", *OTHERS):
        yield Place(workspace / name, Origin(Layer.PROJECT, name))
