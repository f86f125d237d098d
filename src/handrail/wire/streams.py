"""What streams have in common: several responses one after the other, and things sent out of order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from handrail.contract.basics import Json, JsonObject

T = TypeVar("T")


def in_order(things: Sequence[T], index_of: Callable[[T], int | None]) -> Sequence[T]:
    """By index, where the indices tell all of them apart; else as they came."""
    indexed = {index: thing for thing in things if (index := index_of(thing)) is not None}
    return [indexed[index] for index in sorted(indexed)] if len(indexed) == len(things) else things


def split(
    events: Sequence[JsonObject | None], *, id_of: Callable[[JsonObject], Json], ends: Callable[[JsonObject], bool]
) -> list[list[JsonObject | None]]:
    """The events of each response; never none. None stands for the end marker `[DONE]`.

    A new response starts after the end marker, or where the id changes after a response has said that it
    is finished. An id that changes earlier means nothing: some servers make a new one for every event.
    """
    turns: list[list[JsonObject | None]] = [[]]
    finished: bool = False
    marked: bool = False
    current: Json = None
    for event in events:
        if event is None:
            turns[-1].append(None)
            marked = True
            continue
        id = id_of(event)
        if marked or (finished and id and current and id != current):
            turns.append([])
            finished = marked = False
        turns[-1].append(event)
        current = id or current
        finished = finished or ends(event)
    return turns
