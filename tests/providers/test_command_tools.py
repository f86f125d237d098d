"""Tools of discovery commands: found, called, cancelled and bounded, with real processes."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

import folder_world
from folder_world import FolderWorld, names_of
from handrail.contract.calls import CallState, Cancelled, Completed, Failed, Rejected
from handrail.contract.confirmation import Confirmation, InfoConfirmation, Reject
from handrail.contract.events import OutputArrived
from handrail.contract.provider import Condition, SourceStatus
from handrail.contract.results import ErrorKind
from handrail.policy import Mode, rules_from
from handrail.providers.command import running
from handrail.providers.command.tool import name_of
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.load import Settings
from handrail.testing import MemoryJournal
from neutral_calls import calls

PROGRAM = Path(__file__).with_name("discovery_program.py")
DISCOVER, CALL = (shlex.join([sys.executable, str(PROGRAM), what]) for what in ("list", "call"))
NAMES = ("echo", "echo.it", "deaf", "chatty", "silent", "fails", "dies", "floods", "waits")
ECHO = {"type": "object", "properties": {"text": {"type": "string"}}}
DECLARED = [{"functionDeclarations": [{"name": name, "description": name, "parameters": ECHO} for name in NAMES]}]
GEMINI = ".gemini/settings.json"


@pytest.fixture
def world(tmp_path: Path) -> FolderWorld:
    made = folder_world.made(tmp_path)
    (made.workspace / "declared.json").write_text(json.dumps(DECLARED))
    return made


def configured(world: FolderWorld, discover: str = DISCOVER, call: str = CALL) -> Settings:
    return world.settings(discovery_command=discover, call_command=call)


async def asked(session: Session, place: int = 0) -> SourceStatus:
    """How it stands with the only command, or the source at this place, once it has answered."""
    events = session.events()
    while session.sources()[place].condition is Condition.STARTING:
        await anext(events)
    return session.sources()[place]


async def called(session: Session, name: str, /, **arguments: Any) -> CallState:
    await asked(session)
    return (await session.run(calls((name, arguments)))).calls[0]


async def test_what_it_declares_is_called_with_its_own_name_and_json_on_stdin(world: FolderWorld) -> None:
    async with world.session(configured(world)) as session:
        status = await asked(session)
        assert (status.condition, status.detail, status.problems) == (Condition.READY, "9 tools", ())
        assert names_of(session)[0] == "discovered_tool_echo"
        for name, own in ((names_of(session)[0], "echo"), (names_of(session)[1], "echo.it")):
            call = await called(session, name, text="höhe\n")
            assert isinstance(call, Completed)
            said = json.loads(call.result.text)
            assert said == {"arguments": {"text": "höhe\n"}, "argv": [own], "cwd": str(world.workspace)}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("chatty", "fine\n\nOn stderr: on stderr only"),
        ("silent", "(no output)"),
        ("deaf", '"arguments": null'),
    ],
)
async def test_what_is_said_on_stderr_is_told_and_is_no_failure(world: FolderWorld, name: str, text: str) -> None:
    async with world.session(configured(world)) as session:
        call = await called(session, f"discovered_tool_{name}", text="x" * 3_000_000)
        assert isinstance(call, Completed)
        assert text in call.result.text


@pytest.mark.parametrize(
    ("name", "why", "text"),
    [
        ("fails", "discovered_tool_fails failed with exit code 3.", "Stdout: half\nStderr: no such port"),
        ("dies", "discovered_tool_dies was ended by signal 9 (SIGKILL", "Stdout: (empty)\nStderr: (empty)"),
        ("floods", "discovered_tool_floods was stopped: it printed more than 500000 bytes.", "Stdout: xxxx"),
    ],
)
async def test_a_bad_end_is_told_with_its_code_or_signal(
    world: FolderWorld, monkeypatch: pytest.MonkeyPatch, name: str, why: str, text: str
) -> None:
    monkeypatch.setattr(running, "MOST_PRINTED", 500_000)
    monkeypatch.setattr("handrail.providers.command.tool.MOST_PRINTED", 500_000)
    async with world.session(configured(world)) as session:
        call = await called(session, f"discovered_tool_{name}")
        assert isinstance(call, Failed)
        assert call.fault.kind is ErrorKind.FAILED
        assert call.fault.message.startswith(why)
        assert text in call.result.text
        assert len(call.result.text) < 600_000


async def test_a_call_that_takes_too_long_is_stopped(world: FolderWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("handrail.providers.command.tool.CALL_WITHIN", 0.5)
    async with world.session(configured(world)) as session:
        call = await called(session, "discovered_tool_waits")
        assert isinstance(call, Failed)
        assert call.fault.kind is ErrorKind.TIMEOUT
        assert call.fault.message == "discovered_tool_waits was stopped after 0.5 seconds. Ask for less at a time."


async def test_cancelling_a_call_ends_its_process(world: FolderWorld) -> None:
    async with world.session(configured(world)) as session:
        await asked(session)
        printed = asyncio.Event()
        session.subscribe(lambda event: printed.set() if isinstance(event, OutputArrived) else None)
        run = asyncio.create_task(session.run(calls(("discovered_tool_waits", {}))))
        waiting = asyncio.create_task(printed.wait())
        await asyncio.wait((run, waiting), return_when=asyncio.FIRST_COMPLETED)
        assert not run.done(), run.result().calls
        await session.cancel_all()
        (call,) = (await run).calls
        assert isinstance(call, Cancelled)
        pid = int((world.workspace / "started").read_text())
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_arguments_are_checked_before_anything_runs(world: FolderWorld) -> None:
    async with world.session(configured(world)) as session:
        call = await called(session, "discovered_tool_echo", text=5)
        assert isinstance(call, Failed)
        assert call.fault.kind is ErrorKind.INVALID_ARGUMENTS


@pytest.mark.parametrize("rule", ["discovered_tool_*", "discovered_tool_echo.it", "discovered_tool_e*"])
async def test_rules_know_them_as_gemini_clis_do(world: FolderWorld, rule: str) -> None:
    deny = rules_from([{"tool": rule, "decision": "deny", "reason": "not here"}])
    parts = Parts(tools=(), journal=MemoryJournal())
    given = {"mode": Mode.BYPASS, "settings": configured(world), "parts": parts, "rules": deny}
    async with Session.open(world.workspace, **given) as session:
        await asked(session)
        (call,) = (await session.run(calls((name_of("echo.it"), {})))).calls
        assert isinstance(call, Rejected)
        assert ("discovered_tool_chatty" in names_of(session)) == (rule != "discovered_tool_*")


async def test_they_are_asked_about_where_nobody_said_otherwise(world: FolderWorld) -> None:
    parts = Parts(tools=(), journal=MemoryJournal())
    async with Session.open(world.workspace, settings=configured(world), parts=parts) as session:
        await asked(session)
        shown: list[Confirmation] = []
        await session.run(
            calls(("discovered_tool_echo", {"text": "a"})),
            on_ask=lambda call: shown.append(call.confirmation) or Reject(),
        )
    text = f'runs: {CALL} echo\nwith this on stdin: {{\n "text": "a"\n}}'
    assert shown == [InfoConfirmation("discovered_tool_echo", text)]


@pytest.mark.parametrize(
    ("code", "detail"),
    [
        ("import sys; print('[]'); sys.exit('no network')", "failed with exit code 1: no network"),
        ("print('[')", "must print a JSON array of function declarations on stdout: "),
        ("import os; os.kill(os.getpid(), 9)", "was ended by signal 9 (SIGKILL"),
        ("import time; time.sleep(600)", "was stopped after 2 seconds without an end"),
        ("while True: print('x' * 65536)", "printed more than 10485760 bytes, and was stopped"),
        (None, "/no/such was not started: no such program on PATH."),
    ],
    ids=["exit code", "no JSON", "signal", "never ends", "floods", "no program"],
)
async def test_a_discovery_that_fails_is_told_and_costs_nobody_else(
    world: FolderWorld, monkeypatch: pytest.MonkeyPatch, code: str | None, detail: str
) -> None:
    monkeypatch.setattr("handrail.providers.command.source.DISCOVER_WITHIN", 2.0 if "sleep" in (code or "") else 30.0)
    program = world.root / "discover.py"
    program.write_text(code or "")
    world.put(world.mine, {"a.py": folder_world.says("a")})
    async with world.session(
        configured(world, shlex.join([sys.executable if code else "/no/such", str(program)]))
    ) as session:
        await asked(session, 0)
        assert names_of(session) == ["a"]
        status = await asked(session, -1)
        assert status.condition is Condition.FAILED
        assert detail in status.detail
        assert names_of(session) == ["a"]


async def test_one_bad_declaration_hides_no_other(world: FolderWorld) -> None:
    bad = {"name": "bad", "parameters": {"type": "no type"}}
    (world.workspace / "declared.json").write_text(json.dumps([bad, {"name": "echo"}, {}, {"name": "echo"}]))
    async with world.session(configured(world)) as session:
        status = await asked(session)
        assert names_of(session) == ["discovered_tool_echo"]
        assert status.detail == "1 tool"
        assert len(status.problems) == 3


async def test_closing_the_session_ends_a_discovery_that_runs(world: FolderWorld) -> None:
    program, started = world.root / "discover.py", world.root / "started"
    program.write_text(f"import os, time; open({str(started)!r}, 'w').write(str(os.getpid())); time.sleep(600)")
    os.mkfifo(started)
    async with world.session(configured(world, shlex.join([sys.executable, str(program)]))):
        pid = int(await asyncio.to_thread(started.read_text))
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def gemini(now: bool = True) -> str:
    commands = {"discoveryCommand": DISCOVER, "callCommand": CALL}
    before = {"toolDiscoveryCommand": DISCOVER, "toolCallCommand": CALL}
    return f"// Gemini CLI\n{json.dumps({'tools': commands} if now else before)}"


@pytest.mark.parametrize("now", [True, False])
async def test_gemini_clis_own_settings_are_read_as_they_are(world: FolderWorld, now: bool) -> None:
    world.put(world.root / "home/.gemini", {"settings.json": gemini(now)})
    async with world.session() as session:
        assert (await asked(session)).name == f"discovery command of ~/{GEMINI}"
        assert isinstance(await called(session, "discovered_tool_echo"), Completed)


async def test_a_workspaces_commands_are_not_run_until_the_file_is_trusted(world: FolderWorld) -> None:
    world.put(world.workspace / ".gemini", {"settings.json": gemini()})
    (waiting,) = (each for each in world.settings().waiting if each.key.kind == "command")
    assert waiting.would == (f"tools.discoveryCommand: runs {DISCOVER}", f"tools.callCommand: runs {CALL}")
    async with world.session() as session:
        assert session.sources()[0].condition is Condition.UNTRUSTED
        assert names_of(session) == []
    world.trust_all()
    assert waiting.key in world.settings().trusted
    async with world.session() as session:
        assert (await asked(session)).condition is Condition.READY
    world.put(world.workspace / ".gemini", {"settings.json": gemini() + " "})
    assert [each.key.kind for each in world.settings().waiting].count("command") == 1


async def test_commands_in_a_workspaces_own_settings_wait_for_trust_too(world: FolderWorld) -> None:
    text = f'discovery_command = "{DISCOVER}"\ncall_command = "{CALL}"\n'
    world.put(world.workspace / ".handrail", {"config.toml": text})
    settings = world.settings()
    assert settings.tool_commands == ()
    (waiting,) = settings.waiting
    assert "line 1: discovery_command = " in waiting.would[0]
    world.trust_all()
    async with world.session() as session:
        assert (await asked(session)).detail == "9 tools"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"tools": {"discoveryCommand": "list"}}', "says tools.discoveryCommand and no tools.callCommand"),
        ('{"tools": {"discoveryCommand": "a | b", "callCommand": "c"}}', "says tools.discoveryCommand, which has |, "),
        ('{"tools": {"discoveryCommand": "a", "callCommand": 5}}', "says tools.callCommand, which is neither a text"),
        ('{"tools": {"discoveryCommand": "a",\n', "line 2: not valid JSON"),
        ('{"tools": {"core": ["ls"]}}', ""),
        ('{"tools": []}', ""),
        ("[]", ""),
    ],
)
async def test_commands_that_can_not_be_run_are_told(world: FolderWorld, text: str, problem: str) -> None:
    world.put(world.root / "home/.gemini", {"settings.json": text})
    async with world.session() as session:
        statuses = [status for status in session.sources() if status.name.startswith("discovery command")]
        assert [status.condition for status in statuses] == [Condition.FAILED] * bool(problem)
        assert all(status.detail.startswith(problem) for status in statuses)


async def test_one_command_without_the_other_is_told(world: FolderWorld) -> None:
    async with world.session(world.settings(discovery_command="list")) as session:
        assert session.sources()[0].detail == (
            "call_command is not set: it takes both, one to list the tools and one to run them"
        )
