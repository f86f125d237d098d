"""Which moments are struck: a seeded sample, or all of them with HANDRAIL_FAULTS=all."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from random import Random

SAMPLE = 3
PAIRS = 4
ALL_PAIRS = 150
"""Of two moments there are more than anybody can wait for."""
SOON = 40
"""So many moments of a kind are left in most lives that take over."""

Moment = tuple[str, int]
"""A kind, and which of that kind, from 1."""


def moments_to_try(kind: str, counts: Mapping[str, int]) -> Sequence[int]:
    every = range(1, counts[kind] + 1)
    if _all_of_them() or len(every) <= SAMPLE:
        return every
    return sorted(Random(kind).sample(every, SAMPLE))


def pairs_to_try(kinds: Sequence[str], counts: Mapping[str, int]) -> list[tuple[Moment, Moment]]:
    """A moment of one life, and one of the life that takes over."""
    random = Random("pairs")

    def moment(most: int) -> Moment:
        kind = random.choice(kinds)
        return kind, random.randint(1, min(counts[kind], most))

    return [(moment(max(counts.values())), moment(SOON)) for _ in range(ALL_PAIRS if _all_of_them() else PAIRS)]


def _all_of_them() -> bool:
    return os.environ.get("HANDRAIL_FAULTS") == "all"
