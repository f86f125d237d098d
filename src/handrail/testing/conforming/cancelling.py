"""Cancels calls at many moments, the same ones for the same seed, and looks what is left behind."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from handrail.contract.calls import Cancelled, Completed, Executing
from handrail.contract.tool import Tool
from handrail.testing.conforming.effects import effect_faults, temporary_leftovers
from handrail.testing.conforming.examples import Example
from handrail.testing.conforming.listing import Listing, lasting
from handrail.testing.conforming.report import Problem
from handrail.testing.conforming.results import still_running
from handrail.testing.conforming.steps import Moment
from handrail.testing.conforming.trial import Bench, Trial, tried


@dataclass(frozen=True, slots=True)
class FullRuns:
    """Two runs of one example that nobody disturbed; one, where that did not end."""

    trials: tuple[Trial, ...]

    @property
    def example(self) -> Example:
        return self.trials[0].example

    @property
    def turns(self) -> Sequence[int]:
        """Of the last run: what is done for the first time only takes steps of its own."""
        return self.trials[-1].turns

    @property
    def before(self) -> Listing:
        return lasting(self.trials[0].before)

    @property
    def after(self) -> Listing:
        return lasting(self.trials[0].after)

    @property
    def ends_alike(self) -> bool:
        return all(lasting(trial.after) == self.after for trial in self.trials)

    @property
    def starts_processes(self) -> bool:
        return any(trial.starts_processes for trial in self.trials)

    @property
    def only_through_files(self) -> bool:
        """All it writes goes through `Files`, where each file is written whole or not at all."""
        return not any(trial.starts_processes or trial.writes_past_files for trial in self.trials)


async def run_twice(bench: Bench, example: Example) -> FullRuns:
    first = await tried(bench, example)
    return FullRuns((first,) if first.lost else (first, await tried(bench, example)))


async def cancellation_problems(bench: Bench, runs: Sequence[FullRuns], count: int, seed: int) -> list[Problem]:
    """Cancels one call after the other, the examples in turn. Ends with the first that goes wrong."""
    trials = [trial for full in runs for trial in full.trials]
    for number in range(count):
        full = runs[number % len(runs)]
        moment = moment_of(full.turns, seed, number)
        trial = await tried(bench, full.example, moment)
        trials.append(trial)
        found = [*_ending_problems(bench.tool, trial), *effect_faults(trial), *_leftovers(full, trial)]
        if found:
            when = f"cancelled {moment} of {len(full.turns)} (number {number + 1} of {count}, seed {seed})"
            return [Problem("cancellation", f"{trial.example}, {when}, {text}") for text in found]
    # Last, so that what still ran in threads had time to show itself.
    late = {f"{touch.how} {trial.shown(touch.what)}" for trial in trials for touch in trial.watch.late}
    return [
        Problem("cancellation", f"after a call was settled, it still {what}. Wait for all that you started.")
        for what in sorted(late)
    ]


def moment_of(turns: Sequence[int], seed: int, number: int) -> Moment:
    """Every second moment lies just after a step, the others somewhere before the next one.

    `turns` has the turns after each step of a full run.
    """
    step = _drawn(seed, number, "step", len(turns))
    between = turns[step] if number % 2 else 0
    return Moment(step + 1, _drawn(seed, number, "turn", between + 1))


def _drawn(seed: int, number: int, what: str, below: int) -> int:
    """Evenly from 0 to `below`, and the same in every version of Python."""
    digest = hashlib.sha256(f"{seed} {number} {what}".encode()).digest()
    return int.from_bytes(digest[:8]) % below


def _ending_problems(tool: Tool[Any], trial: Trial) -> Iterator[str]:
    if trial.lost:
        yield f"has no result: {trial.lost}."
        return
    if len(trial.settled) != 1:
        yield f"was settled {len(trial.settled)} times; a call is settled once."
    state = trial.settled[-1]
    wanted, advice = _wanted(tool, trial)
    if not isinstance(state, wanted):
        message = f" ({state.fault.message})" if state.fault else ""
        yield f"ended as {type(state).__name__.lower()}{message}. {advice}"
    yield from still_running(trial)


def _wanted(tool: Tool[Any], trial: Trial) -> tuple[type[Completed | Cancelled], str]:
    """The state that the call must end in, and what to do where it does not."""
    if trial.told_in is None:
        return Completed, "That was before it was stopped: give an example that works every time."
    if trial.told_in is Executing and tool.on_cancel == "finish":
        return Completed, "It declares on_cancel='finish', so it is waited for and must come to its end."
    return Cancelled, "Let CancelledError through, and stop: await nothing more than cleaning up."


def _leftovers(full: FullRuns, trial: Trial) -> Iterator[str]:
    """What lies in the workspace that was there neither before nor after a run. Child processes are not held to it."""
    for path in temporary_leftovers(trial):
        yield f"left the temporary file {path} behind. Remove it in a finally."
    if trial.starts_processes or full.starts_processes or not full.ends_alike:
        return
    before, after, found = full.before, full.after, lasting(trial.after)
    for path in sorted(before.keys() | after.keys() | found.keys()):
        if path not in before and path not in after:
            yield f"left {path} behind. Remove it in a finally, or write through Files."
        elif full.only_through_files and not _is_either(path, found, before, after):
            yield f"left {path} neither as it was before nor as it is after. Write it once, through Files."


def _is_either(path: str, found: Listing, before: Listing, after: Listing) -> bool:
    return found.get(path) in (before.get(path), after.get(path))
