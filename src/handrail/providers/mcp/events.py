"""A stream of events whose messages pydantic's parser takes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from handrail.providers.mcp.lines import MOST_LINE
from handrail.providers.mcp.readable import readable


class ReadableEvents(httpx2.AsyncByteStream):
    """The body of a response, event by event; fails with `httpx2.SSEError` at one that is longer than `MOST_LINE`."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for event in httpx2.EventSource(self._response, MOST_LINE):
            yield written(event)

    async def aclose(self) -> None:
        await self._response.aclose()


def written(event: httpx2.ServerSentEvent) -> bytes:
    """As it stands in a stream; a message readable."""
    data = event.data.encode()
    if event.event == "message":
        data = readable(data)
    fields = {"event": event.event, "id": event.id, "retry": event.retry}
    told = "".join(f"{name}: {said}\n" for name, said in fields.items() if said not in ("", None))
    return told.encode() + b"data: " + data.replace(b"\n", b"\ndata: ") + b"\n\n"
