"""What a played model says: turns of text and tool calls, written by a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Use:
    """One tool call. `id` is given by the script's place, so that a script reads without them."""

    name: str
    arguments: Mapping[str, Any]
    id: str = ""


@dataclass(frozen=True)
class Turn:
    """One response: thinking, then text, then calls."""

    text: str = ""
    uses: tuple[Use, ...] = ()
    thinking: str = ""
    id: str = ""


def says(text: str, *uses: Use, thinking: str = "") -> Turn:
    return Turn(text, uses, thinking)


def numbered(script: Sequence[Turn]) -> list[Turn]:
    """The same turns with ids: `turn1`, and `turn1_call2` for its second call."""
    return [
        Turn(
            turn.text,
            tuple(Use(use.name, use.arguments, f"turn{t}_call{c}") for c, use in enumerate(turn.uses, 1)),
            turn.thinking,
            f"turn{t}",
        )
        for t, turn in enumerate(script, 1)
    ]
