"""A long answer is read once, and comes whole; what stands in for it meanwhile can be made by nobody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from http_server import Answer, HttpServer, Message, Send, event, head, result, serving, whole
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, jsonrpc_message_adapter
from mcp_world import World, called, ready, text_of

from handrail.contract.calls import Failed
from handrail.providers.mcp import http
from handrail.providers.mcp.stand_ins import SHORT, StandIns

LONG = "x" * SHORT
PARTS = {"content": [{"type": "text", "text": "x" * 50}, {"type": "text", "text": "é" * SHORT}]}


def message(**said: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **said}).encode()


def passed(stand_ins: StandIns, given: bytes, id: int | None = None) -> SessionMessage | Exception:
    """As the SDK's transport does it, which may set the id."""
    parsed = jsonrpc_message_adapter.validate_json(stand_ins.made(given), by_name=False)
    if id is not None and isinstance(parsed, JSONRPCResponse | JSONRPCError):
        parsed.id = id
    return stand_ins.meant(SessionMessage(parsed))


@pytest.mark.parametrize("text", ["short", LONG])
def test_every_kind_of_message_comes_as_it_was_sent(text: str) -> None:
    stand_ins = StandIns()
    for given, kind in (
        (message(id=1, result={"a": text}), JSONRPCResponse),
        (message(id=1, error={"code": -1, "message": text}), JSONRPCError),
        (message(id=None, error={"code": -1, "message": text}), JSONRPCError),
        (message(id=1, method="m", params={"a": text}), JSONRPCRequest),
    ):
        came = passed(stand_ins, given)
        assert isinstance(came, SessionMessage)
        assert isinstance(came.message, kind)
        assert json.loads(came.message.model_dump_json(by_alias=True, exclude_unset=True)) == json.loads(given)


def test_the_sdk_is_given_little_of_a_long_answer_and_its_id_holds() -> None:
    stand_ins = StandIns()
    given = message(id=1, result={"a": LONG})
    assert len(stand_ins.made(given)) < 200
    came = passed(stand_ins, given, id=7)
    assert isinstance(came, SessionMessage)
    assert isinstance(came.message, JSONRPCResponse)
    assert (came.message.id, came.message.result) == (7, {"a": LONG})


def test_what_is_no_message_is_nothing() -> None:
    assert StandIns().made(b"{garbage") == b""
    assert StandIns().made(b'"' + LONG.encode() + b'"') == b""


async def at_once(message: Message, send: Send) -> None:
    await send(whole(result(message, PARTS)))


async def as_an_event_among_garbage(message: Message, send: Send) -> None:
    answer = event(b"{garbage") + event(b"") + event(result(message, PARTS))
    await send(head(content_type="text/event-stream") + answer)


@pytest.mark.parametrize("answer", [at_once, as_an_event_among_garbage])
async def test_a_long_answer_comes_whole(tmp_path: Path, answer: Answer) -> None:
    world = World(tmp_path)
    async with (
        serving(HttpServer({"one": answer})) as server,
        world.session(world.config("web", {}, transport=server.transport)) as session,
    ):
        await ready(session)
        state = await called(session, "mcp_web_one")
        assert not isinstance(state, Failed)
        assert text_of(state).startswith("x" * 50)
        assert text_of(await called(session, "mcp_web_two", {"a": 1})) == '{"a": 1}'


async def refuses_at_length(message: Message, send: Send) -> None:
    said = {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32602, "message": f"no such argument {LONG}"}}
    await send(whole(json.dumps(said).encode(), "400 Bad Request"))


async def test_a_long_error_with_an_errors_status_is_told(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with (
        serving(HttpServer({"one": refuses_at_length})) as server,
        world.session(world.config("web", {}, transport=server.transport)) as session,
    ):
        await ready(session)
        assert f"no such argument {LONG[:1_000]}" in text_of(await called(session, "mcp_web_one"))


async def says_it_all_the_same(message: Message, send: Send) -> None:
    await send(whole(result({"id": 1, **message}, PARTS)))


async def is_not_there_and_says_both(message: Message, send: Send) -> None:
    said = {"jsonrpc": "2.0", "id": message["id"], "result": PARTS, "error": {"code": -1, "message": "both"}}
    await send(whole(json.dumps(said).encode(), "404 Not Found"))


async def is_not_there(message: Message, send: Send) -> None:
    await send(whole(result(message, PARTS), "404 Not Found"))


async def test_nothing_is_kept_of_a_long_answer_that_nobody_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[StandIns] = []
    monkeypatch.setattr(http, "StandIns", lambda: made.append(StandIns()) or made[-1])
    world = World(tmp_path)
    answers = {
        "notifications/initialized": says_it_all_the_same,
        "one": is_not_there,
        "two": is_not_there_and_says_both,
    }
    async with (
        serving(HttpServer(answers)) as server,
        world.session(world.config("web", {}, transport=server.transport)) as session,
    ):
        await ready(session)
        for name in ("mcp_web_one", "mcp_web_two"):
            assert isinstance(await called(session, name), Failed)
        assert [stand_ins._kept for stand_ins in made] == [{}]
