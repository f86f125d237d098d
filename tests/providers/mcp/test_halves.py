"""Half an emoji costs no message, however the message comes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from http_server import Answer, HttpServer, Message, Send, event, head, result, serving, whole
from hypothesis import given
from hypothesis import strategies as st
from mcp_world import World, called, ready, text_of, tool

from handrail.providers.mcp.halves import without_halves

PARTS = [rb"\ud83d", rb"\uDE00", rb"\u00e9", rb"\u005c", rb"\\", rb"\n", rb"\"", b"u", b"d83d", b"\xc3\xa9", b" "]
WRITTEN = st.lists(st.sampled_from(PARTS), max_size=12).map(b"".join)


@given(WRITTEN)
def test_all_but_the_halves_means_what_it_did(written: bytes) -> None:
    meant = json.loads(b'"' + written + b'"').encode("utf-8", "replace").decode()
    assert json.loads(b'"' + without_halves(written) + b'"') == meant


CUT = {"content": [{"type": "text", "text": "cut \ud83d, whole \U0001f600"}]}


async def at_once(message: Message, send: Send) -> None:
    await send(whole(result(message, CUT)))


async def as_an_event(message: Message, send: Send) -> None:
    await send(head(content_type="text/event-stream") + event(result(message, CUT)))


async def as_an_event_byte_by_byte(message: Message, send: Send) -> None:
    await send(head(content_type="text/event-stream"))
    for byte in event(result(message, CUT)):
        await send(bytes([byte]))


@pytest.mark.parametrize("answer", [at_once, as_an_event, as_an_event_byte_by_byte])
async def test_a_server_at_an_address_that_cuts_an_emoji_is_understood(tmp_path: Path, answer: Answer) -> None:
    async def tools(message: Message, send: Send) -> None:
        await send(whole(result(message, {"tools": [tool("one", description="cut \ud83d")]})))

    world = World(tmp_path)
    async with (
        serving(HttpServer({"one": answer, "tools/list": tools})) as server,
        world.session(world.config("web", {}, transport=server.transport)) as session,
    ):
        status = await ready(session)
        assert status.detail == "1 tool"
        assert text_of(await called(session, "mcp_web_one")) == "cut ?, whole \U0001f600"
