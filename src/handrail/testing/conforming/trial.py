"""Runs a tool once with one example: a real session, in a fresh copy of the workspace."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handrail.contract.basics import CallId
from handrail.contract.calls import AwaitingApproval, CallRequest, CallState, Executing, ObjectArguments, SettledState
from handrail.contract.confirmation import Answer, Once, QuestionConfirmation, Reply
from handrail.contract.effects import Effects
from handrail.contract.launching import Finished, Launcher, LaunchSpec, OutputSink
from handrail.contract.tool import Tool
from handrail.policy import Mode
from handrail.policy.places import within
from handrail.runtime.live import LiveCall
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing.conforming.examples import Example
from handrail.testing.conforming.listing import Listing, listing_of
from handrail.testing.conforming.processes import ChildProcess, children
from handrail.testing.conforming.steps import Moment, Steps
from handrail.testing.conforming.touches import How
from handrail.testing.conforming.watching import Watch, watching
from handrail.testing.journal import MemoryJournal

_CALL = CallId("conformance")
_LAST_CHANCE = 1.0
"""Seconds that tasks which were left behind get to end, so that they don't disturb what comes next."""


@dataclass(frozen=True, slots=True)
class Bench:
    """Where a tool is tried."""

    tool: Tool[Any]
    beside: Sequence[Tool[Any]]
    """The tools that it may call."""
    workspace: Path
    """What every run gets a copy of."""
    scratch: Path
    longest_run: float
    """Seconds after which a run is given up."""
    launcher: Launcher
    _numbers: Iterator[int] = field(default_factory=itertools.count, init=False)

    def fresh_copy(self) -> Path:
        """Its path has no links. The folder is called as the workspace is."""
        copy = Path(os.path.realpath(self.scratch), str(next(self._numbers)), self.workspace.name or "workspace")
        shutil.copytree(self.workspace, copy, symlinks=True)
        return copy

    async def warm_up(self) -> None:
        """Has the launcher start whatever it keeps beside its children, so that no run is blamed for it."""
        nothing = (sys.executable, "-I", "-S", "-c", "")
        await self.launcher.run(LaunchSpec(nothing, self.scratch, os.environ))


@dataclass(frozen=True, slots=True)
class Trial:
    """One run, and all that was seen of it."""

    example: Example
    root: Path
    """The copy of the workspace, which is gone by now."""
    states: tuple[CallState, ...]
    """Of the call itself, in order."""
    effects: tuple[Effects, ...]
    """What was declared: the call's own, and those of the calls that it made."""
    watch: Watch
    lasting: frozenset[str]
    """Of the paths that were written, those that were there at the end."""
    launched: int
    """Child processes that the launcher was told to start."""
    before: Listing
    after: Listing
    turns: tuple[int, ...]
    """For each step of the call, the turns of the loop until the next one."""
    lost: str
    """How it ended without a result; empty when it has one."""
    left_tasks: tuple[str, ...]
    left_processes: tuple[ChildProcess, ...]
    told_in: type[CallState] | None
    """The state in which the call was told to stop; None when it was settled by then, or not told."""

    def holds(self, path: str) -> bool:
        """The path lies in this run's copy of the workspace."""
        return within(path, str(self.root))

    def shown(self, what: str) -> str:
        """A path relative to the workspace where it lies in it; anything else as it is."""
        return os.path.relpath(what, self.root) if self.holds(what) else what

    @property
    def settled(self) -> list[SettledState]:
        return [state for state in self.states if isinstance(state, SettledState)]

    @property
    def starts_processes(self) -> bool:
        return self.launched > 0 or any(touch.how is How.STARTED for touch in self.watch.running)

    @property
    def writes_past_files(self) -> bool:
        """It wrote in this process by other means than the `Files` it was given."""
        return any(touch.how is How.WROTE for touch in self.watch.running)


