"""Servers over standard input and output: messages arrive whole and in order, whatever the pipe and the server do."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path

import pytest
from mcp_world import PATIENCE, Script, World, called, ready, text_of, tool, until

from accounts import case
from handrail.contract.calls import Failed
from handrail.contract.events import NoticeGiven
from handrail.contract.provider import Condition
from handrail.providers.mcp.lines import MOST_LINE, Lines, LineTooLong
from handrail.providers.mcp.questions import MOST_OPEN

ONE = [tool("one")]


async def test_a_servers_tools_are_listed_and_called(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.session(world.config("tides", {"tools": [tool("high")]})) as session:
        status = await ready(session)
        assert status.detail == "1 tool"
        assert [shown.name for shown in session.menu().tools] == ["own", "mcp_tides_high"]
        state = await called(session, "mcp_tides_high", {"port": "Dover"})
        assert text_of(state) == '{"port": "Dover"}'


@case("MC10")
async def test_numbers_and_texts_arrive_as_they_were_given(tmp_path: Path) -> None:
    world = World(tmp_path)
    given = {
        "id": "00123",
        "number": 12345678901234567890,
        "small": 1e-7,
        "text": "naïve \u2028 😀",
        "deep": [[{"a": None}]],
    }
    async with world.session(world.config("s", {"tools": ONE})) as session:
        await ready(session)
        assert json.loads(text_of(await called(session, "mcp_s_one", given))) == given


REPLY = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"there"}]}}'

NOISE: dict[str, list[Script]] = {
    "text, empty lines, lists and half a message": [
        {"write": "Debug: ready\n"},
        {"write": "\n"},
        {"bytes": "ff0a"},
        {"write": "[1,2]\n"},
        {"write": '{"jsonrpc":"2.0"}\n'},
        {"write": REPLY + "\n"},
    ],
    "CRLF": [{"write": REPLY + "\r\n"}],
    "an answer to nobody in one piece with the right one": [
        {"write": REPLY.replace("ID", '"other"').replace("there", "wrong") + "\n" + REPLY + "\n"}
    ],
    "an answer with an id of another type": [
        {"write": '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}\n'},
        {"write": '{"jsonrpc":"2.0","id":{"a":1},"result":{}}\n'},
        {"write": REPLY + "\n"},
    ],
    "brackets without end": [{"write": "[" * 100_000 + "\n"}, {"write": REPLY + "\n"}],
    "a number without end": [{"write": '{"id":' + "9" * 100_000 + "}\n"}, {"write": REPLY + "\n"}],
    "a request that no client knows": [
        {"write": '{"jsonrpc":"2.0","id":7,"method":"moon/phase"}\n'},
        {"write": REPLY + "\n"},
    ],
}


@case("MC15")
@pytest.mark.parametrize("actions", NOISE.values(), ids=NOISE)
async def test_what_is_no_message_is_skipped(tmp_path: Path, actions: list[Script]) -> None:
    world = World(tmp_path)
    async with world.session(world.config("s", {"tools": ONE, "answers": {"one": actions}})) as session:
        await ready(session)
        assert text_of(await called(session, "mcp_s_one")) == "there"
        assert text_of(await called(session, "mcp_s_one")) == "there"


async def test_half_an_emoji_costs_neither_a_servers_tools_nor_a_calls_result(tmp_path: Path) -> None:
    world = World(tmp_path)
    reply = REPLY.replace("there", r"cut \ud83d, whole \ud83d\ude00, escaped \\ud83d")
    odd = tool("odd", description="cut \ud83d")
    script = {"tools": [odd, *ONE], "answers": {"one": [{"write": reply + "\n"}]}}
    async with world.session(world.config("s", script)) as session:
        status = await ready(session)
        assert status.detail == "2 tools"
        assert text_of(await called(session, "mcp_s_one")) == r"cut ?, whole 😀, escaped \ud83d"


async def test_a_number_of_more_digits_than_python_reads_costs_no_result(tmp_path: Path) -> None:
    world = World(tmp_path)
    digits = "7" * 5_000
    line = '{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"n":' + digits + ',"m":12}}}\n'
    async with world.session(world.config("s", {"tools": ONE, "answers": {"one": [{"write": line}]}})) as session:
        await ready(session)
        assert text_of(await called(session, "mcp_s_one")) == f'{{"n": "{digits}", "m": 12}}'


@pytest.mark.parametrize("answer", ['"result":"text"', '"result":[1]', '"error":"broken"', '"error":{"code":"x"}', ""])
async def test_an_answer_that_is_none_ends_its_call_at_once(tmp_path: Path, answer: str) -> None:
    world = World(tmp_path)
    line = ",".join(filter(None, ('{"jsonrpc":"2.0","id":ID', answer))) + "}\n"
    async with world.session(world.config("s", {"tools": ONE, "answers": {"one": [{"write": line}]}})) as session:
        await ready(session)
        state = await called(session, "mcp_s_one")
        assert isinstance(state, Failed)
        assert "its answer is neither a result nor an error" in state.fault.message


async def test_what_the_sdk_has_to_say_of_a_message_is_not_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a program that listens to no log; the one that runs tests does."""
    monkeypatch.setattr(logging.getLogger("mcp"), "propagate", False)
    world = World(tmp_path)
    odd = {"write": '{"jsonrpc":"2.0","method":"notifications/progress","params":{"said":1}}\n'}
    script = {"tools": ONE, "answers": {"one": [odd, {"write": REPLY + "\n"}]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        assert text_of(await called(session, "mcp_s_one")) == "there"
    assert "Failed to validate" not in capfd.readouterr().err


async def test_a_server_that_asks_without_end_and_reads_no_answer_is_closed_all_the_same(tmp_path: Path) -> None:
    world = World(tmp_path)
    asking = "".join(f'{{"jsonrpc":"2.0","id":{number},"method":"moon/phase"}}\n' for number in range(10_000))
    script = {"tools": ONE, "answers": {"one": [{"times": [1_000_000, [{"write": asking}]]}]}}
    async with asyncio.timeout(PATIENCE):
        async with world.session(world.config("s", script, call_within=2)) as session:
            await ready(session)
            assert isinstance(await called(session, "mcp_s_one"), Failed)
            assert len(asyncio.all_tasks()) < MOST_OPEN + 50


async def test_noise_is_told_of_once_and_kept_in_the_servers_log(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "start": [{"times": [3, [{"write": "Debug: ready\n"}]]}]}
    async with world.session(world.config("s", script)) as session:
        told: list[str] = []
        session.subscribe(lambda event: told.append(event.message) if isinstance(event, NoticeGiven) else None)
        await ready(session)
        assert told == [
            "The MCP server s prints what is no message on its standard output. It is skipped; `handrail mcp logs` "
            "shows it."
        ]
        assert world.servers[0].log.last_line() == "[on stdout] Debug: ready"


@case("MC16")
@pytest.mark.parametrize(("size", "piece"), [(50_000, 7), (5_000_000, 4_096)])
async def test_an_answer_may_come_in_any_pieces(tmp_path: Path, size: int, piece: int) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "answers": {"one": [{"pieces": [size, piece]}]}}
    async with world.session(world.config("s", script), result_budget=10_000_000) as session:
        await ready(session)
        state = await called(session, "mcp_s_one")
        assert not isinstance(state, Failed)


async def test_a_large_argument_arrives_whole(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "answers": {"one": [{"count": 1}]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        assert text_of(await called(session, "mcp_s_one", {"text": "x" * 5_000_000})) == "5000000"


async def test_a_message_without_an_end_ends_the_connection_alone(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "answers": {"one": [{"endless": 1 << 30}]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        state = await called(session, "mcp_s_one")
        assert isinstance(state, Failed)
        assert f"it sent a message of more than {MOST_LINE >> 20} MiB" in state.fault.message
        await until(session, lambda status: status.condition is Condition.READY)


@case("MC14")
async def test_a_server_that_floods_stderr_works(tmp_path: Path) -> None:
    world = World(tmp_path)
    flood = {"stderr": ["e" * 99 + "\n", 10_000]}
    script = {"tools": ONE, "before": {"initialize": [flood], "tools/call": [flood]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        for _ in range(3):
            assert text_of(await called(session, "mcp_s_one", {"a": 1})) == '{"a": 1}'


def test_lines_are_cut_wherever_the_pieces_end() -> None:
    text = b"one\r\n\n{}\nlast"
    for size in range(1, len(text) + 1):
        lines = Lines()
        found = [line for start in range(0, len(text), size) for line in lines.add(text[start : start + size])]
        assert found == [b"one", b"", b"{}"], size


def test_a_line_that_is_too_long_is_refused_whether_it_ends_or_not() -> None:
    for piece in (b"x" * 11, b"x" * 11 + b"\n", b"ok\n" + b"x" * 11):
        with pytest.raises(LineTooLong):
            Lines(10).add(piece)
