"""A folder of Python files as tools: loaded when the session opens, and again where a file changed between turns."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

from handrail.contract.provider import Condition, Shelf, SourceStatus
from handrail.providers.counting import tools_text
from handrail.settings.tool_folders import ToolFile, ToolFolder, read_tools

if TYPE_CHECKING:
    from handrail.providers.python.loading import Loaded  # loaded with the first file: most sessions have none

SOON = 1.0
"""Seconds after which the tools of some files are offered while others still load."""

AT_ONCE = 4
"""Files that load together: each has its own time, and Python runs one of them at a time."""

REFRESH_WITHIN = 3.0
"""Seconds that a turn waits for a folder that is looked at again."""


class FolderTools:
    """Implements `Provider`, and is `Quick`."""

    opens_within = 2 * SOON

    def __init__(self, folder: ToolFolder) -> None:
        """`folder` as it was read with the settings: that text is loaded, whatever stands there by then."""
        self.name = folder.place.name
        self._folder = folder
        self._files: dict[ToolFile, Loaded] = {}
        self._loading = asyncio.Semaphore(AT_ONCE)
        self._wanted = asyncio.Event()
        self._looked = asyncio.Event()
        self._last: SourceStatus | None = None

    async def provide(self, shelf: Shelf) -> None:
        try:
            await self._take(self._folder, shelf)
            while True:
                self._looked.set()
                await self._wanted.wait()
                self._wanted.clear()
                folder = await asyncio.to_thread(read_tools, self._folder.place)
                if folder != self._folder:
                    before = self._last
                    await self._take(folder, shelf)
                    for news in _news(before, self._last):
                        shelf.notice(news)
        finally:
            self._looked.clear()
            self._forget(tuple(self._files))

    async def refresh(self) -> None:
        """Does not wait for a file that was loading before, and loads yet."""
        if self._looked.is_set():
            self._looked.clear()
            self._wanted.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(REFRESH_WITHIN):
                    await self._looked.wait()

    async def _take(self, folder: ToolFolder, shelf: Shelf) -> None:
        """Loads what is new, and forgets what is gone; a file that is as it was keeps its tools and their state."""
        self._folder = folder
        self._forget([file for file in self._files if file not in folder.files])
        if new := [file for file in folder.files if file not in self._files]:
            # Before the time is taken: with it comes pydantic, which is longer to load than most files.
            from handrail.providers.python.loading import loaded

            async with asyncio.TaskGroup() as group:
                loads = [group.create_task(self._load(file, loaded)) for file in new]
                if (await asyncio.wait(loads, timeout=SOON))[1]:
                    self._show(shelf)
        self._show(shelf)

    async def _load(self, file: ToolFile, load: Callable[[ToolFile], Awaitable[Loaded]]) -> None:
        async with self._loading:
            self._files[file] = await load(file)

    def _forget(self, files: Iterable[ToolFile]) -> None:
        for file in files:
            self._files.pop(file).forget()

    def _show(self, shelf: Shelf) -> None:
        known = [self._files[file] for file in self._folder.files if file in self._files]
        loading = [f"{file.name}: it still loads" for file in self._folder.files if file not in self._files]
        tools = [tool for each in known for tool in each.tools]
        refused = [f"{self.name}: {problem}" for problem in shelf.put(tools)]
        found = [problem for each in known for problem in each.problems]
        problems = (*self._folder.problems, *found, *refused, *loading)
        status = self._status(len(tools) - len(refused), problems, is_loading=bool(loading))
        if self._folder.is_there or problems or self._last is not None:
            self._last = status
            shelf.say(status)

    def _status(self, count: int, problems: tuple[str, ...], *, is_loading: bool) -> SourceStatus:
        if self._folder.waiting is not None:
            detail = "it came with the workspace and waits for your trust: handrail trust show"
            return SourceStatus(self.name, Condition.UNTRUSTED, detail)
        if is_loading:
            return SourceStatus(self.name, Condition.STARTING, tools_text(count), problems)
        if problems and not count:
            return SourceStatus(self.name, Condition.FAILED, "no tools", problems)
        return SourceStatus(self.name, Condition.READY, tools_text(count), problems)


def _news(before: SourceStatus | None, now: SourceStatus | None) -> Iterable[str]:
    """What a person should know of a folder that changed while the session runs."""
    if now is None:
        return
    if now.condition is Condition.UNTRUSTED:
        yield f"{now.name} has changed, so none of its tools is there any more: {now.detail}"
    known = before.problems if before is not None else ()
    yield from (problem for problem in now.problems if problem not in known)
