"""The conformance kit for authors of providers: does one keep to what a session relies on?

    async def test_harbour_conforms():
        await assert_provider_conforms(lambda launcher: Harbour(launcher), examples={"tide": [{"port": "Brest"}]})

What is checked:

* start: within its time it has put its tools, or said how it stands otherwise than that it is starting; it raises
  nothing. A second one, made anew, has the same tools in the same order.
* statuses: each is a `SourceStatus` with a name, and every text of it is one line.
* tools: each passes what `assert_conforms` checks of a definition; those with examples are tried as it does.
* bad tools: where another has the name of one of its tools already, all others are there, and it is told.
* `refresh`: ends within its bound, raises nothing, and takes nothing away while nothing changed.
* cancellation, at many seeded moments of its start and when it is ready: it ends, leaves no task and no child
  process (seen on Linux), and puts and says nothing more.

It is never given a session: what it gets is a shelf, as in one.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from handrail.contract.basics import JsonObject
from handrail.contract.launching import Launcher, LaunchSpec
from handrail.contract.provider import Condition, Provider, SourceStatus
from handrail.runtime.guard import Raised, Returned, TimedOut, guarded
from handrail.runtime.shelves import REFRESH_WITHIN
from handrail.sandbox.none import PlainLauncher
from handrail.testing.conformance import assert_conforms
from handrail.testing.conforming.processes import SEEN
from handrail.testing.conforming.providing import GRACE, MakeProvider, ProviderRun, RecordedShelf, run_once
from handrail.testing.conforming.report import NotConforming, Problem
from handrail.testing.conforming.schema import definition_problems
from handrail.testing.tools import FakeTool

__all__ = ["ProviderConformance", "assert_provider_conforms"]

CANCELLATIONS = 20
STARTS_WITHIN = 30.0
"""Seconds."""

_NO_EXAMPLES: Mapping[str, Sequence[JsonObject]] = {}


@dataclass(frozen=True, slots=True)
class ProviderConformance:
    """A provider that conforms: what it has, and what could not be seen."""

    provider: str
    tools: tuple[str, ...]
    statuses: tuple[SourceStatus, ...]
    cancellations: int
    notes: tuple[str, ...] = ()


async def assert_provider_conforms(
    make_provider: MakeProvider,
    *,
    examples: Mapping[str, Sequence[JsonObject]] = _NO_EXAMPLES,
    workspace: Path | None = None,
    starts_within: float = STARTS_WITHIN,
    cancellations: int = CANCELLATIONS,
    seed: int = 0,
) -> ProviderConformance:
    """Raises NotConforming, an AssertionError, with every problem in words.

    `make_provider` makes a new provider each time, which starts its programs through the launcher it is given.
    `examples` are arguments of calls that succeed, by the tool's name; see `assert_conforms`, which gets them with the
    `workspace`. `cancellations` is how often the provider, and each tool with examples, is cancelled.
    """
    launcher = PlainLauncher()
    await _warm_up(launcher)
    tried = _Tried(make_provider, launcher, starts_within)
    first = await tried.whole()
    if first.was_ready and first.ended:
        await tried.again(first)
        await tried.beside_another(first)
        if examples:
            await tried.called(examples, workspace, cancellations, seed)
        await tried.cancelled(first, cancellations, seed)
    if tried.problems:
        raise NotConforming(str(first.name), tuple(dict.fromkeys(tried.problems)))
    notes = () if SEEN else ("Child processes that were left running are found on Linux only.",)
    return ProviderConformance(str(first.name), tuple(first.names), first.shelf.latest, cancellations, notes)


async def _warm_up(launcher: Launcher) -> None:
    """Has the launcher start what it keeps beside its children, so that no provider is blamed for it."""
    with tempfile.TemporaryDirectory() as folder:
        await launcher.run(LaunchSpec((sys.executable, "-I", "-S", "-c", ""), Path(folder), os.environ))


class _Tried:
    """Runs the provider again and again, and gathers what is found."""

    def __init__(self, make: MakeProvider, launcher: Launcher, within: float) -> None:
        self.problems: list[Problem] = []
        self._make = make
        self._launcher = launcher
        self._within = within

    async def whole(self) -> ProviderRun:
        """One run that nobody disturbs, with its refreshing."""

        async def meanwhile(provider: Provider, shelf: RecordedShelf) -> None:
            await self._refreshed(provider, shelf)
            for tool in shelf.tools:
                self._found("tools", (f"{tool.name}: {problem}" for problem in definition_problems(tool, ())))

        run = await run_once(self._make, self._launcher, self._within, meanwhile=meanwhile)
        self._found("start", _start_problems(run, self._within))
        self._found("status", _status_problems(run))
        self._found("tools", run.shelf.odd)
        self._found("cancellation", _leftovers(run, "when it was ready"))
        return run

    async def called(
        self, examples: Mapping[str, Sequence[JsonObject]], workspace: Path | None, cancellations: int, seed: int
    ) -> None:
        """Its tools, while it is there to carry them out. What they leave behind is told of each."""

        async def meanwhile(provider: Provider, shelf: RecordedShelf) -> None:
            known = {tool.name: tool for tool in shelf.tools}
            for name, given in examples.items():
                if name not in known:
                    self._found("tools", [f"there are examples for {name}, which it does not have: {', '.join(known)}"])
                    continue
                try:
                    await assert_conforms(
                        known[name], *given, workspace=workspace, cancellations=cancellations, seed=seed
                    )
                except NotConforming as error:
                    self._found("tools", (f"{name}: {problem}" for problem in error.problems))

        await run_once(self._make, self._launcher, self._within, meanwhile=meanwhile)

    async def again(self, first: ProviderRun) -> None:
        second = await run_once(self._make, self._launcher, self._within)
        if second.names != first.names:
            what = f"once it had {first.names}, and then {second.names}"
            self._found("determinism", [f"{what}. Put the same tools in the same order: caches of prompts rely on it."])

    async def beside_another(self, first: ProviderRun) -> None:
        """Somebody else has the name of its first tool."""
        if not first.names:
            return
        taken, *others = first.names
        run = await run_once(self._make, self._launcher, self._within, taken=[FakeTool(taken)])
        if run.names != others:
            lost = sorted(set(others) - set(run.names))
            what = f"where the name {taken} was taken, it lacked {', '.join(lost)} too" if lost else "the order changed"
            self._found("bad tools", [f"{what}. `put` leaves out the tool that can't be, and gives why."])
        if not any(status.problems or status.condition is Condition.FAILED for status in run.shelf.latest):
            self._found("bad tools", ["what `put` gave back was told nobody. Say it among a status's problems."])

    async def cancelled(self, first: ProviderRun, count: int, seed: int) -> None:
        """At moments of the start. Ends with the first that goes wrong."""
        for number in range(count):
            drawn = int.from_bytes(sha256(f"{seed} {number}".encode()).digest()[:8])
            turns = drawn % (first.turns + 1)
            run = await run_once(self._make, self._launcher, self._within, stop_after=turns)
            when = f"after {turns} of {first.turns} turns of the loop (number {number + 1} of {count}, seed {seed})"
            problems = list(_leftovers(run, when))
            self._found("cancellation", problems)
            if problems:
                return

    async def _refreshed(self, provider: Provider, shelf: RecordedShelf) -> None:
        before = [tool.name for tool in shelf.tools]
        match await guarded(provider.refresh(), REFRESH_WITHIN):
            case TimedOut(seconds):
                self._found("refresh", [f"it took longer than {seconds:g} s, and a turn waits for it. Bound it."])
            case Raised(message):
                self._found("refresh", [f"it raised {message}. Say what went wrong as a status."])
            case Returned():
                after = [tool.name for tool in shelf.tools]
                if after != before:
                    self._found("refresh", [f"nothing changed, and {before} became {after}."])

    def _found(self, check: str, texts: Iterator[str] | Sequence[str]) -> None:
        self.problems += [Problem(check, text) for text in texts]


def _start_problems(run: ProviderRun, within: float) -> Iterator[str]:
    if isinstance(run.outcome, Raised):
        yield f"it raised {run.outcome.message}. Say what went wrong as a status, so that others see what it is about."
    elif not run.was_ready:
        yield (
            f"after {within:g} s it had put nothing on its shelf, or still said that it is starting. Say within a "
            "bound that it failed."
        )


def _status_problems(run: ProviderRun) -> Iterator[str]:
    if not isinstance(run.name, str) or not run.name.strip() or not run.name.isprintable():
        yield f"the provider's name is {run.name!r}; give it one line of text that nobody else has"
    for status in run.shelf.statuses:
        if not status.name.strip():
            yield "a status has no name: give it that of the source that it is about"
        for text in (status.name, status.detail, *status.problems):
            if len(text.splitlines()) > 1:
                yield f"a status has the text {text!r}; people are shown it as one line"


def _leftovers(run: ProviderRun, when: str) -> Iterator[str]:
    if not run.ended:
        yield f"cancelled {when}, it had not ended {GRACE:g} s later. Let CancelledError through."
    if run.left_tasks:
        yield f"cancelled {when}, it left tasks: {', '.join(run.left_tasks)}. Await what you start."
    if run.left_processes:
        names = ", ".join(f"{process.name} ({process.pid})" for process in run.left_processes)
        yield f"cancelled {when}, it left child processes: {names}. Start them through the launcher."
    if run.shelf.late:
        yield f"cancelled {when}, it then {', '.join(dict.fromkeys(run.shelf.late))}. Nothing may follow its end."
