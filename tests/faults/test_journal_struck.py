"""From a moment on the journal can't be written: its file may not grow, its disk is full, or another process locks it.

The process goes on with the rest of the thirty calls, of which none may do anything now; then others go on where
the journal is as it should be. A seeded sample of the moments; all of them with HANDRAIL_FAULTS=all.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

import pytest
from lives import Lives
from moments import BEGIN
from one_life import DIALECTS, Place
from sampling import moments_to_try
from survival import ended_wrong, left_wrong

SAID = {
    "limit": ("the disk is full; free some space and start again",),
    "full disk": ("the disk is full; free some space", "the disk reported an error; check its space"),
    "lock": ("another process keeps it locked; end that process",),
}
"""What the messages advise."""


@contextmanager
def disk(folder: Path, fault: str) -> Iterator[None]:
    """Where a disk is to be full, a small one of its own."""
    if fault != "full disk":
        yield
        return
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "handrail-faults", os.fspath(folder)]
    mounted = subprocess.run(mount, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no small disk can be mounted here, and the page limit stands for it: {mounted.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", os.fspath(folder)], check=True)


@pytest.mark.parametrize("fault", SAID)
def test_without_a_journal_nothing_starts_and_nothing_told_is_lost(lives: Lives, tmp_path: Path, fault: str) -> None:
    wrong: dict[str, list[str]] = {}
    failed = 0
    for at, wire in zip(moments_to_try(BEGIN, lives.counts), cycle(DIALECTS)):
        place = Place(tmp_path / str(at))
        place.make()
        with disk(place.state, fault):
            assert lives.live(place, wire, BEGIN, at, fault) == 0
            place.filler.unlink(missing_ok=True)
            failed += bool(errors(place))
            found = [*left_wrong(place), *(said for said in errors(place) if not any(map(said.count, SAID[fault])))]
            assert lives.live(place, wire) == 0
            found += ended_wrong(place, wire)
        if found:
            wrong[f"{fault} {at} {wire}"] = found
    assert wrong == {}
    assert failed, "no journal failed"


def errors(place: Place) -> list[str]:
    """What the process was told of its journal."""
    said = [entry["said"] for entry in place.kept("errors")]
    return said + [told["fault"] for told in place.kept("told") if not told["sure"]]
