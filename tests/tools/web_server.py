"""A web server on loopback that says whatever a test wants, as bytes: honest ones and all others."""

from __future__ import annotations

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import trustme

from handrail.tools.web.reach import IP
from handrail.tools.web_fetch import WebFetch

Send = Callable[[bytes], Awaitable[None]]
Answer = bytes | Callable[[Send], Awaitable[None]]
"""All that is sent; or who sends it, piece by piece, until the client is gone."""


def answer(body: bytes = b"", content_type: str = "text/plain", status: str = "200 OK", **headers: str) -> bytes:
    """A whole answer. `content_encoding="gzip"` is a header."""
    named = {"content-type": content_type, "content-length": str(len(body))}
    named |= {name.replace("_", "-"): text for name, text in headers.items()}
    head = "".join(f"{name}: {text}\r\n" for name, text in named.items() if text)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body


def redirect(to: str, status: str = "302 Found") -> bytes:
    return answer(status=status, location=to)


@dataclass
class WebServer:
    """`answers` by path; `requests` are the heads that came."""

    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once there was a request."""
    closed: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a client went away before its answer was sent."""

    @property
    def paths(self) -> list[str]:
        return [request.split(" ")[1] for request in self.requests]

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def tool(self, names: Mapping[str, Sequence[str]] | None = None, tls: ssl.SSLContext | None = None) -> WebFetch:
        """A web_fetch that may reach this server, and to which only these names are known."""
        return WebFetch(Names(names or {}), [("127.0.0.1", self.port)], tls)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.closed.set()
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.requests.append(head)
        self.asked.set()
        length = next((line.split(":")[1] for line in head.lower().split("\r\n") if line.startswith("content-le")), "0")
        self.bodies.append(await reader.readexactly(int(length)))
        said = self.answers.get(head.split(" ")[1].partition("?")[0], answer(b"nothing here", status="404 Not Found"))

        async def send(piece: bytes) -> None:
            writer.write(piece)
            await writer.drain()

        if isinstance(said, bytes):
            await send(said)
        else:
            await said(send)


class Names:
    """Answers each look-up of a name with the next of its answers, and the last one again and again."""

    def __init__(self, answers: Mapping[str, Sequence[str]]) -> None:
        self._answers = {name: list(each) for name, each in answers.items()}
        self.asked: list[str] = []

    async def __call__(self, name: str) -> Sequence[IP]:
        self.asked.append(name)
        left = self._answers.get(name)
        if left is None:
            raise OSError(-2, "Name or service not known")
        told = left.pop(0) if len(left) > 1 else left[0]
        return [ipaddress.ip_address(each) for each in told.split()]


def certified(name: str) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """How a server shows a certificate for a name, and how a client believes whoever gave it."""
    authority = trustme.CA()
    serves = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(name).configure_cert(serves)
    believes = ssl.create_default_context()
    authority.configure_trust(believes)
    return serves, believes


@asynccontextmanager
async def web_server(
    answers: Mapping[str, Answer] | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[WebServer]:
    served = WebServer(answers=dict(answers or {}))
    tasks: set[asyncio.Task[Any]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        await served.serve(reader, writer)

    listening = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    served.port = listening.sockets[0].getsockname()[1]
    try:
        yield served
    finally:
        listening.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
