"""Ids that tell the calls of one response apart, where the provider's own do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from handrail.contract.basics import Json
from handrail.wire.text import well_formed


def usable(given: Json) -> bool:
    """Whether an id names anything at all."""
    return isinstance(given, str) and bool(given.strip()) and well_formed(given)


def unique_ids(given: Sequence[Json], taken: Iterable[Json] = ()) -> list[str]:
    """One id for each call: the given one the first time it is seen, else a `call_N` that nobody uses.

    `N` is the call's place in the response, from 1, so the same response always gets the same ids.
    `taken` are ids in the response that are not calls of the client.
    """
    everyone = {id for id in (*given, *taken) if isinstance(id, str)}
    seen: set[str] = set()
    ids: list[str] = []
    for place, id in enumerate(given, start=1):
        if not isinstance(id, str) or not usable(id) or id in seen:
            id = _free(place, everyone | seen)
        seen.add(id)
        ids.append(id)
    return ids


def _free(place: int, taken: set[str]) -> str:
    name = f"call_{place}"
    again = 2
    while name in taken:
        name = f"call_{place}_{again}"
        again += 1
    return name
