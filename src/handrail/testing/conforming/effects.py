"""Compares what a call declared with what was seen of it: in this process, and in the workspace."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from handrail.contract.context import Workspace
from handrail.policy.places import Zone, within
from handrail.runtime.surveyor import Surveyor, Use
from handrail.testing.conforming.declared import Declared, is_address
from handrail.testing.conforming.listing import changes
from handrail.testing.conforming.report import Problem
from handrail.testing.conforming.touches import How, Touch
from handrail.testing.conforming.trial import Trial

_DECLARE = "Declare it: mark the parameter, or name it in effects()."


def effect_problems(trial: Trial) -> Iterator[Problem]:
    return (Problem("effects", f"{trial.example} {fault}") for fault in effect_faults(trial))


def effect_faults(trial: Trial) -> Iterator[str]:
    """All that was touched and not declared. A call that declares `unknown` has declared everything."""
    declared = Declared.of(trial.effects)
    seen = _Seen(trial, declared)
    running = list(_once(trial.watch.running))
    for touch in _once(trial.watch.early):
        if not seen.is_free(touch):
            yield f"{_shown(touch, trial)} before anybody allowed it. Do that in run, not in check."
    for touch in running:
        if touch.how is How.MOVED:
            yield f"{_shown(touch, trial)}, which moves every other call. Use absolute paths."
    if declared.is_unknown:
        return
    for path, did in seen.undeclared_writes().items():
        kept = "which only declares reads" if declared.only_reads else "whose effects don't hold that as written"
        yield f"{did} {trial.shown(path)}, {kept}. {_DECLARE}"
    for touch in running:
        if touch.how is How.READ and not (declared.holds_read(touch.what) or seen.is_free(touch)):
            yield f"{_shown(touch, trial)}, which its effects don't hold as read. {_DECLARE}"
    for touch in _undeclared_hosts(running, declared):
        yield f"{_shown(touch, trial)}, a host that its effects don't hold. {_DECLARE}"
    for touch in running:
        if touch.how is How.STARTED:
            yield f"{_shown(touch, trial)} by itself. Take the Launcher, which can stop and confine it."


def temporary_leftovers(trial: Trial) -> Iterator[str]:
    """Files that the call made in the folder for temporary ones, and that are still there."""
    for path, existed in _first_seen(trial.watch.running).items():
        if not existed and path in trial.lasting and _is_temporary(path, trial):
            yield path


class _Seen:
    """What was seen of one call, without what is nobody's business."""

    def __init__(self, trial: Trial, declared: Declared) -> None:
        self._trial = trial
        self._declared = declared
        self._existed = _first_seen(trial.watch.running)

    def is_free(self, touch: Touch) -> bool:
        """Reading programs, libraries, and temporary files of its own, is nobody's business."""
        if touch.how is not How.READ:
            return False
        if self._existed.get(touch.what) is False:
            return True
        return not self._trial.holds(touch.what) and self._is_program(touch.what)

    def _is_program(self, path: str) -> bool:
        fact = Surveyor.of(Workspace(self._trial.root), Path.home(), None).path(Path(path), Use("read"))
        if fact.zone is Zone.SYSTEM and not fact.secret:
            return True
        return any(within(path, folder) for folder in _package_folders())

    def undeclared_writes(self) -> dict[str, str]:
        """Path → what was done to it."""
        found: dict[str, str] = {}
        for change in changes(self._trial.before, self._trial.after):
            path = str(self._trial.root / change.path)
            makes_way = change.did == "created" and self._declared.leads_to_write(path)
            if not (self._declared.holds_write(path) or makes_way):
                found[path] = change.did
        for path, existed in self._existed.items():
            declared = self._declared.holds_write(path) or (not existed and self._declared.leads_to_write(path))
            if not (declared or path == os.devnull or self._came_and_went(path, existed)):
                found.setdefault(path, "opened for writing, changed or removed")
        return found

    def _came_and_went(self, path: str, existed: bool) -> bool:
        """A file of its own for a while, in the folder for such files or where it then took the declared name."""
        if existed or path in self._trial.lasting:
            return False
        return _is_temporary(path, self._trial) or self._declared.is_beside_write(path)


def _first_seen(touches: Iterable[Touch]) -> dict[str, bool]:
    """Whether each path that was written was there before."""
    found: dict[str, bool] = {}
    for touch in touches:
        if touch.how is How.WROTE and touch.is_sure:
            found.setdefault(touch.what, touch.existed)
    return found


def _undeclared_hosts(touches: Sequence[Touch], declared: Declared) -> Iterator[Touch]:
    """A name is looked up and its address connected to; which address belongs to which name is not told."""
    asked = [touch.what for touch in touches if touch.how is How.LOOKED_UP and not is_address(touch.what)]
    named = any(declared.holds_host(host) for host in asked)
    for touch in touches:
        if touch.how not in (How.LOOKED_UP, How.CONNECTED) or declared.holds_host(touch.what):
            continue
        if is_address(touch.what):
            if touch.how is How.CONNECTED and not named:
                yield touch
        elif touch.how is How.LOOKED_UP or touch.what not in asked:
            yield touch


def _once(touches: Iterable[Touch]) -> Iterator[Touch]:
    seen: set[tuple[How, str]] = set()
    for touch in touches:
        if touch.is_sure and (touch.how, touch.what) not in seen:
            seen.add((touch.how, touch.what))
            yield touch


def _package_folders() -> frozenset[str]:
    """Where the packages lie that were imported: their code and data are part of the program."""
    paths = (getattr(module, "__dict__", {}).get("__path__") for module in list(sys.modules.values()))
    return frozenset(os.path.realpath(path) for found in paths if found is not None for path in found)


def _is_temporary(path: str, trial: Trial) -> bool:
    """In the folder for temporary files, where the runs have their copies of the workspace too."""
    return within(path, os.path.realpath(tempfile.gettempdir())) and not trial.holds(path)


def _shown(touch: Touch, trial: Trial) -> str:
    return f"{touch.how} {trial.shown(touch.what)}"
