"""The two streams that the SDK's session reads and writes, over a child's standard output and input.

They can be made, and a child started, while the SDK is still loading: it is imported with the first message.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Self

from handrail.contract.launching import Child
from handrail.providers.mcp.lines import Lines

if TYPE_CHECKING:
    from mcp.shared.message import SessionMessage

MOST_UNREAD = 4 << 20
"""Bytes of messages that wait for the session; then the server's output is held."""
MOST_UNSENT = 4 << 20
"""Bytes that wait for a server which doesn't read; then a request waits too. Notifications, of which a cancellation
is one, never wait."""
_PIECE = 65_536
_IN_A_ROW = 16
"""Lines that are read without a turn of the loop for others."""


@cache
def _decoder() -> Callable[[bytes], SessionMessage | None]:
    from handrail.providers.mcp.messages import decoded

    return decoded


@cache
def _encoder() -> Callable[[SessionMessage], bytes]:
    from handrail.providers.mcp.messages import encoded

    return encoded


class _Closing:
    async def aclose(self) -> None: ...

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class FromServer(_Closing):
    """Messages, in order. What is no message is skipped, and told of."""

    def __init__(self, on_noise: Callable[[bytes], None]) -> None:
        self.heard = False
        """A message came: the first is the server's hello."""
        self._on_noise = on_noise
        self._lines = Lines()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._news = asyncio.Event()
        self._ended = False
        self._in_a_row = 0
        self._child: Child | None = None

    def started(self, child: Child) -> None:
        self._child = child

    def add(self, piece: bytes) -> None:
        """Raises LineTooLong."""
        if self._ended:
            return
        for line in self._lines.add(piece):
            self._waiting.append(line)
            self._size += len(line) + 1
        if self._size > MOST_UNREAD and self._child is not None:
            self._child.hold_output()
        self._news.set()

    def end(self) -> None:
        """What came until now is still given."""
        self._ended = True
        self._news.set()

    async def aclose(self) -> None:
        self._waiting.clear()
        self._size = 0
        self.end()
        self._take()

    async def receive(self) -> SessionMessage | Exception:
        message = await self._received()
        if message is None:
            from anyio import EndOfStream

            raise EndOfStream
        return message

    async def _received(self) -> SessionMessage | None:
        """None once there will be no more."""
        while True:
            if self._waiting:
                self._in_a_row += 1
                if self._in_a_row % _IN_A_ROW == 0:
                    await asyncio.sleep(0)  # a flood leaves the loop to others
                    continue
                message = self._next()
                if message is not None:
                    return message
            elif self._ended:
                return None
            else:
                self._news.clear()
                await self._news.wait()
                self._in_a_row = 0

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        message = await self._received()
        if message is None:
            raise StopAsyncIteration
        return message

    def _next(self) -> SessionMessage | None:
        line = self._waiting.popleft()
        self._size -= len(line) + 1
        if self._size <= MOST_UNREAD // 2:
            self._take()
        if not line.strip():
            return None
        message = _decoder()(line)
        if message is None:
            self._on_noise(line)
        else:
            self.heard = True
        return message

    def _take(self) -> None:
        if self._child is not None:
            self._child.take_output()


class ToServer(_Closing):
    """Takes messages at once, and writes them as the server reads."""

    def __init__(self) -> None:
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._ended = False
        self._child: Child | None = None

    async def send(self, item: SessionMessage, /) -> None:
        """Raises BrokenResourceError once the server is gone."""
        line = _encoder()(item)
        if self._size > MOST_UNSENT:
            await self._room_for(item)
        if self._ended:
            from anyio import BrokenResourceError

            raise BrokenResourceError
        if not self._size and len(line) <= _PIECE and self._child is not None and self._child.send(line):
            return
        self._waiting.append(line)
        self._size += len(line)
        self._news.set()

    async def _room_for(self, item: SessionMessage) -> None:
        from handrail.providers.mcp.messages import is_notification

        while self._size > MOST_UNSENT and not self._ended and not is_notification(item):
            self._room.clear()
            await self._room.wait()

    def end(self) -> None:
        self._ended = True
        self._waiting.clear()
        self._news.set()
        self._room.set()

    async def write_to(self, child: Child) -> None:
        """Until `end`, or the child takes no more."""
        self._child = child
        while not self._ended:
            while self._waiting:
                line = self._waiting.popleft()
                for start in range(0, len(line), _PIECE):
                    await child.drained()
                    if not child.send(line[start : start + _PIECE]):
                        self.end()
                        return
                self._size -= len(line)
                self._room.set()
            self._news.clear()
            if not self._ended:
                await self._news.wait()
