"""The older transport: messages are posted, and what the server says comes as events of one stream.

MCP, revision 2024-11-05, Transports, "HTTP with SSE". The SDK's own ends the connection at an event of more than 1 MiB,
and sends nothing more after one message that the server did not take.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Self
from urllib.parse import urljoin, urlsplit

import httpx2
from anyio import BrokenResourceError, ClosedResourceError, create_memory_object_stream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared._httpx_utils import sse_within_origin, stream_within_origin
from mcp.shared.message import SessionMessage
from mcp_types import CONNECTION_CLOSED, ErrorData, JSONRPCError, JSONRPCRequest

from handrail.errors import ToolFailed
from handrail.providers.mcp.channel import LOST
from handrail.providers.mcp.lines import MOST_LINE
from handrail.providers.mcp.messages import decoded, encoded, error_in

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
_JSON = {"content-type": "application/json"}


@asynccontextmanager
async def two_channels(client: httpx2.AsyncClient, url: str) -> AsyncIterator[tuple[Incoming, Posts]]:
    """Open until the block ends; the stream ends with the server's. Raises ToolFailed and httpx2's errors where there
    is no such server."""
    async with sse_within_origin(client, url, max_event_size=MOST_LINE) as source:
        source.response.raise_for_status()
        events = aiter(source)
        address = await _address(events, url)
        heard, incoming = create_memory_object_stream[SessionMessage | Exception](0)
        posts = Posts(client, address, heard)
        reading = asyncio.create_task(posts.read(events))
        try:
            yield incoming, posts
        finally:
            reading.cancel()
            await asyncio.wait((reading,))
            heard.close()
            incoming.close()


async def _address(events: AsyncIterator[httpx2.ServerSentEvent], url: str) -> str:
    """Where messages are posted, as the first of the events says."""
    async for event in events:
        if event.event == "endpoint":
            address = urljoin(url, event.data)
            if urlsplit(address)[:2] != urlsplit(url)[:2]:
                raise ToolFailed("it wants its messages at another server, and gets none there")
            return address
    raise ToolFailed("its events ended before it said where it takes messages")


class Posts:
    """The stream to the server. What is not taken is answered here, where it is a request."""

    def __init__(
        self,
        client: httpx2.AsyncClient,
        address: str,
        heard: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        self.why = ""
        """How the stream from the server ended, as a clause."""
        self._client = client
        self._address = address
        self._heard = heard

    async def read(self, events: AsyncIterator[httpx2.ServerSentEvent]) -> None:
        """Passes on what the server says, until that ends. What is no message is skipped."""
        try:
            async for event in events:
                message = decoded(event.data.encode()) if event.event == "message" and event.data else None
                if message is not None:
                    await self._heard.send(message)
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            self.why = f"the connection broke ({str(error) or type(error).__name__})"
        except (BrokenResourceError, ClosedResourceError):
            pass  # nobody listens any more
        finally:
            self._heard.close()

    async def send(self, item: SessionMessage, /) -> None:
        """Returns once the server has taken it. Raises BrokenResourceError when the server is gone."""
        posted = stream_within_origin(self._client, "POST", self._address, content=encoded(item), headers=_JSON)
        try:
            async with posted as answer:
                if answer.is_success or not isinstance(item.message, JSONRPCRequest):
                    return
                said = error_in(await answer.aread()) or {}
        except (httpx2.HTTPError, httpx2.StreamError) as error:
            raise BrokenResourceError from error
        code, message, data = (said.get(name) for name in ("code", "message", "data"))
        failed = ErrorData(
            code=code if isinstance(code, int) else CONNECTION_CLOSED,
            message=str(message) if said else f"HTTP {answer.status_code} {answer.reason_phrase}",
            data=data if said else LOST,
        )
        await self._heard.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=item.message.id, error=failed)))

    async def aclose(self) -> None: ...

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
