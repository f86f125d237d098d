"""Headers that a command makes: for each connection and after a refusal, and never to be seen."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from http_server import HttpServer, Message, Send, head, serving, whole
from mcp_world import World, called, ready, text_of, until

from handrail.contract.calls import Failed
from handrail.contract.provider import Condition
from handrail.providers.mcp import helped, restarts


@pytest.fixture(autouse=True)
def quick_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "FIRST", 0.01)


def prints(folder: Path, *made: object) -> str:
    """A command that prints one of these each time, and the last one from then on; and notes each run."""
    script = folder / "helper.py"
    texts = [each if isinstance(each, str) else json.dumps(each) for each in made]
    script.write_text(
        "import os, pathlib, sys\n"
        f"runs = pathlib.Path({str(folder / 'runs')!r})\n"
        "with runs.open('a') as file:\n"
        "    print(os.environ['CLAUDE_CODE_MCP_SERVER_NAME'], os.environ['CLAUDE_CODE_MCP_SERVER_URL'], file=file)\n"
        f"texts = {texts!r}\n"
        "print(texts[min(len(runs.read_text().splitlines()), len(texts)) - 1])\n"
        "print('at-stderr-secret', file=sys.stderr)\n"
    )
    return f"exec {shlex.quote(sys.executable)} -S {shlex.quote(str(script))}"


def runs(folder: Path) -> list[str]:
    return (folder / "runs").read_text().splitlines()


@dataclass
class Guarded(HttpServer):
    """Takes the requests alone that have this Authorization."""

    wanted: str = "Bearer token-one"
    refusal: str = "401 Unauthorized"
    refused: list[str] = field(default_factory=list)

    async def _answer(self, method: str, message: Message, send: Send) -> None:
        given = self.requests[-1][1].get("authorization", "")
        if given == self.wanted:
            await super()._answer(method, message, send)
        else:
            self.refused.append(given)
            await send(whole(given.encode(), self.refusal, "text/plain"))


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@pytest.mark.parametrize("kind", ["http", "sse"])
async def test_what_the_command_prints_is_sent_with_each_request_and_wins(tmp_path: Path, kind: str) -> None:
    world = World(tmp_path)
    async with serving(Guarded()) as server:
        written = {"authorization": "Bearer old", "X-Team": "tides"}
        helper = prints(tmp_path, bearer("token-one"))
        transport = replace(server.transport, headers=written, helper=helper, kind=kind)
        async with world.session(world.config("my web", {}, transport=transport)) as session:
            if kind == "http":
                await ready(session)
                assert text_of(await called(session, "mcp_my_web_one", {"a": 1}))
            else:
                await until(session, lambda status: status.condition is Condition.FAILED)
        assert not server.refused
        assert {sent["x-team"] for _, sent, _ in server.requests} == {"tides"}
    assert runs(tmp_path)[0] == f"my web {transport.url}"
    assert kind == "sse" or len(runs(tmp_path)) == 1


@pytest.mark.parametrize("refusal", ["401 Unauthorized", "403 Forbidden"])
async def test_headers_that_are_refused_are_made_anew_and_the_request_that_was_not_taken_is_sent_again(
    tmp_path: Path, refusal: str
) -> None:
    world = World(tmp_path)
    async with serving(Guarded(refusal=refusal)) as server:
        helper = prints(tmp_path, bearer("token-one"), bearer("token-two"))
        transport = replace(server.transport, helper=helper)
        async with world.session(world.config("web", {}, transport=transport)) as session:
            await ready(session)
            server.wanted = "Bearer token-two"
            assert text_of(await called(session, "mcp_web_one", {"a": 1})) == '{"a": 1}'
            assert text_of(await called(session, "mcp_web_two", {"a": 2})) == '{"a": 2}'
    assert len(runs(tmp_path)) == 2
    assert server.methods().count("initialize") == 1


async def test_headers_that_are_refused_twice_fail_the_call_and_are_in_no_message(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with serving(Guarded()) as server:
        transport = replace(server.transport, helper=prints(tmp_path, bearer("token-one"), bearer("token-bad")))
        async with world.session(world.config("web", {}, transport=transport)) as session:
            await ready(session)
            server.wanted = "Bearer other"
            state = await called(session, "mcp_web_one")
            assert isinstance(state, Failed)
            assert "the server refuses what its headersHelper made: HTTP 401 (" in state.fault.message
            assert "token" not in state.fault.message.replace("headersHelper", "")
    assert server.refused[:2] == ["Bearer token-one", "Bearer token-bad"]


async def test_a_new_connection_gets_new_headers(tmp_path: Path) -> None:
    async def gone(message: Message, send: Send) -> None:
        await send(head("404 Not Found", content_length="0"))

    world = World(tmp_path)
    async with serving(Guarded({"one": gone}, session="s-1")) as server:
        transport = replace(server.transport, helper=prints(tmp_path, bearer("token-one")))
        async with world.session(world.config("web", {}, transport=transport)) as session:
            await ready(session)
            await called(session, "mcp_web_one")
            assert text_of(await called(session, "mcp_web_two", {"a": 1})) == '{"a": 1}'
    assert len(runs(tmp_path)) == 2


WRONG = [
    ("echo at-secret; exit 3", "Its headersHelper failed with exit code 3; run it yourself"),
    ("/no/such/helper", "Its headersHelper failed with exit code 127"),
    ("kill -9 $$", "Its headersHelper was ended by a signal"),
    ("sleep 60", "Its headersHelper did not end within 0.5 s"),
    ("echo at-secret", "Its headersHelper printed no JSON object"),
    ("true", "Its headersHelper printed no JSON object"),
    ("echo '[\"at-secret\"]'", "Its headersHelper printed no JSON object"),
    ("echo '{\"A\": 1}'", "Its headersHelper printed what no header of HTTP can hold"),
    ('echo \'{"A b": "at-secret"}\'', "Its headersHelper printed what no header of HTTP can hold"),
    ('printf %s \'{"A": "at-secret\\r\\nB: c"}\'', "Its headersHelper printed what no header of HTTP can hold"),
    ('head -c 70000 /dev/zero | tr "\\0" "[" ', "Its headersHelper printed no JSON object"),
]


@pytest.mark.parametrize(("helper", "said"), WRONG)
async def test_a_command_that_makes_no_headers_fails_its_server_before_anything_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, helper: str, said: str
) -> None:
    if helper.startswith("sleep"):
        monkeypatch.setattr(helped, "WITHIN", 0.5)
    world = World(tmp_path)
    async with serving(Guarded()) as server:
        transport = replace(server.transport, helper=helper)
        async with world.session(world.config("web", {}, transport=transport)) as session:
            status = await until(session, lambda status: status.condition is Condition.FAILED)
            assert status.detail.startswith(said)
            assert "secret" not in status.detail
        assert not server.requests


async def test_nothing_that_it_prints_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with serving(Guarded(wanted="Bearer at-long-secret")) as server:
        helper = prints(tmp_path, bearer("at-long-secret"), bearer("at-long-secret"))
        transport = replace(server.transport, helper=helper)
        async with world.session(world.config("web", {}, transport=transport)) as session:
            await ready(session)
            server.wanted = ""
            state = await called(session, "mcp_web_one")
            assert isinstance(state, Failed)
            assert "secret" not in repr(state)
    kept = [file for file in (tmp_path / "state").rglob("*") if file.is_file()]
    assert "secret" not in "".join(file.read_text(errors="replace") for file in kept)
