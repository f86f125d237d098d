"""Skills: folders of instructions that a model takes up when it needs them. What one is, and when it is one for a
path, is for whoever implements this."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from handrail.contract.values import value


@value
class SkillOffer:
    """A skill, as it is offered to a model."""

    name: str
    description: str
    """One line for the model: what it is good for."""


@value
class ActiveSkill:
    """A skill that the model took up."""

    name: str
    folder: Path
    """From here on its files may be read as those of the workspace are."""
    text: str
    """Its instructions: somebody's text, which changes nothing about what is allowed."""
    files: tuple[str, ...]
    """What lies beside its SKILL.md, relative to the folder, with slashes."""
    more: int = 0
    """How many files beyond those are not named."""
    allows: bool = False
    """Until the turn ends, some calls that would be asked about are not."""


class SkillOffers(Protocol):
    """Says which skills name a path, so that the model hears of them when it reads there."""

    def for_path(self, path: Path) -> Sequence[SkillOffer]:
        """`path` is absolute, with its links resolved. Never blocks."""
        ...


class Skills(SkillOffers, Protocol):
    """The skills of a session."""

    async def activate(self, name: str) -> ActiveSkill:
        """Takes a skill up. Raises ToolFailed for one that is not there, or is no longer what was trusted."""
        ...
