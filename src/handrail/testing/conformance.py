"""The conformance kit for authors of tools: does a tool keep to what the runtime relies on?

    async def test_get_tide_conforms(tmp_path):
        (tmp_path / "tides.csv").write_text("Brest,5.2\\n")
        await assert_conforms(GetTide(), {"port": "Brest"}, workspace=tmp_path)

What is checked:

* name and schema: what a provider takes, valid JSON Schema (2020-12 or draft-07), an object on top, every
  property described, the same text each time, in other processes too; examples fit, and an argument that
  nobody declared is refused or declared welcome.
* effects: what the tool declares holds what it does. Each example runs in a copy of the workspace, through a
  real session; Python's audit events tell what this process opened, changed and connected to, and a listing
  before and after what changed in the workspace. Child processes are seen in that listing only.
* results: parts of the contract's types, text that can be sent, no more than `max_result_chars`.
* cancellation, at many seeded moments: the call is settled once, as cancelled (or to its end, with
  `on_cancel="finish"`), and leaves no task, no child process (seen on Linux) and no temporary file. Each
  file that is written through `Files` is as before or as after.
* determinism: `describe`, `effects` and `opinion` say the same for the same arguments.

Not seen: reading and writing through a file that was open before, what C libraries open by themselves, and
which address belongs to which host name. Child processes are those of this whole process, so tools that start
some are better tried one at a time.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from handrail.contract.basics import JsonObject
from handrail.contract.launching import Launcher
from handrail.contract.tool import Tool
from handrail.errors import UsageError
from handrail.runtime.guard import Returned, guarded_call
from handrail.sandbox.none import PlainLauncher
from handrail.testing.conforming.cancelling import FullRuns, cancellation_problems, run_twice
from handrail.testing.conforming.declared import Declared
from handrail.testing.conforming.effects import effect_problems
from handrail.testing.conforming.examples import Example
from handrail.testing.conforming.fresh import freshly_said
from handrail.testing.conforming.processes import SEEN
from handrail.testing.conforming.report import Conformance, NotConforming, Problem
from handrail.testing.conforming.results import run_problems
from handrail.testing.conforming.schema import definition_problems
from handrail.testing.conforming.stable import said_of, stability_problems
from handrail.testing.conforming.trial import Bench
from handrail.testing.conforming.watching import apart

__all__ = ["Conformance", "NotConforming", "Problem", "assert_conforms"]

CANCELLATIONS = 200
LONGEST_RUN = 60.0
"""Seconds."""


async def assert_conforms(
    tool: Tool[Any],
    *examples: JsonObject,
    workspace: Path | None = None,
    beside: Sequence[Tool[Any]] = (),
    cancellations: int = CANCELLATIONS,
    seed: int = 0,
    longest_run: float = LONGEST_RUN,
) -> Conformance:
    """Raises NotConforming, an AssertionError, with every problem in words.

    `examples` are arguments of calls that succeed; without one, only the definition is checked. Relative
    paths in them start at `workspace`, a small folder with the files they need (None: an empty one). It is
    never run in: each run gets a copy, and arguments that name the folder itself name the copy instead.
    `beside` are the tools that this one calls. `longest_run` is in seconds. Raises UsageError when the
    workspace is no folder.
    """
    examination = _Examination(tool, [Example(number, one) for number, one in enumerate(examples, 1)])
    with tempfile.TemporaryDirectory(prefix="handrail-conformance-") as scratch, apart():
        folder = _workspace(workspace, Path(scratch))
        bench = Bench(tool, beside, folder, Path(scratch), longest_run, PlainLauncher())
        await examination.of_the_definition(bench.launcher)
        if examination.can_run:
            await examination.of_runs(bench, cancellations, seed)
    return examination.passed()


def _workspace(given: Path | None, scratch: Path) -> Path:
    folder = scratch / "workspace" if given is None else given.absolute()
    if given is None:
        folder.mkdir()
    elif not folder.is_dir():
        raise UsageError(f"{given} is not a folder; give one with the files that the examples need")
    return folder


class _Examination:
    """Gathers what is found about one tool."""

    def __init__(self, tool: Tool[Any], examples: Sequence[Example]) -> None:
        self._tool = tool
        self._examples = examples
        self._problems: list[Problem] = []
        self._notes: list[str] = []
        self._cancelled = 0

    @property
    def can_run(self) -> bool:
        """It has examples, is not run by the client, and has a name that a session takes."""
        named = all(problem.check != "name" for problem in self._problems)
        return bool(self._examples) and named and not self._tool.client_side

    async def of_the_definition(self, launcher: Launcher) -> None:
        self._problems += definition_problems(self._tool, self._examples)
        for example in self._examples:
            self._problems += stability_problems(self._tool, example)
        said = [guarded_call(partial(said_of, self._tool)) for _ in range(2)]
        texts = {outcome.value for outcome in said if isinstance(outcome, Returned)}
        if not texts:
            return  # told with the schema
        try:
            texts |= await freshly_said(self._tool, launcher)
        except LookupError as error:
            self._notes.append(f"Its schema was built in this process only: {error}.")
        if len(texts) > 1:
            what = "its description or schema comes out differently from one time, or one process, to the next"
            self._problems.append(
                Problem("determinism", f"{what}. Sort what comes from a set, and leave out what changes.")
            )

    async def of_runs(self, bench: Bench, cancellations: int, seed: int) -> None:
        await bench.warm_up()
        runs = [await run_twice(bench, example) for example in self._examples if example.fits(self._tool)]
        self._notes += _notes(runs)
        found = [p for full in runs for t in full.trials for p in (*run_problems(t), *effect_problems(t))]
        self._problems += dict.fromkeys(found)  # what both runs did is told once
        if found and cancellations:
            self._notes.append("No call was cancelled: the examples have to run well first.")
        elif runs:
            self._problems += await cancellation_problems(bench, runs, cancellations, seed)
            self._cancelled = cancellations

    def passed(self) -> Conformance:
        """Raises NotConforming if it did not."""
        if self._problems:
            raise NotConforming(self._tool.name, self._problems, self._notes)
        return Conformance(self._tool.name, len(self._examples), self._cancelled, tuple(self._notes))


def _notes(runs: Sequence[FullRuns]) -> Iterator[str]:
    """What was out of sight."""
    trials = [trial for full in runs for trial in full.trials]
    if any(trial.starts_processes for trial in trials):
        yield (
            "It starts child processes. What those did is seen in the listing of the workspace only: not what they "
            "read, nor what they touched elsewhere."
        )
    if any(Declared.of(trial.effects).is_unknown for trial in trials):
        yield "It declares unknown effects for some of the examples, so there was nothing to compare with."
    if not all(full.ends_alike for full in runs):
        yield "Two runs left different files, so what cancelled calls left in the workspace was not compared."
    if not SEEN:
        yield "Child processes that were left running are found on Linux only."
