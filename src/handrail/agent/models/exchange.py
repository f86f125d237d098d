"""One POST and its streamed answer: HTTP/1.1 by h11, over asyncio's streams. Each has a connection of its own."""

from __future__ import annotations

import asyncio
import errno
import os
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from urllib.parse import urlsplit

import h11

from handrail.agent.models.connecting import NoProxy, Streams, connected, forwarded
from handrail.agent.models.endpoint import Endpoint
from handrail.agent.models.trouble import Trouble, cut, unreachable, unreadable

_CONNECT = 20.0
"""Seconds: for the name's look-up, the connection and its TLS."""

_PIECE = 65_536


class Answer:
    """What came back: its head is there, its body still comes."""

    def __init__(self, exchange: _Exchange, head: h11.Response) -> None:
        self._exchange = exchange
        self.status = head.status_code
        self.headers: Mapping[str, str] = {
            name.decode("latin-1").lower(): content.decode("latin-1").strip() for name, content in head.headers
        }

    @property
    def media_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    async def pieces(self) -> AsyncGenerator[bytes, None]:
        """Raises Trouble where it breaks off."""
        while isinstance(event := await self._exchange.next_event(begun=True), h11.Data):
            yield bytes(event.data)

    async def body(self, most: int) -> bytes:
        """As much of it as comes, up to `most` bytes."""
        body = bytearray()
        async for piece in self.pieces():
            body += piece
            if len(body) >= most:
                break
        return bytes(body[:most])


class _Exchange:
    def __init__(self, streams: Streams, endpoint: Endpoint, silence: float) -> None:
        self._reader, self._writer = streams
        self._endpoint = endpoint
        self._silence = silence
        self._protocol = h11.Connection(our_role=h11.CLIENT)

    def send(self, body: bytes) -> None:
        """It goes out while the answer is waited for.

        A server that refuses may answer, and close, before it has heard all: who waits until all is out loses that.
        """
        target, more = forwarded(self._endpoint)
        headers = [
            ("Host", urlsplit(self._endpoint.address).netloc),
            *self._endpoint.headers.items(),
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            ("Accept-Encoding", "identity"),
            ("Connection", "close"),
            *more,
        ]
        for event in (
            h11.Request(method="POST", target=target, headers=headers),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            self._writer.write(self._protocol.send(event) or b"")

    async def next_event(self, *, begun: bool) -> h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]:
        """The next event of the answer. Raises Trouble; `begun`: its head was there already."""
        with _in_words(self._endpoint, begun=begun):
            while (event := self._protocol.next_event()) is h11.NEED_DATA:
                async with asyncio.timeout(self._silence):
                    data = await self._reader.read(_PIECE)
                if not data and not begun:
                    raise unreachable(self._endpoint, "it ended the connection without an answer")
                self._protocol.receive_data(data)
        return event


@asynccontextmanager
async def posted(endpoint: Endpoint, body: bytes, tls: ssl.SSLContext | None, silence: float) -> AsyncIterator[Answer]:
    """Sends a request. When the block ends its connection is closed. Raises Trouble.

    The proxies of the environment are used, but not for this machine. Redirects are not followed, no cookies kept.
    `silence`: seconds without a byte after which the server counts as gone.
    """
    with _in_words(endpoint, begun=False, connecting=True):
        async with asyncio.timeout(_CONNECT):
            streams = await connected(endpoint, tls)
    try:
        exchange = _Exchange(streams, endpoint, silence)
        exchange.send(body)
        head = await exchange.next_event(begun=False)
        while isinstance(head, h11.InformationalResponse):
            head = await exchange.next_event(begun=False)
        if not isinstance(head, h11.Response):
            raise unreadable(endpoint, "it is no answer of HTTP")
        yield Answer(exchange, head)
    finally:
        # At once: a TLS connection that is closed politely waits for the other side.
        streams[1].transport.abort()
        with suppress(OSError):
            await streams[1].wait_closed()


@contextmanager
def _in_words(endpoint: Endpoint, *, begun: bool, connecting: bool = False) -> Iterator[None]:
    """What goes wrong on the way, as Trouble. `begun`: the answer's head was there already."""
    try:
        yield
    except TimeoutError as error:
        what = "nothing came for too long" if begun else "no connection" if connecting else "no answer for too long"
        raise _trouble(endpoint, what, begun=begun) from error
    except ssl.SSLCertVerificationError as error:
        why = f"its certificate is not trusted: {error.verify_message}; SSL_CERT_FILE may name who is to be trusted"
        raise unreachable(endpoint, why, again=False) from error
    except (OSError, UnicodeError) as error:
        # Nobody listens: on this machine that is so until somebody starts the server; elsewhere a moment may help,
        # but for a name or a proxy that can be none.
        refused = connecting and (endpoint.is_here or isinstance(error, NoProxy | UnicodeError))
        raise _trouble(endpoint, _told(error), begun=begun, again=not refused) from error
    except h11.RemoteProtocolError as error:
        raise (cut(endpoint, str(error)) if begun else unreadable(endpoint, str(error))) from error


def _told(error: OSError | UnicodeError) -> str:
    """In the system's words, which asyncio puts its own before."""
    if isinstance(error, OSError) and error.errno is not None and error.errno in errno.errorcode:
        return os.strerror(error.errno)
    return " ".join(str(error).split()) or type(error).__name__


def _trouble(endpoint: Endpoint, told: str, *, begun: bool, again: bool = True) -> Trouble:
    return cut(endpoint, told) if begun else unreachable(endpoint, told, again=again)
