"""Runs a provider once, on a shelf that remembers, and stops it: when all is there, or at a given moment before."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from handrail.catalog import Registry
from handrail.contract.launching import Launcher
from handrail.contract.provider import Condition, Prompt, Provider, SourceStatus
from handrail.contract.tool import Tool
from handrail.errors import ToolDefinitionError
from handrail.runtime.guard import Ending, Raised, guarded
from handrail.testing.conforming.processes import ChildProcess, children

MakeProvider: TypeAlias = Callable[[Launcher], Provider]

GRACE = 10.0
"""Seconds that a provider has to end once it is cancelled; servers are asked to end before they are killed."""
_LAST_WORDS = 50
"""Turns of the loop after its end, in which what it left behind may show itself."""


@dataclass(slots=True)
class RecordedShelf:
    """Implements `contract.provider.Shelf`."""

    taken: Sequence[Tool[Any]] = ()
    """Tools that somebody else has."""
    statuses: list[SourceStatus] = field(default_factory=list)
    prompts: tuple[Prompt, ...] = ()
    notices: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)
    """What was put and is no tool, in words."""
    late: list[str] = field(default_factory=list)
    """What came after the end."""
    closed: bool = False
    _registry: Registry = field(init=False)
    _puts: int = 0

    def __post_init__(self) -> None:
        self._registry = Registry(self.taken)

    def put(self, tools: Iterable[Tool[Any]], prompts: Iterable[Prompt] = ()) -> Sequence[str]:
        self._note("put tools on its shelf")
        given = tuple(tools)
        self._puts += 1
        self.prompts = tuple(prompts)
        self.odd += _no_tools(given)
        refused = self._registry.put(_OWN, given)
        self.refused += refused
        return refused

    def say(self, status: SourceStatus) -> None:
        self._note("said how it stands")
        self.statuses.append(status)

    def notice(self, text: str) -> None:
        self._note("gave notice")
        self.notices.append(text)

    @property
    def tools(self) -> tuple[Tool[Any], ...]:
        return self._registry.of(_OWN)

    @property
    def latest(self) -> tuple[SourceStatus, ...]:
        """What was said last of each source."""
        return tuple({status.name: status for status in self.statuses}.values())

    @property
    def is_ready(self) -> bool:
        starting = any(status.condition is Condition.STARTING for status in self.latest)
        return not starting and bool(self._puts or self.statuses)

    def _note(self, what: str) -> None:
        if self.closed:
            self.late.append(what)


_OWN = "the provider"


def _no_tools(given: Iterable[object]) -> list[str]:
    return [f"it put {one!r} on its shelf, which is no tool" for one in given if not isinstance(one, Tool)]


@dataclass(frozen=True, slots=True)
class ProviderRun:
    """One run, and all that was seen of it."""

    shelf: RecordedShelf
    name: object
    turns: int
    """Of the loop, until it was ready or stopped."""
    was_ready: bool
    outcome: Ending[None] | None
    """How it ended by itself; None where it was stopped."""
    ended: bool
    """At last; else it went on for longer than `GRACE` after it was cancelled."""
    left_tasks: tuple[str, ...]
    left_processes: tuple[ChildProcess, ...]

    @property
    def names(self) -> list[str]:
        return [tool.name for tool in self.shelf.tools]


Meanwhile: TypeAlias = Callable[[Provider, RecordedShelf], Awaitable[None]]


async def run_once(
    make: MakeProvider,
    launcher: Launcher,
    within: float,
    *,
    taken: Sequence[Tool[Any]] = (),
    stop_after: int | None = None,
    meanwhile: Meanwhile | None = None,
) -> ProviderRun:
    """`stop_after` so many turns of the loop, ready or not; else `meanwhile` is done first, when it is ready."""
    older_tasks, older_children = asyncio.all_tasks(), children()
    shelf = RecordedShelf(taken)
    try:
        provider = make(launcher)
    except ToolDefinitionError as error:
        return ProviderRun(shelf, "", 0, False, Raised(str(error), expected=True), True, (), ())
    task = asyncio.create_task(_provided(provider, shelf))
    turns = await _turns_until_ready(task, shelf, within, stop_after)
    was_ready = shelf.is_ready or task.done()
    if was_ready and meanwhile is not None:
        await meanwhile(provider, shelf)
    outcome = task.result() if task.done() else None
    task.cancel()
    await asyncio.wait((task,), timeout=GRACE)
    ended = task.done()
    shelf.closed = True
    for _ in range(_LAST_WORDS):
        await asyncio.sleep(0)
    left = [one for one in asyncio.all_tasks() - older_tasks - {task} if not one.done()]
    processes = tuple(children() - older_children)
    return ProviderRun(
        shelf, provider.name, turns, was_ready, outcome, ended, tuple(one.get_name() for one in left), processes
    )


async def _provided(provider: Provider, shelf: RecordedShelf) -> Ending[None]:
    """A task that is cancelled before it began has not even called the provider."""
    try:
        return await guarded(provider.provide(shelf))
    except asyncio.CancelledError:
        shelf.closed = True
        raise


async def _turns_until_ready(
    task: asyncio.Task[Ending[None]], shelf: RecordedShelf, within: float, most: int | None
) -> int:
    """Counting turns keeps the processor busy."""
    loop = asyncio.get_running_loop()
    end, turns = loop.time() + within, 0
    while not (shelf.is_ready or task.done() or loop.time() > end) and turns != most:
        await asyncio.sleep(0)
        turns += 1
    return turns
