"""The providers of one session: each runs in a task of its own, and puts its tools on a shelf of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from handrail.catalog.registry import Registry
from handrail.contract.events import SourceChanged
from handrail.contract.provider import Aware, Condition, Foreseeable, Prompt, Prompting, Provider, Quick, SourceStatus
from handrail.contract.tool import Tool
from handrail.errors import ToolFailed
from handrail.runtime.bus import Bus
from handrail.runtime.guard import Returned, guarded, guarded_call
from handrail.sandbox.finishing import to_the_end

REFRESH_WITHIN = 5.0
"""Seconds that a turn waits for all providers to look at what changed."""

LONGEST_START = 60.0
"""Seconds that a call waits for a source that is starting; each has a shorter bound of its own."""


class Shelves:
    """What the providers of a session have, and how it stands with their sources."""

    def __init__(self, registry: Registry, bus: Bus) -> None:
        self.bus = bus
        self.registry = registry
        self._shelves: dict[str, _Shelf] = {}

    @asynccontextmanager
    async def filled(self, providers: Sequence[Provider]) -> AsyncIterator[None]:
        """Runs the providers until the block ends; then all of them have ended too.

        Whatever a provider puts on its shelf before it waits for the first time is there at once; so is what a quick
        one has, within its bound.
        """
        shelves = [self._shelf(provider) for provider in providers]
        tasks: list[asyncio.Task[None]] = []
        try:
            # Those that nobody waits for begin first; quick ones one by one, so that names are taken in order.
            for shelf in sorted(shelves, key=lambda shelf: _bound(shelf.provider) > 0):
                tasks.append(asyncio.create_task(shelf.fill(), name=f"provider {shelf.name}"))
                if within := _bound(shelf.provider):
                    await shelf.settled(within)
            await asyncio.sleep(0)
            yield
        finally:
            for task in tasks:
                task.cancel()
            await to_the_end(_ended(tasks))

    async def fill(self, provider: Provider) -> None:
        """Of a provider that has all at once; what it raises is raised."""
        await provider.provide(self._shelf(provider))

    async def refresh(self) -> None:
        """What the providers know to have changed is in the registry when this returns, within a bound."""
        stale = [shelf.provider for shelf in self._shelves.values() if shelf.may_be_stale]
        if stale:
            await asyncio.gather(*(guarded(provider.refresh(), REFRESH_WITHIN) for provider in stale))

    async def awaited(self, tool: str) -> bool:
        """Waits for the sources that are starting and could have a tool of this name. False where there is none."""
        starting = [shelf for shelf in self._shelves.values() if shelf.is_starting and _may_have(shelf.provider, tool)]
        await asyncio.gather(*(shelf.settled(LONGEST_START) for shelf in starting))
        return bool(starting)

    async def prompted(self, source: str) -> None:
        """Waits for the prompts of one source. Raises ToolFailed where it gives none because it does not start."""
        for shelf in self._shelves.values():
            if source in shelf.statuses and isinstance(shelf.provider, Prompting):
                ended = await guarded(shelf.provider.prompted())
                if not isinstance(ended, Returned):
                    raise ToolFailed(ended.message)

    async def started(self) -> None:
        """Waits until no source is starting any more."""
        await asyncio.gather(*(shelf.settled(LONGEST_START) for shelf in self._shelves.values()))

    def _shelf(self, provider: Provider) -> _Shelf:
        name, number = provider.name, 1
        while name in self._shelves:  # two folders may be called alike
            number += 1
            name = f"{provider.name} ({number})"
        self.registry.expect(name)
        self._shelves[name] = shelf = _Shelf(name, provider, self.registry, self.bus)
        return shelf

    def sources(self) -> tuple[SourceStatus, ...]:
        """In the order of the providers."""
        return tuple(status for shelf in self._shelves.values() for status in shelf.statuses.values())

    def prompts(self) -> tuple[tuple[str, Prompt], ...]:
        """Each with the name of its provider."""
        return tuple((name, prompt) for name, shelf in self._shelves.items() for prompt in shelf.prompts)


class _Shelf:
    """Implements `contract.provider.Shelf`."""

    def __init__(self, name: str, provider: Provider, registry: Registry, bus: Bus) -> None:
        self.name = name
        self.provider = provider
        self.statuses: dict[str, SourceStatus] = {}
        self.prompts: tuple[Prompt, ...] = ()
        self._registry = registry
        self._bus = bus
        self._aware = _aware(provider)
        self._settled = asyncio.Event()
        """It has put something, said how it stands, or ended; not while it says that it is starting."""

    @property
    def is_starting(self) -> bool:
        return not self._settled.is_set()

    @property
    def may_be_stale(self) -> bool:
        """True of one that can't say."""
        if (aware := self._aware) is None:
            return True
        said = guarded_call(lambda: aware.is_stale)
        return bool(said.value) if isinstance(said, Returned) else True

    async def settled(self, within: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(within):
                await self._settled.wait()

    async def fill(self) -> None:
        ended = await guarded(self.provider.provide(self))
        self._settled.set()
        if not isinstance(ended, Returned):
            self.put(())
            self.say(SourceStatus(self.name, Condition.FAILED, ended.message))
            self.notice(f"{self.name} gives no tools: {ended.message}")

    def put(self, tools: Iterable[Tool[Any]], prompts: Iterable[Prompt] = ()) -> Sequence[str]:
        self.prompts = tuple(prompts)
        self._settled.set()
        before = self._registry.displaced()
        problems = self._registry.put(self.name, tools)
        for lost in self._registry.displaced():
            if lost not in before:
                self.notice(f"{lost.tool.name} of {lost.provider} is left out: {self.name} has a tool of that name")
        return problems

    def say(self, status: SourceStatus) -> None:
        if status.condition is Condition.STARTING:
            self._settled.clear()
        else:
            self._settled.set()
        if self.statuses.get(status.name) != status:
            self.statuses[status.name] = status
            self._bus.tell(SourceChanged(status))

    def notice(self, text: str) -> None:
        self._bus.notice(text)


async def _ended(tasks: Sequence[asyncio.Task[None]]) -> None:
    await asyncio.gather(*tasks, return_exceptions=True)


def _aware(provider: Provider) -> Aware | None:
    """Looked at once, and not at each turn: to ask for a protocol takes tens of microseconds."""
    said = guarded_call(lambda: provider if isinstance(provider, Aware) else None)
    return said.value if isinstance(said, Returned) else None


def _bound(provider: Provider) -> float:
    """Seconds that opening waits for it."""
    return provider.opens_within if isinstance(provider, Quick) else 0.0


def _may_have(provider: Provider, tool: str) -> bool:
    """True of one that can't say."""
    said = guarded_call(lambda: provider.may_have(tool) if isinstance(provider, Foreseeable) else True)
    return bool(said.value) if isinstance(said, Returned) else True
