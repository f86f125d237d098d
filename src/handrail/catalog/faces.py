"""What the model families call the tools. The names are data: `faces.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from handrail.contract.tool import Tool
from handrail.contract.values import value


@value
class Family:
    """A group of models that were trained on one vocabulary."""

    name: str
    models: tuple[str, ...]
    """A model whose name holds one of these belongs to the family."""
    names: Mapping[str, str]
    """Tool name → the family's name for it."""


OURS = Family("handrail", (), {})


@cache
def families() -> tuple[Family, ...]:
    import tomllib  # most runs need no family but our own

    data = tomllib.loads(Path(__file__).with_name("faces.toml").read_text("utf-8"))
    return tuple(Family(name, tuple(entry["models"]), entry["names"]) for name, entry in data.items())


def family_of(model: str) -> Family:
    """The family of a model by its name; our own vocabulary for a model nobody knows."""
    lowered = model.lower()
    if not lowered:
        return OURS
    return next((f for f in families() if any(part in lowered for part in f.models)), OURS)


def face_name(tool: Tool[Any], family: Family) -> str:
    return family.names.get(tool.name, tool.name)


@cache
def tool_of_face(name: str) -> str | None:
    """The tool that some family knows by this name."""
    return next((tool for family in families() for tool, face in family.names.items() if face == name), None)


@cache
def faces_of(tool: str) -> tuple[str, ...]:
    """What the model families call the tool of this name."""
    return tuple(dict.fromkeys(family.names[tool] for family in families() if tool in family.names))