async def tried(bench: Bench, example: Example, moment: Moment | None = None) -> Trial:
    """Runs the example to its end; with a moment, tells the call to stop then."""
    root = await asyncio.to_thread(bench.fresh_copy)
    before = await asyncio.to_thread(listing_of, root)
    older = children()
    journal, launcher, watch = MemoryJournal(), _CountingLauncher(bench.launcher), Watch(_CALL)
    parts = Parts(tools=(bench.tool, *bench.beside), asker=_Agreeing(), journal=journal, launcher=launcher)
    async with Session.open(root, mode=Mode.BYPASS, parts=parts) as session:
        session.subscribe(watch.follow)
        run = _Run(session, watch, bench.longest_run)
        arguments = ObjectArguments(example.moved(bench.workspace, root))
        await run.to_its_end(CallRequest(_CALL, bench.tool.name, arguments), moment)
    left_tasks = await run.take_leftovers()
    trial = Trial(
        example,
        root,
        states=tuple(state for _, state in journal.states if state.request.id == _CALL),
        effects=tuple(state.effects for _, state in journal.states if isinstance(state, Executing)),
        watch=watch,
        lasting=_still_there(watch),
        launched=launcher.count,
        before=before,
        after=await asyncio.to_thread(listing_of, root),
        turns=tuple(run.steps.turns),
        lost=run.lost,
        left_tasks=left_tasks,
        left_processes=tuple(children() - older),
        told_in=run.told_in,
    )
    await asyncio.to_thread(shutil.rmtree, root.parent, ignore_errors=True)
    return trial


def _still_there(watch: Watch) -> frozenset[str]:
    return frozenset(touch.what for touch in watch.running if touch.how is How.WROTE and os.path.lexists(touch.what))


class _Run:
    """One call from submission to its end."""

    def __init__(self, session: Session, watch: Watch, longest: float) -> None:
        self.steps = Steps(watch)
        self.lost = ""
        self.told_in: type[CallState] | None = None
        self._session = session
        self._watch = watch
        self._longest = longest
        self._stopping: list[asyncio.Task[bool]] = []

    async def to_its_end(self, request: CallRequest, moment: Moment | None) -> None:
        with watching(self._watch), self.steps.counted(turns=moment is None):
            live = self._session.submit(request)
            if moment is not None:
                self.steps.at(moment, lambda: self._stopping.append(asyncio.ensure_future(self._stop(live))))
            ends = [end for end in (live.settled, live.task) if end is not None]
            await asyncio.wait(ends, timeout=self._longest, return_when=asyncio.FIRST_COMPLETED)
        if live.task is not None and live.task.done() and not live.settled.done():
            self.lost = f"the runtime broke off over what it gave back: {live.task.exception()!r}"
        elif not live.settled.done():
            self.lost = f"it had not ended after {self._longest:g} s"
            await self._session.cancel(request.id)
        if self._stopping:
            await asyncio.wait(self._stopping)

    async def _stop(self, live: LiveCall) -> bool:
        self.told_in = None if live.settled.done() else type(live.state)
        return await self._session.cancel(live.state.request.id)

    async def take_leftovers(self) -> tuple[str, ...]:
        """Names the tasks that still run, and ends them."""
        left = [task for task in self.steps.tasks if not task.done()]
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=_LAST_CHANCE)
        return tuple(getattr(task.get_coro(), "__qualname__", task.get_name()) for task in left)


class _CountingLauncher:
    def __init__(self, launcher: Launcher) -> None:
        self.count = 0
        self._launcher = launcher

    async def run(self, spec: LaunchSpec, on_output: OutputSink | None = None) -> Finished:
        self.count += 1
        return await self._launcher.run(spec, on_output)


class _Agreeing:
    """A person who says yes to everything that is asked, and answers a question by its first option."""

    surface = "conformance"

    async def answer(self, call: AwaitingApproval) -> Answer:
        asked = call.confirmation
        if isinstance(asked, QuestionConfirmation):
            return Reply(asked.options[0] if asked.options else "yes") if asked.form is None else Reply({})
        return Once()
