"""Reads the families' data: names from `families.toml`, and what else there is to a face from its family's own file."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from handrail.catalog.faces.face import Face
from handrail.catalog.faces.family import OURS, Family
from handrail.catalog.faces.parameter import FaceParameter

_HERE = Path(__file__).parent


@cache
def families() -> tuple[Family, ...]:
    """In the order in which a model's name is looked for in them: those with a base, which are narrower, first."""
    read: dict[str, Family] = {}
    for name, entry in _toml("families").items():
        base = read.get(entry.get("base", ""), OURS)
        read[name] = Family(
            name,
            tuple(entry["models"]),
            {**base.names, **entry.get("names", {})},
            {**base.past, **entry.get("past", {})},
            frozenset(entry.get("lacks", base.lacks)),
            entry.get("base", ""),
        )
    return tuple(sorted(read.values(), key=lambda family: not family.base))


def family_of(model: str) -> Family:
    """The family of a model by its name; our own vocabulary for a model nobody knows."""
    lowered = model.lower()
    if not lowered:
        return OURS
    return next((f for f in families() if any(part in lowered for part in f.models)), OURS)


@cache
def faces_of(tool: str) -> tuple[str, ...]:
    """What the model families call the tool of this name."""
    names = (name for family in families() for name in family.all_names_of(tool))
    return tuple(dict.fromkeys(name for name in names if name != tool))


@cache
def face(family: str, name: str) -> Face:
    """What a family knows by a name. Raises KeyError for a name that it does not know."""
    of = next(each for each in families() if each.name == family)
    tool = of.names[name]
    entries = _toml(family)
    if of.base and name not in entries:
        entries = _toml(of.base)
    entry: Mapping[str, Any] = entries.get(name, {})
    parameters = entry.get("parameters")
    return Face(
        name,
        tool,
        None if parameters is None else _parameters(parameters),
        entry.get("constants", {}),
        form=entry.get("form", ""),
        text=entry.get("text", ""),
        description=_described(family, name) or _described(of.base, name),
    )


@cache
def _toml(name: str) -> dict[str, Any]:
    import tomllib  # most runs need no family but our own

    path = _HERE / f"{name}.toml"
    return tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}


def _described(family: str, name: str) -> str:
    told = _HERE / family / f"{name}.md"
    return told.read_text("utf-8").strip() if family and told.is_file() else ""


def _parameters(entries: Mapping[str, Any]) -> dict[str, FaceParameter]:
    return {name: _parameter(entry) for name, entry in entries.items()}


def _parameter(entry: str | Mapping[str, Any]) -> FaceParameter:
    """A text is the tool's own name of it. Raises TypeError for a key that is none."""
    if isinstance(entry, str):
        return FaceParameter(entry)
    said = dict(entry)
    for nested in ("fields", "items"):
        if nested in said:
            said[nested] = _parameters(said[nested])
    return FaceParameter(said.pop("to", ""), **said)
