"""A tool's own description in a family's names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from handrail.catalog.faces.face import Face
from handrail.catalog.faces.family import Family
from handrail.catalog.faces.parameter import FaceParameter

_QUOTED = re.compile(r"`(\w+)`")


def described(description: str, family: Family, face: Face | None) -> str:
    """Names of tools and parameters stand in backticks."""
    if not family.names:
        return description
    renamed = dict(_renamed((face and face.parameters) or {}))

    def name_of(found: re.Match[str]) -> str:
        return f"`{family.name_of(found[1]) or renamed.get(found[1], found[1])}`"

    return _QUOTED.sub(name_of, description)


def _renamed(parameters: Mapping[str, FaceParameter]) -> Iterator[tuple[str, str]]:
    """The tool's own names and the family's, at any depth."""
    for name, parameter in parameters.items():
        if parameter.to and not parameter.hidden:
            yield parameter.to, name
        yield from _renamed(parameter.fields or parameter.items or {})
