"""What is nested too deeply costs itself alone: it is cut out of a message, whatever transport that comes by."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from http_server import Answer, HttpServer, Message, Send, event, head, serving, whole
from hypothesis import given
from hypothesis import strategies as st
from mcp_world import World, called, ready, text_of, tool
from pydantic_core import from_json
from test_mcp_http import of_the_older_transport

from handrail.contract.basics import Json
from handrail.providers.mcp.nesting import LEFT_OUT, MOST_LEVELS, shallow
from handrail.session import Session
from handrail.settings.mcp.server import ServerConfig

SIGNS = st.text('[]{}"\\,:a é', max_size=6)
LEAVES = st.none() | st.integers(-9, 9) | SIGNS
SMALL = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(SIGNS, inner, max_size=3), max_leaves=6
)


@st.composite
def towers(draw: st.DrawFn) -> Json:
    """A small value within lists and objects, about as many as there may be, with small values beside it."""
    value: Json = draw(SMALL)
    walls = draw(st.lists(st.sampled_from("[{"), min_size=1, max_size=4))
    beside = draw(st.lists(SMALL, max_size=2))
    for level in range(draw(st.integers(MOST_LEVELS - 4, MOST_LEVELS + 4))):
        if walls[level % len(walls)] == "[":
            value = [*beside, value]
        else:
            value = {'"[': value, **{str(number): each for number, each in enumerate(beside)}}
    return value


def as_cut(value: Json, level: int = 1) -> Json:
    """What a reader would be given that counted levels while it reads."""
    if isinstance(value, (list, dict)) and level > MOST_LEVELS:
        return LEFT_OUT
    if isinstance(value, list):
        return [as_cut(each, level + 1) for each in value]
    return {name: as_cut(each, level + 1) for name, each in value.items()} if isinstance(value, dict) else value


@given(SMALL | towers(), st.sampled_from([None, 1]), st.booleans())
def test_what_is_too_deep_is_cut_out_and_all_else_is_as_it_was(value: Json, indent: int | None, plain: bool) -> None:
    written = json.dumps(value, indent=indent, ensure_ascii=plain).encode()
    assert from_json(shallow(written)) == as_cut(value)


BITS = [b"[" * 90, b"]" * 90, b"[", b"]", b"{", b"}", b'"', b"\\", b'{"a":' * 70, b"}" * 70, b"1", b",", b"x"]


@given(st.lists(st.sampled_from(BITS), max_size=8).map(b"".join))
def test_what_is_no_json_does_not_become_any(written: bytes) -> None:
    assert read(from_json, shallow(written)) == as_cut(read(json.loads, written))


def read(parser: Callable[[bytes], Json], written: bytes) -> Json:
    try:
        return parser(written)
    except ValueError:
        return "no JSON"


DEEP = b'{"properties":{"a":' * 3_000 + b"{}" + b"}}" * 3_000
"""A schema. Python's parser does not take it either."""
LISTED = b'{"tools":[' + b",".join(
    (
        json.dumps(tool("one")).encode(),
        json.dumps({**tool("deep"), "inputSchema": 0}).encode().replace(b" 0", DEEP),
        json.dumps({**tool("promises"), "outputSchema": 0}).encode().replace(b" 0", DEEP),
        json.dumps({**tool("two"), "_meta": 0}).encode().replace(b" 0", DEEP),
    )
) + b"]}"  # fmt: skip
RESULT = b'{"content":[{"type":"text","text":"shallow"}],"structuredContent":' + DEEP + b"}"


def answer(message: Message, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":' + json.dumps(message["id"]).encode() + b',"result":' + result + b"}"


def says(result: bytes, *, by_event: bool) -> Answer:
    async def at_once(message: Message, send: Send) -> None:
        await send(whole(answer(message, result)))

    async def as_an_event(message: Message, send: Send) -> None:
        await send(head(content_type="text/event-stream") + event(answer(message, result)))

    return as_an_event if by_event else at_once


@asynccontextmanager
async def reached(world: World, way: str) -> AsyncIterator[ServerConfig]:
    """The same server, by one way or another."""
    if way == "stdio":
        raw = {said: f'{{"jsonrpc":"2.0","id":ID,"result":{result.decode()}}}\n' for said, result in SAID.items()}
        listed, called = [{"write": raw["tools/list"]}], [{"write": raw["one"]}]
        yield world.config("s", {"before": {"tools/list": listed}, "answers": {"one": called}})
        return
    answers = {said: says(result, by_event=way == "events") for said, result in SAID.items()}
    server = of_the_older_transport(answers=answers) if way == "sse" else HttpServer(answers)
    async with serving(server):
        yield world.config("s", {}, transport=replace(server.transport, kind="sse" if way == "sse" else "http"))


SAID = {"tools/list": LISTED, "one": RESULT}


async def problems_of(session: Session) -> str:
    return "\n".join((await ready(session)).problems)


@pytest.mark.parametrize("way", ["stdio", "json", "events", "sse"])
async def test_one_schema_without_end_hides_no_other_tool_and_is_told_of(tmp_path: Path, way: str) -> None:
    world = World(tmp_path)
    async with reached(world, way) as config, world.session(config) as session:
        told = await problems_of(session)
        shown = {shown.name for shown in session.menu().tools}
        assert {"mcp_s_one", "mcp_s_two"} <= shown
        assert not {"mcp_s_deep", "mcp_s_promises"} & shown
        for name in ("deep", "promises"):
            assert f"{name} is left out: its schema is nested too deeply; 200 levels are taken." in told
        result = text_of(await called(session, "mcp_s_one"))
        assert result.startswith("shallow\n")
        assert LEFT_OUT in result
        assert text_of(await called(session, "own")) == "ok"
