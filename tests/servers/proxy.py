"""A proxy as the environment names them: whatever is asked for, it forwards or tunnels to one port of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass
class Proxy:
    """`heads` is what it was asked."""

    port: int
    heads: list[str] = field(default_factory=list)


@asynccontextmanager
async def proxy_to(port: int, refusing: str = "") -> AsyncIterator[Proxy]:
    """`refusing`: the status line that it answers with instead."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        proxy.heads.append(head.decode())
        if refusing:
            writer.write(f"{refusing}\r\n\r\n".encode())
            writer.close()
            return
        there, to = await asyncio.open_connection("127.0.0.1", port)
        if head.startswith(b"CONNECT "):
            writer.write(b"HTTP/1.1 200 Connection established\r\nVia: 1.1 here\r\n\r\n")
        else:
            method, address, rest = head.split(b" ", 2)
            to.write(method + b" /" + address.split(b"/", 3)[3] + b" " + rest)
        await asyncio.gather(_pass_on(reader, to), _pass_on(there, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    proxy = Proxy(server.sockets[0].getsockname()[1])
    async with server:
        yield proxy


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()
