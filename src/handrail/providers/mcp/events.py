"""A stream of events whose messages pydantic's parser takes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

import httpx2

from handrail.providers.mcp.lines import MOST_LINE


class ReadEvents(httpx2.AsyncByteStream):
    """The body of a response, event by event; fails with `httpx2.SSEError` at one that is longer than `MOST_LINE`."""

    def __init__(self, response: httpx2.Response, read: Callable[[bytes], bytes]) -> None:
        """`read` makes of a message what is to stand in its place."""
        self._response = response
        self._read = read

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for event in httpx2.EventSource(self._response, MOST_LINE):
            data = event.data.encode()
            if data and event.event == "message":
                data = self._read(data)
            fields = {"event": event.event, "id": event.id, "retry": event.retry}
            told = "".join(f"{name}: {said}\n" for name, said in fields.items() if said not in ("", None))
            yield told.encode() + b"data: " + data.replace(b"\n", b"\ndata: ") + b"\n\n"

    async def aclose(self) -> None:
        await self._response.aclose()
