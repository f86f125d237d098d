"""A tool's own description in the family's names. Pure."""

from __future__ import annotations

import re

from handrail.catalog.faces.family import Family

_QUOTED = re.compile(r"`(\w+)`")


def described(description: str, family: Family) -> str:
    """Names of tools stand in backticks."""
    if not family.names:
        return description
    return _QUOTED.sub(lambda found: f"`{family.name_of(found[1]) or found[1]}`", description)
