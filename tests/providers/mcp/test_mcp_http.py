"""Servers at an address: what goes wrong with one message costs that message, and nothing waits for ever."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from http_server import Answer, HttpServer, Message, Send, event, head, result, serving, whole
from mcp_world import PATIENCE, World, called, ready, text_of, until

from accounts import case
from handrail.contract.calls import Cancelled, Failed
from handrail.contract.provider import Condition
from handrail.providers.mcp import restarts
from handrail.providers.mcp.lines import MOST_LINE
from neutral_calls import calls


@pytest.fixture(autouse=True)
def quick_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "FIRST", 0.01)


@case("MC31")
async def test_a_server_that_takes_posts_alone_works(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with serving(HttpServer(session="s-1")) as server:
        transport = replace(server.transport, headers={"Authorization": "Bearer abcdefgh", "X-Team": "tides"})
        async with world.session(world.config("web", {}, transport=transport)) as session:
            status = await ready(session)
            assert status.detail == "2 tools"
            assert text_of(await called(session, "mcp_web_one", {"a": 12345678901234567890})) == (
                '{"a": 12345678901234567890}'
            )
        posts = [headers for method, headers, _ in server.requests if method == "POST"]
        assert all(sent["authorization"] == "Bearer abcdefgh" and sent["x-team"] == "tides" for sent in posts)
        assert {sent.get("mcp-session-id") for sent in posts[1:]} == {"s-1"}
        assert "mcp-protocol-version" in posts[-1]


async def test_answers_come_as_events_too(tmp_path: Path) -> None:
    async def events(message: Message, send: Send) -> None:
        token = message["params"]["_meta"]["progressToken"]
        told = {"progressToken": token, "progress": 1, "total": 2, "message": "half"}
        note = {"jsonrpc": "2.0", "method": "notifications/progress", "params": told}
        answer = result(message, {"content": [{"type": "text", "text": "by event"}]})
        await send(head(content_type="text/event-stream") + event(json.dumps(note).encode()) + event(answer))

    world = World(tmp_path)
    async with (
        serving(HttpServer({"one": events})) as server,
        world.session(world.config("web", {}, transport=server.transport)) as session,
    ):
        await ready(session)
        assert text_of(await called(session, "mcp_web_one")) == "by event"


async def closes_after_the_head(message: Message, send: Send) -> None:
    await send(head(content_type="application/json", content_length="100"))


async def closes_at_once(message: Message, send: Send) -> None: ...


async def ends_its_events(message: Message, send: Send) -> None:
    await send(head(content_type="text/event-stream") + b": nothing yet\r\n\r\n")


async def sends_no_json(message: Message, send: Send) -> None:
    await send(whole(b"<html>"))


async def sends_html(message: Message, send: Send) -> None:
    await send(whole(b"<html>", content_type="text/html"))


async def is_down(message: Message, send: Send) -> None:
    await send(whole(b"down for repairs", "503 Service Unavailable", "text/plain"))


async def takes_it_and_says_nothing(message: Message, send: Send) -> None:
    await send(head("202 Accepted", content_length="0"))


async def sends_too_much(message: Message, send: Send) -> None:
    await send(head(content_type="application/json"))
    for _ in range(MOST_LINE // 1_000_000 + 2):
        await send(b" " * 1_000_000)


async def sends_too_large_an_event(message: Message, send: Send) -> None:
    await send(head(content_type="text/event-stream") + b"data: ")
    for _ in range(MOST_LINE // 1_000_000 + 2):
        await send(b"x" * 1_000_000)


async def never_answers(message: Message, send: Send) -> None:
    await asyncio.sleep(PATIENCE)


@case("MC12")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (closes_after_the_head, "the connection broke"),
        (closes_at_once, "the connection broke"),
        (ends_its_events, "SSE stream ended without a response"),
        (sends_no_json, "Failed to parse JSON response"),
        (sends_html, "Unexpected content type: text/html"),
        (is_down, "HTTP 503 Service Unavailable: down for repairs"),
        (takes_it_and_says_nothing, "server answered a request with 202 Accepted"),
        (sends_too_much, f"it sent a message of more than {MOST_LINE >> 20} MiB"),
        (sends_too_large_an_event, "SSE stream failed"),
        (never_answers, "did not answer one within 1 s"),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
async def test_an_answer_that_goes_wrong_fails_its_call_alone(tmp_path: Path, answer: Answer, said: str) -> None:
    world = World(tmp_path)
    async with (
        serving(HttpServer({"one": answer})) as server,
        world.session(world.config("web", {}, transport=server.transport, call_within=1)) as session,
    ):
        await ready(session)
        state = await called(session, "mcp_web_one")
        assert isinstance(state, Failed)
        assert said in state.fault.message
        assert text_of(await called(session, "mcp_web_two", {"a": 1})) == '{"a": 1}'
        assert server.methods().count("initialize") == 1


async def test_a_cancelled_call_is_told_to_its_server(tmp_path: Path) -> None:
    world, began, heard = World(tmp_path), asyncio.Event(), asyncio.Event()

    async def hangs(message: Message, send: Send) -> None:
        began.set()
        await heard.wait()

    async def hears(message: Message, send: Send) -> None:
        heard.set()
        await send(head("202 Accepted", content_length="0"))

    async with (
        serving(HttpServer({"one": hangs, "notifications/cancelled": hears})) as server,
        world.session(world.config("web", {}, transport=server.transport)) as session,
    ):
        await ready(session)
        run = asyncio.create_task(session.run(calls(("mcp_web_one", {})), turn="t"))
        async with asyncio.timeout(PATIENCE):
            await began.wait()
            await session.cancel_turn("t")
            (state,) = (await run).calls
            await heard.wait()
        assert isinstance(state, Cancelled)
        assert text_of(await called(session, "mcp_web_two", {"a": 1})) == '{"a": 1}'


async def test_a_cancelled_call_returns_though_its_server_takes_no_cancellation(tmp_path: Path) -> None:
    world, began = World(tmp_path), asyncio.Event()

    async def hangs(message: Message, send: Send) -> None:
        began.set()
        await asyncio.sleep(PATIENCE)

    async with (
        serving(HttpServer({"one": hangs, "notifications/cancelled": hangs})) as server,
        world.session(world.config("web", {}, transport=server.transport)) as session,
    ):
        await ready(session)
        run = asyncio.create_task(session.run(calls(("mcp_web_one", {})), turn="t"))
        async with asyncio.timeout(PATIENCE):
            await began.wait()
            await session.cancel_turn("t")
            (state,) = (await run).calls
        assert isinstance(state, Cancelled)


async def test_a_server_that_can_not_be_reached_says_where_as_the_person_wrote_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with serving(HttpServer()) as server:
        transport = server.transport
    shown = "http://127.0.0.1/${KEY}/mcp"
    async with world.session(world.config("web", {}, transport=transport, shown=shown)) as session:
        status = await until(session, lambda status: status.condition is Condition.FAILED)
        assert status.detail.startswith(f"It can't be reached at {shown}.")


async def test_a_session_that_the_server_ended_is_begun_anew_and_the_call_is_not(tmp_path: Path) -> None:
    world, ended = World(tmp_path), asyncio.Event()

    async def gone(message: Message, send: Send) -> None:
        ended.set()
        await send(whole(b"", "404 Not Found", "text/plain"))

    async with serving(HttpServer({"one": gone}, session="s-1")) as server:
        async with world.session(world.config("web", {}, transport=server.transport)) as session:
            await ready(session)
            state = await called(session, "mcp_web_one")
            assert isinstance(state, Failed)
            assert text_of(await called(session, "mcp_web_two", {"a": 1})) == '{"a": 1}'
        named = [m["params"]["name"] for _, _, m in server.requests if m.get("method") == "tools/call"]
        assert named == ["one", "two"]
        assert server.methods().count("initialize") == 2


@pytest.mark.parametrize("how", [closes_at_once, is_down, never_answers, sends_html], ids=lambda how: how.__name__)
@pytest.mark.parametrize("step", ["initialize", "notifications/initialized", "tools/list", "DELETE"])
async def test_a_server_may_fail_at_any_step_and_the_session_goes_on(tmp_path: Path, step: str, how: Answer) -> None:
    world = World(tmp_path)
    async with (
        serving(HttpServer({step: how}, session="s-1")) as server,
        world.session(world.config("web", {}, transport=server.transport, start_within=1)) as session,
    ):
        await until(session, lambda status: status.condition in (Condition.READY, Condition.FAILED))
        assert text_of(await called(session, "own")) == "ok"


async def test_the_older_transport_of_two_channels_works(tmp_path: Path) -> None:
    """Answers come over the stream of events, not to the message."""
    world, out = World(tmp_path), asyncio.Queue[bytes]()
    server = HttpServer()

    async def events(message: Message, send: Send) -> None:
        await send(head(content_type="text/event-stream") + b"event: endpoint\r\ndata: /messages?sessionId=1\r\n\r\n")
        while True:
            await send(event(await out.get()))

    async def taken(message: Message, send: Send) -> None:
        async def aside(data: bytes) -> None:
            body = data.partition(b"\r\n\r\n")[2]
            if body:
                out.put_nowait(body)

        plain = HttpServer()
        await plain._answer("POST", message, aside)
        await send(head("202 Accepted", content_length="0"))

    methods = ("initialize", "notifications/initialized", "tools/list", "one", "two", "notifications/cancelled")
    server.answers = {"GET": events, **dict.fromkeys(methods, taken)}
    async with serving(server):
        transport = replace(server.transport, kind="sse")
        async with world.session(world.config("web", {}, transport=transport)) as session:
            await ready(session)
            assert text_of(await called(session, "mcp_web_one", {"a": 1})) == '{"a": 1}'


@case("cc-116")
def test_no_answer_is_given_up_after_a_minute_by_a_timeout_of_the_client() -> None:
    """Reads wait for as long as the call may take, which its own limit says."""
    from handrail.providers.mcp import http

    assert http._within(http.httpx2.Request("POST", "http://h/", json={"id": 1, "method": "tools/call"})) is None
    assert http._within(http.httpx2.Request("GET", "http://h/")) is None
    assert http.TIMEOUT.read is None
