"""What a server asks and has no answer to yet, bounded: the SDK has a task for each, however many come."""

from __future__ import annotations

from mcp.client._transport import WriteStream
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from handrail.providers.mcp.channel import Over

MOST_OPEN = 100
"""Requests of one server. What is over that is refused; a server that doesn't read so is read from no more."""


class Questions(Over["WriteStream[SessionMessage]"]):
    """The stream to a server, which knows what of the stream from it is answered."""

    def __init__(self, stream: WriteStream[SessionMessage]) -> None:
        super().__init__(stream)
        self._open: set[str | int] = set()

    async def takes(self, message: SessionMessage | Exception) -> bool:
        """Whether somebody here should see it. What is refused has its answer by then."""
        match message.message if isinstance(message, SessionMessage) else None:
            case JSONRPCRequest(id=asked):
                if asked in self._open or len(self._open) >= MOST_OPEN:
                    error = ErrorData(code=INTERNAL_ERROR, message=f"At most {MOST_OPEN} questions can be open at once")
                    await self._stream.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=asked, error=error)))
                    return False
                self._open.add(asked)
            case JSONRPCNotification(method="notifications/cancelled", params=params):
                taken_back = (params or {}).get("requestId")
                if isinstance(taken_back, str | int):
                    self._open.discard(taken_back)
        return True

    async def send(self, item: SessionMessage, /) -> None:
        await self._stream.send(item)
        if isinstance(item.message, JSONRPCResponse | JSONRPCError) and item.message.id is not None:
            self._open.discard(item.message.id)
