"""The loopback address that a browser is sent back to after a login: RFC 8252, section 7.3."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, urlsplit

from handrail.contract.values import value
from handrail.errors import UsageError

HOST = "127.0.0.1"
PATH = "/callback"

_MOST_BYTES = 1024 * 1024
"""Of a request: a browser sends all cookies of this address, whichever port set them."""
_READ_WITHIN = 10.0


@value
class Returned:
    """What the browser brought back."""

    code: str = ""
    state: str = ""
    issuer: str = ""
    """RFC 9207; empty where the authorization server doesn't name itself."""
    error: str = ""
    """Why there is no code, as the authorization server says it."""


class Callback:
    """Answers the browser. What does not carry the state of this login is turned away, and the wait goes on."""

    def __init__(self, port: int) -> None:
        self.url = f"http://{HOST}:{port}{PATH}"
        self.state = ""
        """Set before the browser is opened."""
        self._returned: asyncio.Future[Returned] = asyncio.get_running_loop().create_future()

    async def returned(self) -> Returned:
        return await self._returned

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            async with asyncio.timeout(_READ_WITHIN):
                head = await reader.readuntil(b"\r\n\r\n")
                status, text = self._answer(head.split(b"\r\n", 1)[0].decode("ascii", "replace"))
                writer.write(_page(status, text))
                await writer.drain()
        writer.close()

    def _answer(self, line: str) -> tuple[str, str]:
        method, _, target = line.removesuffix(" HTTP/1.1").partition(" ")
        address = urlsplit(target)
        if method != "GET" or address.path != PATH:
            return "404 Not Found", "There is nothing here."
        given = {name: values[-1] for name, values in parse_qs(address.query).items()}
        if not self.state or not secrets.compare_digest(given.get("state", "").encode(), self.state.encode()):
            return "400 Bad Request", "This answer is not for the login that is waited for. Start the login again."
        error = " ".join(filter(None, (given.get("error", ""), given.get("error_description", ""))))
        if not self._returned.done():
            self._returned.set_result(Returned(given.get("code", ""), self.state, given.get("iss", ""), error))
        if error:
            return "200 OK", "The login was refused. You can close this window; the terminal says more."
        return "200 OK", "You can close this window and go back to the terminal."


@asynccontextmanager
async def listening(port: int | None) -> AsyncIterator[Callback]:
    """Takes any free port where none is named. Raises UsageError for one that is taken."""
    waiting: list[Callback] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await waiting[0].serve(reader, writer)

    try:
        server = await asyncio.start_server(serve, HOST, port or 0, limit=_MOST_BYTES)
    except OSError as error:
        raise UsageError(f"port {port} of {HOST} can't be listened on: {error.strerror}; name another") from error
    async with server:
        waiting.append(Callback(server.sockets[0].getsockname()[1]))
        yield waiting[0]


def _page(status: str, text: str) -> bytes:
    """Nothing that the request said stands in it."""
    body = f"<!doctype html><meta charset=utf-8><title>Handrail</title><p>{text}</p>\n".encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n"
        "Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body
