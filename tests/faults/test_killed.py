"""The process is killed (SIGKILL) at every moment of thirty calls, and others go on until the conversation is over.

A seeded sample of the moments; all of them with HANDRAIL_FAULTS=all, as `make test-faults` sets it.
"""

from __future__ import annotations

import signal
from itertools import cycle
from pathlib import Path

import pytest
from lives import Lives
from moments import MOMENTS
from one_life import DIALECTS, Place
from sampling import moments_to_try, pairs_to_try
from survival import ended_wrong, left_wrong

from handrail.wire import Wire

KILLED = -signal.SIGKILL


def struck(lives: Lives, place: Place, wire: Wire, kind: str, at: int) -> tuple[bool, list[str]]:
    """Whether it was killed, for another run may come to fewer moments; and what was wrong then."""
    status = lives.live(place, wire, kind, at)
    assert status in (KILLED, 0)
    return status == KILLED, list(left_wrong(place))


@pytest.mark.parametrize("kind", MOMENTS)
def test_nothing_is_lost_or_done_twice_wherever_the_process_dies(lives: Lives, tmp_path: Path, kind: str) -> None:
    wrong: dict[str, list[str]] = {}
    killed = 0
    for at, wire in zip(moments_to_try(kind, lives.counts), cycle(DIALECTS)):
        place = Place(tmp_path / str(at))
        place.make()
        died, found = struck(lives, place, wire, kind, at)
        killed += died
        assert lives.live(place, wire) == 0
        if found := [*found, *ended_wrong(place, wire)]:
            wrong[f"{kind} {at} {wire}"] = found
    assert wrong == {}
    assert killed, "no run came to the moment"


def test_whoever_takes_over_may_die_as_well(lives: Lives, tmp_path: Path) -> None:
    wires = list(DIALECTS)
    wrong: dict[str, list[str]] = {}
    killed = 0
    for number, (first, second) in enumerate(pairs_to_try(MOMENTS, lives.counts)):
        place, wire = Place(tmp_path / str(number)), wires[number % len(wires)]
        place.make()
        found: list[str] = []
        for kind, at in (first, second):
            died, more = struck(lives, place, wire, kind, at)
            killed += died
            found += more
        assert lives.live(place, wire) == 0
        if found := [*found, *ended_wrong(place, wire)]:
            wrong[f"{first} {second} {wire}"] = found
    assert wrong == {}
    assert killed, "no run came to the moment"
