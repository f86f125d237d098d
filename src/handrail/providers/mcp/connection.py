"""One server's live session: what it offers, and calls of its tools, each with an end of its own."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from mcp import types
from mcp.client.session import ClientSession
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

from handrail import __version__
from handrail.contract.basics import JsonObject
from handrail.errors import ToolFailed
from handrail.policy.wording import shortened
from handrail.providers.mcp.asked import Answering, Asked
from handrail.providers.mcp.channel import LOST, Channel, Watched
from handrail.providers.mcp.elicitation import visits_first
from handrail.providers.mcp.pages import Listing, all_pages
from handrail.providers.mcp.patience import Patience
from handrail.providers.mcp.questions import Questions
from handrail.providers.mcp.received import result_of, tools_of
from handrail.providers.mcp.refused import Refused

Progress = Callable[[float, "float | None", str], None]
"""How far a call is: steps done, of how many where that is known, and what the server says of it."""

_NOT_KNOWN = "Whether it did what was asked is not known: look before you try again."

_MESSAGE_SHOWN = 500
"""Characters of what a server says about its progress."""

_CLOSED = "Connection closed"
"""What the SDK's dispatcher says to those who wait when the stream ends."""

_UNREADABLE = ("Failed to parse JSON response", "Failed to parse SSE message")
"""Then comes what pydantic says of it, on many lines."""

_NO_ANSWER = (
    "SSE stream ", *_UNREADABLE, "Unexpected content type", "server answered a request with 202"
)  # fmt: skip
"""How the SDK's transport begins what it says where a server took a message, and no answer to it came."""

_SESSION_OVER = "Session terminated"
"""What the SDK's transport makes of the answer 404 within a session: the server did not take the message."""


@asynccontextmanager
async def connected(server: str, channel: Channel, asked: Asked) -> AsyncIterator[Connection]:
    """A session over the channel, once the server has said hello. Raises ToolFailed when it doesn't."""
    over = asyncio.Event()
    outgoing = Questions(channel.outgoing)
    dispatcher: JSONRPCDispatcher = JSONRPCDispatcher(Watched(channel.incoming, over, outgoing.takes), outgoing)
    session = ClientSession(
        sampling_callback=asked.sample if asked.has_model else None,
        elicitation_callback=asked.elicit,
        list_roots_callback=asked.list_roots,
        message_handler=asked.told,
        client_info=types.Implementation(name="handrail", version=__version__),
        dispatcher=dispatcher,
    )
    async with session:
        connection = Connection(server, session, dispatcher, asked, channel.why, over)
        await connection.hello()
        yield connection


class Connection:
    """Made by `connected`, for as long as its block lasts."""

    def __init__(
        self,
        server: str,
        session: ClientSession,
        dispatcher: JSONRPCDispatcher,
        asked: Asked,
        why: Callable[[], str],
        over: asyncio.Event,
    ) -> None:
        self.over = over
        """Set once the server is gone: no call reaches it."""
        self.session = session
        self.stale = asked.stale
        """What the server said to have changed since it was listed: `tools`, `resources`, `prompts`."""
        self._server = server
        self._dispatcher = dispatcher
        self._asked = asked
        self._why = why

    @property
    def capabilities(self) -> types.ServerCapabilities:
        return self.session.server_capabilities or types.ServerCapabilities()

    async def tools(self) -> Listing[types.Tool]:
        """All that it has now, and what is wrong with others. Raises ToolFailed."""
        self.stale.discard("tools")
        return tools_of(await all_pages(lambda cursor: self.request("tools/list", cursor), "tools"))

    async def call(
        self, tool: str, arguments: JsonObject, *, progress: Progress, within: float | None, answering: Answering
    ) -> types.CallToolResult:
        """Has the server carry out one call, once. Cancelling the wait tells the server, and returns within a second
        even where it doesn't listen; what it answers later is dropped.

        Raises ToolFailed when the server refuses it, is silent for `within` seconds, or is gone: then nobody knows
        whether it did what was asked.
        """
        patience, tell = Patience(within), progress

        async def heard(progress: float, total: float | None, message: str | None) -> None:
            patience.renew()
            tell(progress, total, (message or "")[:_MESSAGE_SHOWN])

        try:
            async with patience:
                with self._asked.answered_by(answering, patience):
                    params: JsonObject = {"name": tool, "arguments": arguments}
                    raw = await self.request("tools/call", params, CallOptions(on_progress=heard))
        except Refused as refusal:  # what it says of that is its word, as any result is
            return types.CallToolResult(content=[types.TextContent(text=refusal.whole)], is_error=True)
        except TimeoutError:
            raise ToolFailed(
                f"{self._server} did not answer {tool} within {within:g} s, and was told to stop. {_NOT_KNOWN}"
            ) from None
        return result_of(raw)

    async def hello(self) -> None:
        """Raises ToolFailed."""
        try:
            await self.session.initialize()
        except MCPError as error:
            lost = error.code == types.CONNECTION_CLOSED and error.message
            raise ToolFailed(self._why() or lost or f"it did not say hello: {_in_a_line(error.message)}") from None
        except (RuntimeError, ValueError) as error:
            raise ToolFailed(f"it did not say hello as it should: {_first_line(error)}") from None

    async def request(self, method: str, params: JsonObject, options: CallOptions | None = None) -> JsonObject:
        """The raw result of one request. Raises ToolFailed as `call` does."""
        try:
            return await self._dispatcher.send_raw_request(method, params, options)
        except MCPError as error:
            if error.message == _SESSION_OVER:
                self.over.set()
            raise self._refusal(method, error) from None

    def _refusal(self, method: str, error: MCPError) -> ToolFailed:
        said = _in_a_line(error.message)
        if error.message.startswith(_NO_ANSWER):
            return ToolFailed(f"{self._server} gave no answer to {method}: {said}. {_NOT_KNOWN}")
        if self._is_lost(error):
            return ToolFailed(f"{self._server} was lost: {self._why() or said}. {_NOT_KNOWN}")
        if error.message == _SESSION_OVER:
            over = f"{self._server} knows this session no more, and did nothing; a new one is begun. Call again."
            return ToolFailed(over)
        why = f"{self._server} refused {method}: {said} (error {error.code})."
        if error.code == types.URL_ELICITATION_REQUIRED and (first := visits_first(error.data)):
            return ToolFailed(f"{why}{first}")
        return Refused(why, error.message if len(error.message) > len(said) else "")

    def _is_lost(self, error: MCPError) -> bool:
        """Servers send this code too, for whatever else has none."""
        ours = error.data == LOST or error.message == _CLOSED or self.over.is_set()
        return error.code == types.CONNECTION_CLOSED and ours


def _in_a_line(message: str) -> str:
    return "its answer is no message of JSON-RPC" if message.startswith(_UNREADABLE) else shortened(message)


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0]
