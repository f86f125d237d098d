"""The provider of one MCP server's tools: connects in the background, starts it again when it dies, and has its tools
on the shelf while it can be used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from handrail.contract.basics import JsonObject
from handrail.contract.provider import Condition, Shelf, SourceStatus
from handrail.contract.tool import Tool
from handrail.errors import ToolFailed
from handrail.providers.mcp.around import Around
from handrail.providers.mcp.log import ServerLog
from handrail.providers.mcp.restarts import Restarts
from handrail.providers.mcp.sdk import loaded
from handrail.runtime.guard import Returned, guarded
from handrail.settings.mcp.server import ServerConfig

if TYPE_CHECKING:
    from mcp import types

    from handrail.providers.mcp.asked import Answering
    from handrail.providers.mcp.connection import Connection, Progress

Offered = Callable[["McpServer", "Sequence[types.Tool]"], tuple[Sequence[Tool[Any]], Sequence[str]]]
"""Makes tools of what a server listed, and says what is wrong with others, a line each."""


class McpServer:
    """Implements `contract.provider.Provider`, and carries out what its tools are called for."""

    def __init__(self, config: ServerConfig, around: Around, offered: Offered) -> None:
        self.name = f"MCP server {config.name}"
        self.config = config
        self.log = ServerLog()
        self._around = around
        self._offered = offered
        self._restarts = Restarts()
        self._connection: Connection | None = None
        self._changed = asyncio.Event()
        """Set when there is a connection, or no more will be."""
        self._given_up = ""
        self._shelf: Shelf | None = None
        self._listing = asyncio.Lock()

    async def provide(self, shelf: Shelf) -> None:
        self._shelf = shelf
        if not self.config.enabled:
            return self._end(Condition.OFF, "turned off")
        if self.config.problem:
            return self._end(Condition.FAILED, self.config.problem)
        while True:
            self._say(Condition.STARTING)
            began = asyncio.get_running_loop().time()
            try:
                ended = await guarded(self._live(shelf))
            finally:
                self._connection = None
                self._changed.clear()
            why = self._why("it ended" if isinstance(ended, Returned) else ended.message)
            pause = self._restarts.pause(asyncio.get_running_loop().time() - began)
            if pause is None:
                shelf.put(())
                return self._end(Condition.FAILED, f"{why} It is not started again.")
            self._say(Condition.FAILED, f"{why} It is started again in {pause:g} s.")
            await asyncio.sleep(pause)

    async def refresh(self) -> None:
        connection = self._connection
        if connection is not None and "tools" in connection.stale:
            await self._list(connection)

    async def call(
        self, tool: str, arguments: JsonObject, *, progress: Progress, answering: Answering
    ) -> types.CallToolResult:
        """One call, made once. Waits for a server that starts. Raises ToolFailed."""
        connection = await self.connection()
        return await connection.call(
            tool, arguments, progress=progress, within=self.config.call_within, answering=answering
        )

    async def connection(self) -> Connection:
        """The live one. Waits while the server starts, for as long as that may take. Raises ToolFailed."""
        try:
            async with asyncio.timeout(self.config.start_within):
                await self._changed.wait()
        except TimeoutError:
            raise ToolFailed(f"{self.config.name} has not started within {self.config.start_within:g} s.") from None
        if self._connection is None:
            raise ToolFailed(f"{self.config.name} does not run: {self._given_up}")
        return self._connection

    async def _live(self, shelf: Shelf) -> None:
        """One life of it, from its start to its end."""
        await loaded()
        from handrail.providers.mcp.asked import Asked
        from handrail.providers.mcp.connection import connected
        from handrail.providers.mcp.opening import opened

        within = self.config.start_within
        try:
            async with (
                asyncio.timeout(within) as limit,
                opened(self.config, self._around, self.log) as channel,
                connected(self.config.name, channel, Asked(self._around.workspace.folders)) as connection,
            ):
                self._connection = connection
                await self._list(connection)
                limit.reschedule(None)
                self._changed.set()
                await connection.over.wait()
        except TimeoutError:
            if not limit.expired():
                raise
            raise ToolFailed(f"it did not answer within {within:g} s.") from None
        raise ToolFailed(f"{channel.why() or 'the connection was lost'}.")

    async def _list(self, connection: Connection) -> None:
        """Puts on the shelf what this connection has, unless there is a newer one by then."""
        async with self._listing:
            listed = await connection.tools()
            if connection is not self._connection or self._shelf is None:
                return
            tools, problems = self._offered(self, listed.items)
            refused = self._shelf.put(tools)
            count = len(tools) - len(refused)
            self._say(
                Condition.READY,
                f"{count} tool{'' if count == 1 else 's'}",
                (*listed.problems, *problems, *refused),
            )

    def _why(self, what: str) -> str:
        last = self.log.last_line()
        return f"{what} Its last words: {last}" if last else what

    def _say(self, condition: Condition, detail: str = "", problems: Sequence[str] = ()) -> None:
        if self._shelf is not None:
            self._shelf.say(SourceStatus(self.config.name, condition, detail, tuple(problems)))

    def _end(self, condition: Condition, detail: str) -> None:
        self._given_up = detail
        self._changed.set()
        self._say(condition, detail)
