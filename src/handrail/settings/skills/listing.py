"""The skills as a model is told of them, within a budget. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from handrail.settings.skills.skill import Skill

BUDGET = 8_000
"""Characters: what Claude Code gives its list of skills where it does not know the model's context."""

_STEPS = (1_024, 512, 256, 128, 64, 0)
"""Characters of a description; the specification's longest is the first."""


def told_of(skills: Sequence[Skill]) -> str:
    """What a model is told of them; empty where there are none."""
    lines = listing(skills)
    if lines:
        return f"The skills:\n{lines}"
    return "Skills are offered when you read a file that one is for." if skills else ""


def listing(skills: Sequence[Skill], budget: int = BUDGET) -> str:
    """A line for each skill that is offered at once; those for certain files are offered with the files.

    Where all can't be told in full, all are told more shortly, and only where that is not enough are some left out.
    """
    offered = [skill for skill in skills if not skill.paths]
    if not offered:
        return ""
    texts = ("\n".join(_line(skill, most) for skill in offered) for most in _STEPS)
    whole = next((text for text in texts if len(text) <= budget), None)
    return whole if whole is not None else _names(offered, budget)


def one_line(text: str) -> str:
    """Without what could make it look like more than one line of text."""
    kept = (" " if unicodedata.category(character)[0] in "CZ" else character for character in text)
    return " ".join("".join(kept).split())


def _line(skill: Skill, most: int) -> str:
    description = skill.description
    if len(description) > most:
        description = description[: most - 1] + "…" if most else ""
    return f"- {skill.name}: {description}" if description else f"- {skill.name}"


def _names(offered: Sequence[Skill], budget: int) -> str:
    lines: list[str] = []
    for place, skill in enumerate(offered):
        rest = f"- and {len(offered) - place} more"
        if sum(len(line) + 1 for line in lines) + len(skill.name) + 3 + len(rest) + 1 > budget:
            return "\n".join((*lines, rest))
        lines.append(_line(skill, 0))
    return "\n".join(lines)
