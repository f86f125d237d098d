"""How servers start, die and come back: each on its own, and none at the expense of another."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mcp_world import PATIENCE, PLAIN_SERVER, Script, World, called, ready, text_of, tool, until

from accounts import case
from handrail.contract.calls import Completed, Failed
from handrail.contract.events import SourceChanged
from handrail.contract.provider import Condition
from handrail.providers.mcp import restarts
from handrail.settings.mcp.server import Stdio

ONE = [tool("one")]
SLEEPY = {"tools": ONE, "before": {"initialize": [{"hang": 1}]}}


@pytest.fixture(autouse=True)
def quick_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restarts, "FIRST", 0.01)


def failed(status: object) -> bool:
    return getattr(status, "condition", None) is Condition.FAILED


@case("MC17")
async def test_a_slow_or_broken_server_delays_no_other(tmp_path: Path) -> None:
    world = World(tmp_path)
    gate = tmp_path / "gate"
    configs = [
        world.config("silent", SLEEPY),
        world.config("broken", {"start": [{"stderr": ["no database\n", 1]}, {"exit": 3}]}),
        world.config("later", {"tools": [tool("two")], "before": {"initialize": [{"wait": str(gate)}]}}),
        world.config("fine", {"tools": ONE}),
    ]
    async with world.session(*configs) as session:
        assert text_of(await called(session, "own")) == "ok"
        await ready(session, "fine")
        assert text_of(await called(session, "mcp_fine_one", {"a": 1})) == '{"a": 1}'
        broken = await until(session, failed, "broken")
        assert broken.detail.startswith("It ended with exit code 3. Its last words: no database")
        gate.touch()
        await ready(session, "later")
        assert [shown.name for shown in session.menu().tools] == ["own", "mcp_later_two", "mcp_fine_one"]


@case("MC18")
async def test_a_server_that_is_slower_than_it_may_be_is_said_to_have_failed(tmp_path: Path) -> None:
    world = World(tmp_path)
    async with world.session(world.config("s", SLEEPY, start_within=0.3)) as session:
        status = await until(session, failed)
        assert status.detail.startswith("It did not start within 0.3 s.")


async def test_a_server_that_never_starts_is_given_up_however_long_each_start_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(restarts, "STABLE", 0.05)
    world = World(tmp_path)
    async with world.session(world.config("s", SLEEPY, start_within=0.1)) as session:
        await until(session, lambda status: status.detail.endswith("It is not started again."))


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (("/nowhere/server",), "The program /nowhere/server was not started: no such program on PATH."),
        ((sys.executable, "-c", "print('usage: server')"), "It ended with exit code 0."),
        (
            (sys.executable, "-c", "raise SystemExit('set TOKEN')"),
            "It ended with exit code 1. Its last words: set TOKEN",
        ),
    ],
)
async def test_a_program_that_is_no_server_says_why(tmp_path: Path, argv: tuple[str, ...], why: str) -> None:
    world = World(tmp_path)
    config = world.config("s", {}, transport=Stdio(argv[0], argv[1:]))
    async with world.session(config) as session:
        status = await until(session, lambda status: failed(status) and "not started again" in status.detail)
        assert status.detail.startswith(why)
        assert [shown.name for shown in session.menu().tools] == ["own"]


async def test_one_with_a_problem_is_not_started_and_one_turned_off_says_so(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "start": [{"append": [str(tmp_path / "started"), "x"]}]}
    configs = [
        world.config("a", script, problem="headers.Authorization: TOKEN is not set. Set it."),
        world.config("b", script, enabled=False),
        world.config("c", {"tools": ONE}),
    ]
    async with world.session(*configs) as session:
        await ready(session, "c")
        said = {status.name: (status.condition, status.detail) for status in session.sources()}
        assert said["a"] == (Condition.FAILED, "headers.Authorization: TOKEN is not set. Set it.")
        assert said["b"] == (Condition.OFF, "turned off")
    assert not (tmp_path / "started").exists()


@case("MC13")
@pytest.mark.parametrize("hints", [{}, {"readOnlyHint": True, "idempotentHint": True}])
async def test_a_call_whose_server_dies_is_made_once_and_its_outcome_is_said_to_be_unknown(
    tmp_path: Path, hints: Script
) -> None:
    world, ledger = World(tmp_path), tmp_path / "ledger"
    script = {
        "tools": [tool("pay", annotations=hints), tool("ask")],
        "answers": {"pay": [{"append": [str(ledger), "paid"]}, {"stderr": ["out of memory\n", 1]}, {"die": 1}]},
    }
    async with world.session(world.config("bank", script)) as session:
        await ready(session)
        state = await called(session, "mcp_bank_pay")
        assert isinstance(state, Failed)
        assert state.fault.message == (
            "bank was lost: it was ended by signal 9. Whether it did what was asked is not known: look before you try "
            "again."
        )
        assert text_of(await called(session, "mcp_bank_ask", {"a": 1})) == '{"a": 1}'
    assert ledger.read_text() == "paid\n"


async def test_a_call_waits_for_a_server_that_is_started_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "answers": {"one": [{"exit": 1}]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        for _ in range(3):
            state = await called(session, "mcp_s_one")
            assert isinstance(state, Failed)
            assert "exit code 1" in state.fault.message


async def test_a_server_that_dies_again_and_again_is_given_up_and_its_tools_go(tmp_path: Path) -> None:
    world, starts = World(tmp_path), tmp_path / "starts"
    script = {
        "tools": ONE,
        "start": [{"append": [str(starts), "x"]}],
        "before": {"notifications/initialized": [{"exit": 1}]},
    }
    async with world.session(world.config("s", script)) as session:
        status = await until(session, lambda status: "not started again" in status.detail)
        assert status.condition is Condition.FAILED
        assert [shown.name for shown in session.menu().tools] == ["own"]
    assert len(starts.read_text().split()) == restarts.MOST


STEPS = ["initialize", "notifications/initialized", "tools/list", "tools/call"]


@pytest.mark.parametrize("how", [{"die": 1}, {"exit": 0}, {"write": "{"}, {"error": {"code": -1, "message": "no"}}])
@pytest.mark.parametrize("step", STEPS)
async def test_a_server_may_die_at_any_step_and_the_session_goes_on(tmp_path: Path, step: str, how: Script) -> None:
    world = World(tmp_path)
    config = world.config("s", {"tools": ONE, "before": {step: [how]}}, start_within=2, call_within=1)
    async with world.session(config) as session:
        await until(session, lambda status: status.condition in (Condition.READY, Condition.FAILED))
        state = await called(session, "mcp_s_one")
        assert isinstance(state, (Completed, Failed))
        assert text_of(await called(session, "own")) == "ok"


def test_starts_come_less_and_less_often_and_a_long_life_is_forgiven() -> None:
    rhythm = restarts.Restarts()
    pauses = [rhythm.pause(1.0) for _ in range(restarts.MOST)]
    assert pauses[-1] is None
    assert pauses[:-1] == sorted(pause for pause in pauses[:-1] if pause is not None)
    assert rhythm.pause(restarts.STABLE) == restarts.FIRST


@case("MC22")
async def test_a_changed_list_is_there_before_the_next_turn_however_often_it_is_told(tmp_path: Path) -> None:
    world, heard = World(tmp_path), tmp_path / "heard"
    others = [tool("two"), tool("three"), tool("four")]
    change = [
        {"tools": others},
        {"times": [100, [{"notify": "notifications/tools/list_changed"}]]},
        {"text": "changed"},
    ]
    script = {"tools": ONE, "answers": {"one": change}, "page": 1, "heard": str(heard)}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        assert text_of(await called(session, "mcp_s_one")) == "changed"
        assert [shown.name for shown in session.menu().tools] == ["own", "mcp_s_two", "mcp_s_three", "mcp_s_four"]
        state = await called(session, "mcp_s_one")
        assert text_of(state) == "mcp_s_one is no longer available: MCP server s does not offer it any more."
    asked = [json.loads(line)["method"] for line in heard.read_text().splitlines()]
    assert asked.count("tools/list") == 1 + len(others)


@case("MC23")
async def test_the_list_of_a_connection_that_was_lost_replaces_nothing(tmp_path: Path) -> None:
    """The old life lists again and hangs; the new one has other tools."""
    world = World(tmp_path)
    change = [{"notify": "notifications/tools/list_changed"}, {"text": "ok"}, {"until": "tools/list"}, {"exit": 1}]
    config = world.config("s", {"tools": ONE, "answers": {"one": change}})
    async with world.session(config) as session:
        await ready(session)
        script = json.loads((tmp_path / "s.json").read_text())
        (tmp_path / "s.json").write_text(json.dumps({**script, "tools": [tool("two")]}))
        assert text_of(await called(session, "mcp_s_one")) == "ok"
        async with asyncio.timeout(PATIENCE):
            while [shown.name for shown in session.menu().tools] != ["own", "mcp_s_two"]:
                await until(session, lambda status: status.condition is Condition.READY)
                await asyncio.sleep(0)


def children_of(script: Path) -> list[str]:
    """Processes that run this script."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(script).encode() in command:
                found.append(entry.name)
    return found


