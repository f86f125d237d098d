"""The provider of one MCP server's tools: connects in the background, starts it again when it dies, and has its tools
on the shelf while it can be used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from handrail.contract.basics import JsonObject
from handrail.contract.context import Questions
from handrail.contract.provider import Condition, Shelf
from handrail.contract.tool import Tool
from handrail.errors import ToolFailed
from handrail.policy.server_names import bare, fit
from handrail.providers.mcp.around import Around
from handrail.providers.mcp.beside import KINDS, Beside
from handrail.providers.mcp.causes import causes
from handrail.providers.mcp.head_start import head_start
from handrail.providers.mcp.log import log_of
from handrail.providers.mcp.opening import login_for, opened
from handrail.providers.mcp.prompts import McpPrompt
from handrail.providers.mcp.restarts import Restarts
from handrail.providers.mcp.saying import Saying
from handrail.providers.mcp.sdk import aside, loaded
from handrail.runtime.guard import Ending, Returned, guarded
from handrail.sandbox.finishing import to_the_end
from handrail.settings.mcp.server import Http, ServerConfig

if TYPE_CHECKING:
    from mcp import types

    from handrail.providers.mcp.asked import Answering
    from handrail.providers.mcp.connection import Connection, Progress
    from handrail.providers.mcp.oauth import SessionLogin

_TOLD_BY = 40
"""Characters of a server's name that stand in the names of its tools, whatever was cut."""

Offered = Callable[["McpServer", "Sequence[types.Tool]"], tuple[Sequence[Tool[Any]], Sequence[str]]]
"""Makes tools of what a server listed, and says what is wrong with others, a line each."""


