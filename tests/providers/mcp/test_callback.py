"""The loopback address of a login: whatever else comes there, the person who comes back is heard."""

from __future__ import annotations

import asyncio
import logging
from urllib.parse import urlsplit

import pytest

from handrail.providers.mcp.callback import Callback, Returned, listening

BACK = b"GET /callback?code=c&state=s HTTP/1.1\r\n"


async def answered(callback: Callback, sent: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(callback.url).port)
    try:
        writer.write(sent)
        await writer.drain()
        writer.write_eof()
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def test_a_browser_with_many_cookies_of_this_machine_is_answered() -> None:
    async with listening(None) as callback:
        callback.state = "s"
        page = await answered(callback, BACK + b"Cookie: " + b"a=b; " * 20_000 + b"\r\n\r\n")
        assert page.startswith(b"HTTP/1.1 200 OK")
        assert await callback.returned() == Returned("c", "s")


@pytest.mark.parametrize(
    "sent",
    [b"", b"\r\n\r\n", BACK, b"\0\xff\r\n\r\n", b"GET //[ HTTP/1.1\r\n\r\n", BACK + b"a" * 3_000_000, b"a" * 3_000_000],
    ids=["nothing", "no line", "no end", "no text", "no address", "too long", "no line, and too long"],
)
async def test_what_is_no_answer_is_turned_away_and_the_wait_goes_on(
    sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with listening(None) as callback:
        callback.state = "s"
        with caplog.at_level(logging.DEBUG):
            page = await answered(callback, sent)
        assert b"200 OK" not in page
        assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
        assert (await answered(callback, BACK + b"\r\n")).startswith(b"HTTP/1.1 200 OK")
        assert (await callback.returned()).code == "c"