@pytest.mark.parametrize("stubborn", [False, True])
async def test_no_process_outlives_the_session(tmp_path: Path, stubborn: bool) -> None:
    world = World(tmp_path)
    start: list[Script] = [{"stubborn": 1}] if stubborn else []
    script = {"tools": ONE, "start": [*start, {"fork": 1}], "answers": {"one": [{"hang": 1}]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        assert children_of(tmp_path / "s.json")
        if stubborn:
            running = asyncio.create_task(called(session, "mcp_s_one"))
            await asyncio.sleep(0)
            running.cancel()
    assert not children_of(tmp_path / "s.json")


async def test_a_session_that_ends_while_its_servers_start_leaves_none(tmp_path: Path) -> None:
    world = World(tmp_path)
    started = tmp_path / "started"
    script = {**SLEEPY, "start": [{"fork": 1}, {"append": [str(started), "x"]}]}
    async with world.session(world.config("s", script)) as session:
        world.servers[0].may_have("mcp_s_one")
        async with asyncio.timeout(PATIENCE):
            await asyncio.to_thread(wait_for, started)
        assert session.sources()[0].condition is Condition.STARTING
    assert not children_of(tmp_path / "s.json")


def wait_for(file: Path) -> None:
    """A program that has said nothing yet is heard of by what it writes."""
    while not file.exists():
        time.sleep(0.01)


LIFE = """
import asyncio, sys
from pathlib import Path
sys.path[:0] = {path!r}
from mcp_world import World, ready, tool

async def main():
    world = World(Path({folder!r}))
    async with world.session(world.config("s", {{"tools": [tool("one")], "start": [{{"fork": 1}}]}})) as session:
        await ready(session)
        print("ready", flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_no_process_outlives_a_runtime_that_is_killed(tmp_path: Path, sign: signal.Signals) -> None:
    code = LIFE.format(path=sys.path, folder=str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as life:
        assert life.stdout is not None
        assert life.stdout.readline() == b"ready\n"
        assert children_of(tmp_path / "s.json")
        os.kill(life.pid, sign)
        life.wait(PATIENCE)
    gone_within(tmp_path / "s.json")


def gone_within(script: Path) -> None:
    """The watchdog needs a moment; nothing tells when it is done."""
    last = time.monotonic() + PATIENCE
    while children_of(script):
        assert time.monotonic() < last, "a process of the server is left"
        time.sleep(0.05)


async def test_what_a_server_says_is_kept_for_a_person_without_its_secrets(tmp_path: Path) -> None:
    world = World(tmp_path)
    script = {"tools": ONE, "start": [{"stderr": ["token is hunter2-hunter2\n", 1]}]}
    config = world.config("s", script)
    assert isinstance(config.transport, Stdio)
    env = {"API_TOKEN": "hunter2-hunter2"}
    config = world.config("s", script, transport=Stdio(config.transport.command, config.transport.args, env))
    async with world.session(config) as session:
        await ready(session)
    file = tmp_path / "state" / "mcp-logs" / "s.log"
    assert file.stat().st_mode & 0o777 == 0o600
    assert "token is [redacted:marked]" in file.read_text()
    assert "hunter2" not in file.read_text()


async def test_a_log_is_bounded_however_much_a_server_says(tmp_path: Path) -> None:
    from handrail.providers.mcp import log

    world = World(tmp_path)
    script = {"tools": ONE, "before": {"tools/call": [{"stderr": ["e" * 999 + "\n", 3_000]}]}}
    async with world.session(world.config("s", script)) as session:
        await ready(session)
        for _ in range(8):
            await called(session, "mcp_s_one")
    file = tmp_path / "state" / "mcp-logs" / "s.log"
    assert 0 < file.stat().st_size <= log.MOST_KEPT + log.MOST_WAITING


async def test_each_change_of_a_servers_condition_is_told(tmp_path: Path) -> None:
    world, told = World(tmp_path), list[Condition]()
    async with world.session(world.config("s", {"tools": ONE, "answers": {"one": [{"exit": 1}]}})) as session:
        end = session.subscribe(
            lambda event: told.append(event.status.condition) if isinstance(event, SourceChanged) else None
        )
        await ready(session)
        await called(session, "mcp_s_one")
        await until(session, lambda status: status.condition is Condition.READY and Condition.FAILED in told)
        end()
    assert told[:4] == [Condition.READY, Condition.FAILED, Condition.STARTING, Condition.READY]
    assert PLAIN_SERVER.exists()