class McpServer:
    """Implements `contract.provider.Provider`, and carries out what its tools are called for."""

    def __init__(self, config: ServerConfig, around: Around, offered: Offered) -> None:
        self.name = f"MCP server {config.name}"
        self.config = config
        self.log = log_of(config, around)
        self._around = around
        self._offered = offered
        self._restarts = Restarts()
        self._up_since = 0.0
        """By the loop's clock; 0 until it can be used in this life."""
        self._say: Saying | None = None
        self._login: SessionLogin | None = None
        self._connection: Connection | None = None
        self._settled = asyncio.Event()
        """Set while it is known whether there is a connection: not while the server starts."""
        self._why_not = ""
        self._wanted = asyncio.Event()
        """Set when somebody waits for it to start."""
        self._again = asyncio.Event()
        """Set when there is a reason to start it now."""
        self._listing = asyncio.Lock()
        self._looking = asyncio.Lock()
        self._unsure = False
        """A list is read that is not known yet, or could not be."""
        self._look: asyncio.Task[object] | None = None
        """Looks at what changed, for the turns of this life."""
        self.beside = Beside()
        self._tools: Sequence[Tool[Any]] = ()

    async def provide(self, shelf: Shelf) -> None:
        self._say = say = Saying(self.config.name, shelf)
        if not self.config.enabled or self.config.problem:
            condition = Condition.FAILED if self.config.enabled else Condition.OFF
            return self._rest(say, condition, self.config.problem or "turned off")
        say(Condition.STARTING)
        await head_start(self._wanted)
        self._login = await login_for(self.config, self._around, lambda trouble: self._troubled(say, trouble))
        keeping = asyncio.create_task(self.log.keep())
        try:
            while True:
                await self._life(say)
        finally:
            keeping.cancel()
            await asyncio.wait((keeping,))

    async def _life(self, say: Saying) -> None:
        """From one start to the next."""
        say(Condition.STARTING)
        self._settled.clear()
        self._again.clear()
        self.log.begin()
        self._up_since = 0.0
        # In a task of its own: when a server is flooding, the SDK's scopes take back one cancellation too many of the
        # task that they are in, and nobody could tell any more that this server is to end.
        living = asyncio.create_task(guarded(self._live_either_way(say)))

        def stop() -> None:
            living.cancel()

        try:
            ended = await to_the_end(_ended(living), on_cancel=stop)
        finally:
            self._connection = None
            self._settled.clear()
            await self._looked()
        why = self._with_last_words(ended.value if isinstance(ended, Returned) else ended.message)
        if self._login is not None and self._login.needs_login:
            self._rest(say, Condition.NEEDS_LOGIN, self._login.trouble)
            await self._again.wait()
            return
        up = asyncio.get_running_loop().time() - self._up_since if self._up_since else 0.0
        pause = self._restarts.pause(up)
        if pause is None:
            say.shelf.put(())
            self._rest(say, Condition.FAILED, f"{why} It is not started again.")
            await self._again.wait()
        else:
            say(Condition.FAILED, f"{why} It is started again in {pause:g} s.")
            await asyncio.sleep(pause)

    def may_have(self, tool: str) -> bool:
        """By the beginning of the server's name: names are cut at their ends. Then a call waits for the server, and it
        is started at once."""
        may = tool.startswith("mcp_") and fit(bare(self.config.name))[:_TOLD_BY] in tool
        if may:
            self._wanted.set()
        return may

    async def prompted(self) -> None:
        """Raises ToolFailed."""
        await self.connection()
        await self.beside.known()

    @property
    def is_stale(self) -> bool:
        connection, login = self._connection, self._login
        if login is not None and login.needs_login:
            return True
        if connection is None or not self._settled.is_set():
            return False
        return self._may_differ(connection) or bool(connection.stale)

    async def refresh(self) -> None:
        """Whoever waits no longer leaves the look to its own end, and the next turn does not wait for that one."""
        if self._login is not None and self._login.may_be_better():
            self._again.set()
            self._unsure = True
        connection, say = self._connection, self._say
        if connection is None or say is None or not self._settled.is_set():
            return
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(guarded(self._look_again(connection, say)))
            await asyncio.wait((self._look,))

    async def _look_again(self, connection: Connection, say: Saying) -> None:
        """At what changed. Where it can't be seen, it is looked for again at the next turn."""
        try:
            async with asyncio.timeout(self.config.start_within):
                await self._list(connection, say, only_stale=True)
        except (TimeoutError, ToolFailed) as error:
            if connection is self._connection and not connection.over.is_set():
                why = str(error) or f"it did not list them within {self.config.start_within:g} s."
                say.also("", (f"Its tools may be others by now, but {why} It is asked again at the next turn.",))
        if not connection.stale.isdisjoint(KINDS):
            await self._look_beside(connection, say)

    async def _looked(self) -> None:
        """No look goes on."""
        if self._look is not None:
            self._look.cancel()
            await asyncio.wait((self._look,))

    async def call(
        self,
        tool: str,
        arguments: JsonObject,
        *,
        unchanged: Callable[[], None],
        progress: Progress,
        answering: Answering,
    ) -> types.CallToolResult:
        """One call, made once. Waits for a server that starts. Raises ToolFailed, as `unchanged` does where the tool is
        no longer what the call was decided about: its list may have changed while the call waited for a yes, or for
        the server."""
        connection = await self.connection()
        await self._listed(connection)
        unchanged()
        return await connection.call(
            tool, arguments, progress=progress, within=self.config.call_within, answering=answering
        )

    async def _listed(self, connection: Connection) -> None:
        """Its list is known as it is now. Raises ToolFailed where nobody can know."""
        if self._say is None or not self._may_differ(connection):
            return
        try:
            async with asyncio.timeout(self.config.start_within):
                await self._list(connection, self._say, only_stale=True)
        except TimeoutError:
            raise ToolFailed(
                f"{self.config.name} said that its tools changed, and did not list them within "
                f"{self.config.start_within:g} s. The call was not sent. Go on without it, or try again later."
            ) from None

    def _may_differ(self, connection: Connection) -> bool:
        """Its tools, from what was listed."""
        return self._unsure or "tools" in connection.stale

    def answering(self, questions: Questions) -> Answering:
        """Whoever the questions of one call reach."""
        from handrail.providers.mcp.answering import AtTheDesk

        return AtTheDesk(self.config.name, questions, self._around.sampler)

    async def connection(self) -> Connection:
        """The live one. Waits while the server starts, for as long as that may take. Raises ToolFailed."""
        connection = self._connection
        if connection is not None and self._settled.is_set() and not connection.over.is_set():
            return connection
        self._wanted.set()
        try:
            async with asyncio.timeout(self.config.start_within):
                return await self._live_one()
        except TimeoutError:
            raise ToolFailed(
                f"{self.config.name} has not started within {self.config.start_within:g} s. Go on without it, or try "
                "again later."
            ) from None

    async def _live_one(self) -> Connection:
        while True:
            await self._settled.wait()
            connection = self._connection
            if connection is None:
                raise ToolFailed(f"{self.config.name} does not run: {self._why_not}")
            if not connection.over.is_set():
                return connection
            self._settled.clear()  # its end was not heard of yet

    async def _live_either_way(self, say: Saying) -> str:
        """One life, by the older transport where nobody said which it is and the server refuses the newer one."""
        transport, refusals = self.config.transport, list[str]()
        clock = asyncio.get_running_loop().time
        began = clock()
        why = await self._live(say, self.config, refusals.append)
        if not refusals or not isinstance(transport, Http) or not transport.or_older:
            return why
        left = max(round(self.config.start_within - (clock() - began), 1), 1.0)
        older = replace(self.config, transport=replace(transport, kind="sse"), start_within=left)
        why = await self._live(say, older, refusals.append)
        if self._connection is not None:
            return why
        return f"It answered {refusals[0].removesuffix('.')}. Nor does it speak the older transport: {_small(why)}"

    async def _live(self, say: Saying, config: ServerConfig, on_refusal: Callable[[str], None]) -> str:
        """One life of it, from its start to its end; gives why it ended, as sentences."""
        within = config.start_within
        try:
            async with (
                asyncio.timeout(within) as limit,
                opened(config, self._around, self.log, self._login, say.noise, on_refusal) as channel,
            ):
                await loaded()
                from handrail.providers.mcp.asked import Asked
                from handrail.providers.mcp.connection import connected

                limit.reschedule(asyncio.get_running_loop().time() + within)
                asked = Asked(self._around.workspace.folders, has_model=self._around.sampler is not None)
                async with connected(self.config.name, channel, asked) as connection:
                    self._connection = connection
                    await self._list(connection, say)
                    limit.reschedule(None)
                    self._up_since = asyncio.get_running_loop().time()
                    self._settled.set()
                    await self._look_beside(connection, say)
                    await connection.over.wait()
        except TimeoutError:
            if not limit.expired():
                raise
            return f"It did not start within {within:g} s."
        except (ToolFailed, ExceptionGroup) as error:
            cause = next(causes(error))
            if not isinstance(cause, ToolFailed):
                raise cause from error
            return f"{_capital(str(cause)).removesuffix('.')}."
        return f"{_capital(channel.why() or 'the connection was lost')}."

    async def _list(self, connection: Connection, say: Saying, *, only_stale: bool = False) -> None:
        """Puts on the shelf what this connection has, unless there is a newer one by then."""
        async with self._listing:
            if only_stale and not self._may_differ(connection):
                return
            self._unsure = True
            listed = await connection.tools()
            tools, problems = await aside(self._offered, self, listed.items)
            self._unsure = False
            if connection is not self._connection:
                return
            self._tools = tools
            refused = say.shelf.put(tools, self._prompts())
            count = len(tools) - len(refused)
            say(
                Condition.READY,
                f"{count} tool{'' if count == 1 else 's'}",
                (*listed.problems, *problems, *refused),
            )

    async def _look_beside(self, connection: Connection, say: Saying) -> None:
        """Resources and prompts: tools don't wait for them."""
        async with self._looking:
            await self.beside.look(connection)
            if connection is not self._connection:
                return
            if self.beside.prompts:
                say.shelf.put(self._tools, self._prompts())
            say.also(self.beside.counts(), self.beside.problems)

    def _prompts(self) -> Sequence[McpPrompt]:
        return [McpPrompt(self, listed) for listed in self.beside.prompts]

    def _with_last_words(self, why: str) -> str:
        why, last = self.log.without_secrets(why), self.log.last_line()
        return f"{why} Its last words: {last}" if last else why

    def _troubled(self, say: Saying, trouble: str) -> None:
        """The login is not as it should be; or, without trouble, is again."""
        needs_login = self._login is not None and self._login.needs_login
        say.meanwhile(Condition.NEEDS_LOGIN if needs_login else Condition.FAILED, trouble)

    def _rest(self, say: Saying, condition: Condition, why: str) -> None:
        """It does not run, and calls of its tools are told so."""
        self._why_not = why
        self._settled.set()
        self.beside.rest()
        say(condition, why)


async def _ended(living: asyncio.Task[Ending[str]]) -> Ending[str]:
    return await living


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]
