"""Answers as the SDK's transport takes them: it parses a message once for each kind that it could be, which takes many
times the memory of a long one. Of such an answer it is given a short one that stands in for it; what was read here
takes its place again on the way to the session.
"""

from __future__ import annotations

from secrets import token_hex
from typing import TYPE_CHECKING

from mcp.shared.message import SessionMessage
from mcp_types import ErrorData, JSONRPCError, JSONRPCResponse

from handrail.providers.mcp.channel import Over
from handrail.providers.mcp.messages import decoded, encoded
from handrail.providers.mcp.readable import readable

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream

SHORT = 65_536
"""Bytes of an answer that the SDK is given itself."""


class StandIns:
    """Of one connection."""

    def __init__(self) -> None:
        self._mark = token_hex(16)
        """No server knows it: what stands in was made here."""
        self._kept: dict[int, JSONRPCResponse | JSONRPCError] = {}
        self._made = 0

    def made(self, json: bytes, *, error_alone: bool = False) -> bytes:
        """What the SDK is to be given; empty for what is no message. `error_alone`: of an answer with an error's
        status it passes on nothing else."""
        read = decoded(json)
        message = None if read is None else read.message
        if message is None or (error_alone and not isinstance(message, JSONRPCError)):
            return b""
        if len(json) <= SHORT or not isinstance(message, JSONRPCResponse | JSONRPCError) or message.id is None:
            return readable(json)
        self._made += 1
        self._kept[self._made] = message
        held = {self._mark: self._made}
        stand_in: JSONRPCResponse | JSONRPCError = JSONRPCResponse(jsonrpc="2.0", id=message.id, result=held)
        if isinstance(message, JSONRPCError):
            stand_in = JSONRPCError(jsonrpc="2.0", id=message.id, error=ErrorData(code=0, message="", data=held))
        return encoded(SessionMessage(stand_in)).strip()

    def meant(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        """What an item stands in for, or itself; with the id that the transport gave it."""
        message = item.message if isinstance(item, SessionMessage) else None
        held: object = None
        if isinstance(message, JSONRPCResponse):
            held = message.result
        elif isinstance(message, JSONRPCError):
            held = message.error.data
        kept = self._kept.pop(held.get(self._mark, 0), None) if isinstance(held, dict) else None
        if kept is None or not isinstance(message, JSONRPCResponse | JSONRPCError):
            return item
        kept.id = message.id
        return SessionMessage(kept)


class Meant(Over["ReadStream[SessionMessage | Exception]"]):
    """The stream from a transport that was given what stands in."""

    def __init__(self, stream: ReadStream[SessionMessage | Exception], stand_ins: StandIns) -> None:
        super().__init__(stream)
        self._stand_ins = stand_ins

    @property
    def last_context(self) -> object:
        """What the SDK's own streams carry beside a message."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        return self._stand_ins.meant(await self._stream.receive())

    def __aiter__(self) -> Meant:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return self._stand_ins.meant(await self._stream.__anext__())
