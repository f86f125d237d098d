"""Skills that a file calls for. What a skill is, and when it is one for a path, is for whoever implements this."""

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


class SkillOffers(Protocol):
    """Says which skills name a path, so that the model hears of them when it reads there."""

    def for_path(self, path: Path) -> Sequence[SkillOffer]:
        """`path` is absolute, with its links resolved. Never blocks."""
        ...
