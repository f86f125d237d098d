"""A skill that may be used: found, read, and either the person's own or trusted by content."""

from __future__ import annotations

from pathlib import Path

from handrail.contract.values import value
from handrail.policy.patterns import PathPattern
from handrail.policy.rules import Rule

FILE = "SKILL.md"


@value
class Skill:
    """What a model may activate."""

    name: str
    """Unique among those found: letters, digits, `-`, `_`, `.`."""
    description: str
    """One line: what it is good for, and when."""
    folder: Path
    text: str
    """What stands in its SKILL.md behind the front matter."""
    allows: tuple[Rule, ...] = ()
    """Its `allowed-tools`: they hold for the turn in which it was activated."""
    paths: tuple[PathPattern, ...] = ()
    """It is offered where such a file is read, and not before."""
    digest: str = ""
    """Of the folder's content as it was trusted; empty for what is the person's own."""
