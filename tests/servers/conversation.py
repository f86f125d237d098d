"""What every provider demands of a conversation: each call answered once, in the very next turn, by its id."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

By = Literal["user", "model", "tools"]

_MAY_FOLLOW: dict[str, set[By]] = {"start": {"user"}, "user": {"model"}, "model": {"user"}, "tools": {"model"}}
"""Who may speak after whom; after a model's turn with calls, only the tools may."""


@dataclass(frozen=True)
class Step:
    """One turn of a conversation."""

    by: By
    content: Any
    """As the provider has it; a model's is compared with what the server sent."""
    ids: tuple[str, ...] = ()
    """Of the calls a model made, or of the calls that are answered."""


def problems(steps: Sequence[Step], sent: Sequence[Step], *, alternates: bool) -> Iterator[str]:
    """What is wrong with a conversation. `sent` are the model's turns so far and to come.

    `alternates`: the provider wants user and model in turn; else several user turns may follow each other.
    """
    before: Step | None = None
    turns = iter(sent)
    for place, step in enumerate(steps):
        if step.by not in _may_follow(before, alternates=alternates):
            yield f"turn {place}: {step.by} can't speak after {before.by if before else 'nobody'}"
        if step.by == "tools":
            yield from _answers(place, before, step)
        if step.by == "model":
            expected = next(turns, None)
            if expected is None or step != expected:
                yield f"turn {place}: the model said {expected}, and it came back as {step}"
        before = step
    if before is None or before.by == "model":
        yield "there is nothing to answer: the last turn is the model's own"


def _may_follow(before: Step | None, *, alternates: bool) -> set[By]:
    if before is None:
        return _MAY_FOLLOW["start"]
    if before.by == "model" and before.ids:
        return {"tools"}
    also: set[By] = set() if alternates or before.by == "model" else {"user"}
    return _MAY_FOLLOW[before.by] | also


def _answers(place: int, before: Step | None, step: Step) -> Iterator[str]:
    asked = before.ids if before else ()
    for id, times in (Counter(step.ids) - Counter(asked)).items():
        yield f"turn {place}: {times} result(s) too many for {id!r}"
    for id in Counter(asked) - Counter(step.ids):
        yield f"turn {place}: no result for {id!r}"
    if Counter(asked) == Counter(step.ids) and asked != step.ids:
        yield f"turn {place}: the results are in another order than the calls"
