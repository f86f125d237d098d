"""What every transport gives: two streams, and why they ended; and a stream that says when it has."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

from handrail.contract.values import value

if TYPE_CHECKING:
    from mcp.client._transport import ReadStream, WriteStream
    from mcp.shared.message import SessionMessage

S = TypeVar("S", bound="Stream")

LOST = "handrail: lost"
"""In the `data` of an error that a transport of ours made of a connection that broke: servers send its code as well."""


@value
class Channel:
    """A way to one server and back."""

    incoming: ReadStream[SessionMessage | Exception]
    outgoing: WriteStream[SessionMessage]
    """Takes a cancellation at once, whatever it does with it: whoever cancels a call waits for that."""
    why: Callable[[], str]
    """How it ended, as a clause for people: `it ended with exit code 3`. Empty while nothing is known."""


class Stream(Protocol):
    """What streams of both directions are."""

    async def aclose(self) -> None: ...

    async def __aenter__(self) -> object: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None, /
    ) -> bool | None: ...


class Over(Generic[S]):
    """A stream over another one, which is opened and closed with it."""

    def __init__(self, stream: S) -> None:
        self._stream = stream

    async def aclose(self) -> None:
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        return await self._stream.__aexit__(kind, error, trace)


class Watched(Over["ReadStream[SessionMessage | Exception]"]):
    """A stream, which sets `over` before anybody else learns that it has ended; without what `takes` doesn't take."""

    def __init__(
        self,
        stream: ReadStream[SessionMessage | Exception],
        over: asyncio.Event,
        takes: Callable[[SessionMessage | Exception], Awaitable[bool]],
    ) -> None:
        super().__init__(stream)
        self._over = over
        self._takes = takes

    @property
    def last_context(self) -> object:
        """What the SDK's own streams carry beside a message."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        while not await self._takes(message := await self._stream.receive()):
            pass
        return message

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            while not await self._takes(message := await self._stream.__anext__()):
                pass
        except StopAsyncIteration:
            self._over.set()
            raise
        return message
