"""One request and its answer, within bounds: what is sent, how long it takes, how much comes, packed or not.

No cookies are kept or sent, no redirect is followed here, and each exchange has a connection of its own.
"""

from __future__ import annotations

import asyncio
import ssl
import zlib
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus

import httpcore2

from handrail import __version__
from handrail.contract.values import value
from handrail.errors import ToolFailed
from handrail.tools.web.address import Address

USER_AGENT = f"Handrail/{__version__}"
SILENCE = 15.0
"""Seconds without a byte after which a server counts as gone."""
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PACKINGS = ("gzip", "x-gzip", "deflate")


@value
class Bounds:
    """Of one exchange."""

    seconds: float
    """For all of it, from the name's look-up to the last byte."""
    most: int
    """Bytes of the answer's body, both as sent and as unpacked."""


@value
class Answer:
    """What a server said. Headers have their names in lower case; where one comes twice the first counts."""

    address: Address
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def said(self) -> str:
        """The status in the standard's words, not the server's: `404 Not Found`."""
        known = self.status in {item.value for item in HTTPStatus}
        return f"{self.status} {HTTPStatus(self.status).phrase}" if known else str(self.status)

    @property
    def is_redirect(self) -> bool:
        return self.status in REDIRECTS and "location" in self.headers

    @property
    def media_type(self) -> str:
        """As the server says it: `text/html`; empty where it says none."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


async def exchange(
    backend: httpcore2.AsyncNetworkBackend,
    tls: ssl.SSLContext,
    address: Address,
    headers: Mapping[str, str],
    bounds: Bounds,
    body: bytes | None = None,
) -> Answer:
    """A GET, or a POST where there is a body. Raises ToolFailed for what can't be reached, is too slow, or too much."""
    sent: list[tuple[bytes | str, bytes | str]] = [
        ("host", address.authority),
        ("user-agent", USER_AGENT),
        ("accept-encoding", "gzip, deflate"),
        *headers.items(),
    ]
    url = httpcore2.URL(scheme=address.scheme, host=address.host, port=address.port, target=address.target)
    silence = {"connect": SILENCE, "read": SILENCE, "write": SILENCE, "pool": SILENCE}
    with _in_words(address, bounds):
        async with asyncio.timeout(bounds.seconds), httpcore2.AsyncConnectionPool(tls, network_backend=backend) as pool:
            method = "GET" if body is None else "POST"
            extensions = {"timeout": silence}
            async with pool.stream(method, url, headers=sent, content=body, extensions=extensions) as response:
                answer = Answer(address, response.status, _headers(response.headers), b"")
                if answer.is_redirect:
                    return answer
                content = await _read(response.aiter_stream(), answer, bounds.most)
                return Answer(address, answer.status, answer.headers, content)


def _headers(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, content in raw:
        headers.setdefault(name.decode("latin-1").lower(), content.decode("latin-1").strip())
    return headers


async def _read(pieces: AsyncIterator[bytes], answer: Answer, most: int) -> bytes:
    announced = answer.headers.get("content-length", "")
    if announced.isascii() and announced.isdigit() and len(announced) < 19 and int(announced) > most:
        raise _too_much(answer.address, f"{int(announced):,} bytes", most)
    unpack = _unpacking(answer)
    content, received = bytearray(), 0
    async for piece in pieces:
        received += len(piece)
        content += unpack.feed(piece, most + 1 - len(content))
        if received > most or len(content) > most:
            raise _too_much(answer.address, "more", most)
    unpack.finish()
    return bytes(content)


class _AsItIs:
    def feed(self, piece: bytes, most: int) -> bytes:
        return piece

    def finish(self) -> None: ...


class _Unpacker:
    """gzip or deflate, which some send without its header. What follows the first stream is left alone."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32)
        self._begun = False

    def feed(self, piece: bytes, most: int) -> bytes:
        """At most `most` bytes, however many there are in the piece: the caller stops there."""
        if self._stream.eof:
            return b""
        begun, self._begun = self._begun, True
        try:
            return self._stream.decompress(piece, most)
        except zlib.error as error:
            if begun:
                raise self._broken("is damaged") from error
        self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            return self._stream.decompress(piece, most)
        except zlib.error as error:
            raise self._broken("is not what the server says it is") from error

    def finish(self) -> None:
        if self._begun and not self._stream.eof:
            raise self._broken("was cut short")

    def _broken(self, how: str) -> ToolFailed:
        return ToolFailed(f"The compressed answer of {self._address} {how}. Try once more, or another address.")


def _unpacking(answer: Answer) -> _AsItIs | _Unpacker:
    packing = answer.headers.get("content-encoding", "").lower()
    if packing in ("", "identity"):
        return _AsItIs()
    if packing in _PACKINGS:
        return _Unpacker(answer.address)
    raise ToolFailed(f"{answer.address} answered in a compression that was not asked for ({packing[:40]!r}).")


def _too_much(address: Address, how_much: str, most: int) -> ToolFailed:
    return ToolFailed(
        f"{address} answers with {how_much}, and at most {most:,} bytes are taken, compressed or not. Fetch a "
        "smaller page, or load a part of it by the shell."
    )


@contextmanager
def _in_words(address: Address, bounds: Bounds) -> Iterator[None]:
    """What can go wrong on the way, as sentences. What the backend says itself passes through."""
    try:
        yield
    except TimeoutError as error:
        raise ToolFailed(
            f"{address} did not answer in full within {bounds.seconds:.0f} s, and was given up. Try another address."
        ) from error
    except httpcore2.TimeoutException as error:
        raise ToolFailed(f"{address} was silent for {SILENCE:g} s, and was given up. Try another address.") from error
    except httpcore2.ConnectError as error:
        why = str(error) or "the connection was closed"
        raise ToolFailed(f"No safe connection to {address.authority}: {why}.") from error
    except (httpcore2.ProtocolError, httpcore2.NetworkError) as error:
        why = str(error) or "the connection was closed"
        raise ToolFailed(f"{address.authority} broke off or does not speak HTTP: {why}. Try once more.") from error
