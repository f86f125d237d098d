"""Servers at an address: what goes wrong with one message costs that message, and nothing waits for ever."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from http_server import Answer, HttpServer, Message, Send, event, head, result, serving, whole
from mcp_world import PATIENCE, World, called, ready, text_of, until

from accounts import case
from handrail.contract.calls import Cancelled, Completed, Failed
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


async def nests_its_error(message: Message, send: Send) -> None:
    await send(whole(b"[" * 100_000, "500 Internal Server Error"))


async def compresses_badly(message: Message, send: Send) -> None:
    await send(whole(b"xxxxx", content_encoding="gzip"))


async def compresses_its_events_badly(message: Message, send: Send) -> None:
    await send(head(content_type="text/event-stream", content_encoding="gzip") + b"xxxxx")


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


async def never_ends(message: Message, send: Send) -> None:
    await send(head("200 OK", content_type="text/plain"))
    while True:
        await send(b"more of it\n")


async def leads_on_for_ever(message: Message, send: Send) -> None:
    await send(head("307 Temporary Redirect", location="/elsewhere", content_type="text/plain"))
    while True:
        await send(b"more of it\n")


async def never_answers(message: Message, send: Send) -> None:
    await asyncio.sleep(PATIENCE)


CERTAIN = ("HTTP 503 Service Unavailable: down for repairs", "HTTP 500 Internal Server Error: [[")


@case("MC12")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (closes_after_the_head, "the connection broke"),
        (closes_at_once, "the connection broke"),
        (ends_its_events, "SSE stream ended without a response"),
        (sends_no_json, "its answer is no message of JSON-RPC"),
        (sends_html, "Unexpected content type: text/html"),
        (is_down, "HTTP 503 Service Unavailable: down for repairs"),
        (nests_its_error, "HTTP 500 Internal Server Error: [["),
        (compresses_badly, "the connection broke"),
        (compresses_its_events_badly, "SSE stream"),
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
        world.session(
            world.config("web", {}, transport=server.transport, call_within=1 if answer is never_answers else PATIENCE)
        ) as session,
    ):
        await ready(session)
        state = await called(session, "mcp_web_one")
        assert isinstance(state, Failed)
        assert said in state.fault.message
        assert ("is not known" in state.fault.message) is (said not in CERTAIN)
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


def says(status: str, body: bytes = b"<html>no</html>") -> Answer:
    async def answer(message: Message, send: Send) -> None:
        await send(whole(body, status, "application/json" if body.startswith(b"{") else "text/html"))

    return answer


def says_error(status: str, code: int, message: str) -> Answer:
    return says(
        status, json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}).encode()
    )


@pytest.mark.parametrize(
    "gone",
    [
        says("404 Not Found", b""),
        says("404 Not Found"),
        says_error("404 Not Found", -32001, "Session not found"),
        says_error("404 Not Found", -32600, "Session not found"),
        says_error("400 Bad Request", -32000, "Bad Request: No valid session ID provided"),
        says_error("400 Bad Request", -32600, "Invalid or expired session ID"),
    ],
)
async def test_a_session_that_the_server_ended_is_begun_anew_and_the_call_is_not(tmp_path: Path, gone: Answer) -> None:
    world = World(tmp_path)
    async with serving(HttpServer({"one": gone}, session="s-1")) as server:
        async with world.session(world.config("web", {}, transport=server.transport)) as session:
            await ready(session)
            state = await called(session, "mcp_web_one")
            assert isinstance(state, Failed)
            assert "web knows this session no more, and did nothing; a new one is begun" in state.fault.message
            assert text_of(await called(session, "mcp_web_two", {"a": 1})) == '{"a": 1}'
        named = [m["params"]["name"] for _, _, m in server.requests if m.get("method") == "tools/call"]
        assert named == ["one", "two"]
        assert server.methods().count("initialize") == 2


HOWS = [closes_at_once, is_down, never_answers, sends_html, never_ends, leads_on_for_ever]


@pytest.mark.parametrize("how", HOWS, ids=lambda how: how.__name__)
@pytest.mark.parametrize("step", ["initialize", "notifications/initialized", "tools/list", "DELETE"])
async def test_a_server_may_fail_at_any_step_and_the_session_goes_on(tmp_path: Path, step: str, how: Answer) -> None:
    world = World(tmp_path)
    async with (
        serving(HttpServer({step: how}, session="s-1")) as server,
        world.session(world.config("web", {}, transport=server.transport, start_within=1)) as session,
    ):
        await until(session, lambda status: status.condition in (Condition.READY, Condition.FAILED))
        assert text_of(await called(session, "own")) == "ok"


def of_the_older_transport(
    greeted: Answer | None = None, answers: Mapping[str, Answer] = MappingProxyType({})
) -> HttpServer:
    """Answers come over the stream of events, not to the message. `greeted` is how it answers at its own address."""
    out = asyncio.Queue[bytes]()

    async def events(message: Message, send: Send) -> None:
        await send(head(content_type="text/event-stream") + b"event: endpoint\r\ndata: /messages?sessionId=1\r\n\r\n")
        while True:
            await send(event(await out.get()))

    async def taken(message: Message, send: Send) -> None:
        async def aside(data: bytes) -> None:
            body = data.partition(b"\r\n\r\n")[2]
            if body:
                out.put_nowait(body)

        plain = HttpServer(dict(answers))
        await plain._answer("POST", message, aside)
        await send(head("202 Accepted", content_length="0"))

    greetings = [greeted] if greeted is not None else []

    async def hello(message: Message, send: Send) -> None:
        await (greetings.pop() if greetings else taken)(message, send)

    methods = ("notifications/initialized", "tools/list", "one", "two", "notifications/cancelled")
    return HttpServer({"GET": events, "initialize": hello, **dict.fromkeys(methods, taken)})


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (says_error("404 Not Found", -32601, "Method not found"), "Method not found (error -32601)"),
        (says_error("400 Bad Request", -32602, "no such argument"), "no such argument (error -32602)"),
        (says_error("400 Bad Request", -32602, "cut \ud83d"), "cut ? (error -32602)"),
    ],
)
async def test_an_error_with_such_a_status_that_is_of_no_session_ends_none(
    tmp_path: Path, answer: Answer, said: str
) -> None:
    world = World(tmp_path)
    async with (
        serving(HttpServer({"one": answer}, session="s-1")) as server,
        world.session(world.config("web", {}, transport=server.transport)) as session,
    ):
        await ready(session)
        assert said in text_of(await called(session, "mcp_web_one"))
        assert text_of(await called(session, "mcp_web_two", {"a": 1})) == '{"a": 1}'
        assert server.methods().count("initialize") == 1


async def test_the_older_transport_of_two_channels_works(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with serving(of_the_older_transport()) as server:
        transport = replace(server.transport, kind="sse")
        async with world.session(world.config("web", {}, transport=transport)) as session:
            await ready(session)
            assert text_of(await called(session, "mcp_web_one", {"a": 1})) == '{"a": 1}'


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (is_down, "HTTP 503 Service Unavailable: down for repairs"),
        (closes_at_once, "the connection broke"),
        (never_ends, "did not answer one within 1 s"),
        (says_error("400 Bad Request", -32602, "no such argument"), "no such argument (error -32602)"),
    ],
    ids=["is down", "closes", "never ends", "refuses"],
)
async def test_what_the_older_transport_does_not_take_fails_its_call_alone(
    tmp_path: Path, answer: Answer, said: str
) -> None:
    world, server = World(tmp_path), of_the_older_transport()
    server.answers["one"] = answer
    async with serving(server):
        transport = replace(server.transport, kind="sse")
        within = 1 if answer is never_ends else PATIENCE
        async with world.session(world.config("web", {}, transport=transport, call_within=within)) as session:
            await ready(session)
            assert said in text_of(await called(session, "mcp_web_one"))
            assert text_of(await called(session, "mcp_web_two", {"a": 1})) == '{"a": 1}'
            assert server.methods().count("initialize") == 1


async def test_the_older_transport_has_room_for_a_picture(tmp_path: Path) -> None:
    async def large(message: Message, send: Send) -> None:
        await send(whole(result(message, {"content": [{"type": "text", "text": "x" * 3_000_000}]})))

    world = World(tmp_path)
    async with serving(of_the_older_transport(answers={"one": large})) as server:
        transport = replace(server.transport, kind="sse")
        async with world.session(world.config("web", {}, transport=transport)) as session:
            await ready(session)
            assert isinstance(await called(session, "mcp_web_one"), Completed)
            assert server.methods().count("initialize") == 1


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (b"event: endpoint\ndata: http://elsewhere.test/messages\n\n", "It wants its messages at another server"),
        (b": nothing\n\n", "Its events ended before it said where it takes messages"),
    ],
)
async def test_an_older_server_that_takes_no_messages_of_its_own_is_none(
    tmp_path: Path, events: bytes, said: str
) -> None:
    async def greets(message: Message, send: Send) -> None:
        await send(head(content_type="text/event-stream") + events)

    world = World(tmp_path)
    async with serving(HttpServer({"GET": greets})) as server:
        transport = replace(server.transport, kind="sse")
        async with world.session(world.config("web", {}, transport=transport)) as session:
            status = await until(session, lambda status: status.condition is Condition.FAILED)
            assert status.detail.startswith(said)
    assert "POST" not in {method for method, _, _ in server.requests}


OLDER = ["400 Bad Request", "404 Not Found", "405 Method Not Allowed"]


@pytest.mark.parametrize("status", OLDER)
@pytest.mark.parametrize("body", [b"", b"<html>Cannot POST /mcp</html>", b'{"detail": "Method Not Allowed"}'])
async def test_where_no_file_says_which_a_server_that_refuses_the_newer_transport_is_spoken_to_by_the_older(
    tmp_path: Path, status: str, body: bytes
) -> None:
    world = World(tmp_path)
    async with serving(of_the_older_transport(says(status, body))) as server:
        transport = replace(server.transport, or_older=True)
        async with world.session(world.config("web", {}, transport=transport)) as session:
            assert (await ready(session)).detail == "2 tools"
            assert text_of(await called(session, "mcp_web_one", {"a": 1})) == '{"a": 1}'
    assert server.methods()[:3] == ["initialize", "GET", "initialize"]


REFUSED = b'{"jsonrpc": "2.0", "id": 0, "error": {"code": -32602, "message": "no such version"}}'


@pytest.mark.parametrize(
    ("greeted", "or_older", "said"),
    [
        (says("404 Not Found"), False, "HTTP 404 Not Found: <html>no</html>"),
        (says("400 Bad Request", REFUSED), True, "no such version"),
        (says("401 Unauthorized"), True, "handrail mcp login web"),
        (says("403 Forbidden"), True, "HTTP 403 Forbidden"),
        (says("500 Internal Server Error"), True, "HTTP 500 Internal Server Error"),
    ],
)
async def test_any_other_refusal_is_the_end_of_it(tmp_path: Path, greeted: Answer, or_older: bool, said: str) -> None:
    world = World(tmp_path)
    async with serving(of_the_older_transport(greeted)) as server:
        transport = replace(server.transport, or_older=or_older)
        async with world.session(world.config("web", {}, transport=transport)) as session:
            status = await until(session, lambda status: status.condition in (Condition.FAILED, Condition.NEEDS_LOGIN))
            assert said in status.detail
            assert "older" not in status.detail
            assert "GET" not in server.methods()[:2]


@pytest.mark.parametrize(
    ("get", "why"),
    [
        (says("404 Not Found"), "it answered HTTP 404 Not Found."),
        (says("200 OK"), "the connection broke ("),
        (never_answers, "it did not start within "),
    ],
    ids=["refuses", "a page", "silent"],
)
async def test_a_server_that_speaks_neither_transport_is_told_with_both_answers(
    tmp_path: Path, get: Answer, why: str
) -> None:
    world = World(tmp_path)
    async with serving(HttpServer({"initialize": says("404 Not Found"), "GET": get})) as server:
        transport = replace(server.transport, or_older=True)
        config = world.config("web", {}, transport=transport, start_within=2 if get is never_answers else PATIENCE)
        async with world.session(config) as session:
            status = await until(session, lambda status: status.condition is Condition.FAILED)
            both = f"It answered HTTP 404 Not Found: <html>no</html>. Nor does it speak the older transport: {why}"
            assert status.detail.startswith(both)


@case("cc-116")
def test_no_answer_is_given_up_after_a_minute_by_a_timeout_of_the_client() -> None:
    """Reads wait for as long as the call may take, which its own limit says."""
    from handrail.providers.mcp import http

    assert http._within(http.httpx2.Request("POST", "http://h/", json={"id": 1, "method": "tools/call"})) is None
    assert http._within(http.httpx2.Request("GET", "http://h/")) is None
    assert http.TIMEOUT.read is None
