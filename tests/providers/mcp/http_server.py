"""An MCP server at an address on loopback, which answers each message as a test says: with bytes, or none."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from mcp_world import tool

from handrail.settings.mcp.server import Http

Message = dict[str, Any]
Send = Callable[[bytes], Awaitable[None]]
Answer = Callable[[Message, Send], Awaitable[None]]
"""Sends what is to come back for one message; when it returns, the connection is closed."""


def head(status: str = "200 OK", **headers: str) -> bytes:
    lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status}\r\n{lines}Connection: close\r\n\r\n".encode()


def whole(body: bytes, status: str = "200 OK", content_type: str = "application/json", **headers: str) -> bytes:
    return head(status, content_type=content_type, content_length=str(len(body)), **headers) + body


def result(message: Message, result: Message) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}).encode()


def event(data: bytes) -> bytes:
    return b"event: message\r\ndata: " + data + b"\r\n\r\n"


async def echo(message: Message, send: Send) -> None:
    text = json.dumps(message["params"].get("arguments"))
    await send(whole(result(message, {"content": [{"type": "text", "text": text}]})))


@dataclass
class HttpServer:
    """`answers` by the name of a tool, or by a method; what is not named is answered as it should be."""

    answers: dict[str, Answer] = field(default_factory=dict)
    session: str = ""
    """The id of a session that it wants to hear; empty for none."""
    port: int = 0
    requests: list[tuple[str, dict[str, str], Message]] = field(default_factory=list)
    """Method, headers, message."""

    @property
    def transport(self) -> Http:
        return Http(f"http://127.0.0.1:{self.port}/mcp")

    def methods(self) -> list[str]:
        return [message.get("method", method) for method, _, message in self.requests]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            method, headers, message = await _request(reader)
            self.requests.append((method, headers, message))

            async def send(data: bytes) -> None:
                writer.write(data)
                await writer.drain()

            await self._answer(method, message, send)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, method: str, message: Message, send: Send) -> None:
        if method != "POST":
            await self.answers.get(method, _not_allowed)(message, send)
            return
        said, params = message.get("method", ""), message.get("params") or {}
        chosen = self.answers.get(params.get("name", "") if said == "tools/call" else said)
        if chosen is not None:
            await chosen(message, send)
        elif "id" not in message or not said:
            await send(head("202 Accepted", content_length="0"))
        elif said == "initialize":
            hello = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "http", "version": "1"},
            }
            more = {"mcp_session_id": self.session} if self.session else {}
            await send(whole(result(message, hello), **more))
        elif said == "tools/list":
            await send(whole(result(message, {"tools": [tool("one"), tool("two")]})))
        else:
            await echo(message, send)


async def _not_allowed(message: Message, send: Send) -> None:
    await send(head("405 Method Not Allowed", content_length="0"))


async def _request(reader: asyncio.StreamReader) -> tuple[str, dict[str, str], Message]:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return first.split(" ")[0], headers, json.loads(body) if body else {}


@asynccontextmanager
async def serving(server: HttpServer) -> AsyncIterator[HttpServer]:
    listening = await asyncio.start_server(server.serve, "127.0.0.1", server.port)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
