"""The JSON that others read is what its published schema says, and nothing else is in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import jsonschema_rs
import pytest

from e2e.command import handrail
from handrail.agent.events import AgentEvent, Compacted, Ended, Finished, Reported, ResponseDone, TurnEnded
from handrail.agent.model import CallBegun, TextArrived, ThinkingArrived, Usage, Waiting
from handrail.agent.spent import Spent
from handrail.contract.basics import CallId, Instant, SessionId
from handrail.contract.calls import AwaitingApproval, CallState
from handrail.contract.confirmation import (
    Confirmation,
    EditConfirmation,
    ExecConfirmation,
    InfoConfirmation,
    McpConfirmation,
    PatchConfirmation,
    PlanConfirmation,
    QuestionConfirmation,
    SandboxConfirmation,
)
from handrail.contract.effects import Claims, SimpleCommand
from handrail.contract.events import CallChanged, Event, NoticeGiven
from handrail.runtime.event_json import event_json
from handrail.runtime.journal import SqliteJournal
from handrail.runtime.parts import Parts
from handrail.runtime.reports import state_name
from handrail.runtime.turns import Turn
from handrail.session import Session
from handrail.surfaces.cli.exec_report import turn_json
from handrail.surfaces.cli.run.report import EXITS, Began, agent_event_json, began_json, finished_json
from handrail.testing import FakeTool, Fault, FaultyTool, MemoryJournal
from handrail.tools import builtin_tools
from handrail.wire import Wire, decode
from neutral_calls import calls, read, write
from runtime.journal_states import EVERY_STATE
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import Use as ServedUse
from servers.script import says

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
SCHEMAS = {path.name.removesuffix(".schema.json"): path for path in REFERENCE.glob("*.schema.json")}


def closed(schema: Any) -> Any:
    """The schema, with no field allowed that it doesn't name: readers must pass over new fields, we must list them."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return (
        {"additionalProperties": False, **inner} if schema.get("type") == "object" and "properties" in schema else inner
    )


def validator(name: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(closed(json.loads(SCHEMAS[name].read_text())), retriever=beside)


def beside(uri: str) -> Any:
    """Another of the schemas, which one names by its file."""
    return closed(json.loads((REFERENCE / uri.rpartition("/")[2]).read_text()))


def problems(name: str, value: Any) -> list[str]:
    return [f"{list(error.instance_path)}: {error.message}" for error in validator(name).iter_errors(value)]


def named_states(name: str) -> set[str]:
    schema = json.loads(SCHEMAS[name].read_text())
    return set(schema["$defs"]["call"]["properties"]["state"]["enum"])


def test_four_schemas_are_published() -> None:
    assert SCHEMAS.keys() == {"exec", "events", "journal", "run"}


@pytest.mark.parametrize("name", sorted(SCHEMAS))
def test_a_schema_is_a_schema_and_refuses_nonsense(name: str) -> None:
    jsonschema_rs.meta.validate(json.loads(SCHEMAS[name].read_text()))
    assert problems(name, {})
    assert problems(name, {"version": 2})


# exec --json

ON_EVERY_WIRE = {
    Wire.ANTHROPIC: {
        "content": [{"type": "tool_use", "id": "t", "name": "read_file", "input": {"file_path": "a.txt"}}]
    },
    Wire.OPENAI_CHAT: {"choices": [{"message": {"function_call": {"name": "glob", "arguments": "{"}}}]},
    Wire.OPENAI_RESPONSES: {
        "output": [{"type": "custom_tool_call", "call_id": "c", "name": "shell", "input": "ls"}],
    },
    Wire.GEMINI: {"candidates": [{"content": {"parts": [{"functionCall": {"name": "now", "args": {}}}]}}]},
    Wire.NEUTRAL: calls(
        read("a.txt"),
        write("b.txt"),
        read("b.txt"),
        ("shell", {"command": "rm -rf /"}),
        ("shell", {"command": "sleep 60", "timeout": 1}),
    ),
}


def test_what_exec_prints_is_as_published(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    lines = "\n".join(json.dumps(document) for document in ON_EVERY_WIRE.values())
    policy = Path(__file__).parents[1] / "e2e" / "allow_sleep.toml"
    options = ["-C", str(tmp_path), "--policy", str(policy), "--approve", "wait"]
    done = handrail("exec", "-", "--json", *options, state=tmp_path / "state", stdin=lines)
    assert done.code == 3
    assert [report["wire"] for report in done.reports] == list(ON_EVERY_WIRE)
    for report in done.reports:
        assert problems("exec", report) == []
    states = {call["state"] for report in done.reports for call in report["calls"]}
    assert states == {"completed", "failed", "rejected", "awaiting_approval"}


@pytest.mark.parametrize("state", EVERY_STATE.values(), ids=[kind.__name__ for kind in EVERY_STATE])
def test_a_turn_with_a_call_in_any_state_is_as_published(state: CallState) -> None:
    response = decode({"calls": [{"id": "toolu_1", "name": "WriteNote", "arguments": {}}]})
    report = turn_json(Turn("turn-1", response, (state,), ()))
    assert problems("exec", report) == []
    assert report["calls"][0]["state"] in named_states("exec")


# Events


async def test_a_sessions_events_are_as_published(tmp_path: Path) -> None:
    async def speak(params: Any, context: Any) -> str:
        context.output.text("half of it")
        context.output.progress(0.5, "half")
        context.output.notice("by the way")
        return "all of it"

    def fail(event: Event) -> None:
        raise LookupError("this listener drops out, and that is told")

    told: list[Event] = []
    tools = [FakeTool("talker", speak), FakeTool("picker", client_side=True), FaultyTool(Fault.FAILS), *builtin_tools()]
    async with Session.open(tmp_path, parts=Parts(tools=tools, journal=MemoryJournal())) as session:
        session.subscribe(told.append)
        session.subscribe(fail)
        await session.run(calls(("talker", {}), ("faulty", {}), ("nothing", {}), ("shell", {"command": "rm -rf /"})))
        parked = await session.run(calls(write("a.txt"), read("a.txt"), ("picker", {})), on_ask="park")
        await session.cancel(CallId(parked.pending[0].request.id))
    written = [json.loads(json.dumps(event_json(event))) for event in told]
    assert [found for event in written for found in problems("events", event)] == []
    assert {event["type"] for event in written} == {
        "call_changed",
        "output_arrived",
        "progress_made",
        "notice_given",
    }
    assert {event["call"]["state"] for event in written if event["type"] == "call_changed"} == (
        named_states("events") - {"interrupted"}
    )


@pytest.mark.parametrize("state", EVERY_STATE.values(), ids=[kind.__name__ for kind in EVERY_STATE])
def test_an_event_of_any_state_is_as_published(state: CallState) -> None:
    assert problems("events", event_json(CallChanged(state))) == []


SHOWN: list[Confirmation] = [
    PatchConfirmation("Patch 2 files", (EditConfirmation("", Path("/w/a"), "x", None),)),
    EditConfirmation("Write a.txt", Path("/w/a.txt"), None, "x"),
    EditConfirmation("Write a.txt", Path("/w/a.txt"), "x", "y"),
    ExecConfirmation("Run it", "ls -l", (SimpleCommand("ls -l", ("ls", "-l"), literal=True),)),
    InfoConfirmation("Fetch", "https://example.org", ("https://example.org",)),
    McpConfirmation("Ask maps", "maps", "route", {"to": "Brest", "via": [1, None]}),
    PlanConfirmation("The plan", "First …", Path("/w/plan.md")),
    QuestionConfirmation("Which?", "Which one?", ("this", "that")),
    SandboxConfirmation("More room", "make", (Path("/usr"),), (Path("/var/cache"),), network=True),
]


def test_every_kind_of_confirmation_is_as_published() -> None:
    assert {type(shown) for shown in SHOWN} == set(get_args(Confirmation))
    for shown in SHOWN:
        asked = replace(EVERY_STATE[AwaitingApproval], confirmation=shown)
        event = json.loads(json.dumps(event_json(CallChanged(asked))))
        assert problems("events", event) == []
        assert event["call"]["confirmation"]["title"] == shown.title


def test_an_events_form_has_a_version() -> None:
    assert event_json(NoticeGiven(None, "hello")) == {
        "version": 1,
        "type": "notice_given",
        "call": None,
        "message": "hello",
    }


# run --json, run --stream-json

SAID: list[AgentEvent] = [
    TextArrived("a"),
    ThinkingArrived("b"),
    CallBegun("shell"),
    Waiting(1.5, "overloaded"),
    ResponseDone(Usage(3, 2, 1, 4)),
    TurnEnded(Turn("turn-1", decode({"calls": []}), (), ())),
    Compacted(100, 10),
    Reported("a1", "done"),
]
BEGAN = Began("s", "m", "/w", "default")


@pytest.mark.parametrize("event", SAID, ids=lambda event: type(event).__name__)
def test_what_an_agent_tells_is_as_published(event: AgentEvent) -> None:
    line = agent_event_json(event)
    assert line is not None
    assert problems("run", json.loads(json.dumps(line))) == []


def test_every_event_of_an_agent_is_among_them() -> None:
    assert {type(event) for event in SAID} == set(get_args(AgentEvent)) - {Finished}
    assert problems("run", began_json(BEGAN)) == []


def test_what_run_prints_is_as_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("a\n")
    script = [says("I look.", ServedUse("read_file", {"file_path": "a.txt"}), thinking="Hm."), says("It is a.")]
    with ProviderServer(DIALECTS[Wire.ANTHROPIC](), script) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        options = ["-C", str(tmp_path), "--model", "anthropic"]
        lines = handrail("run", "x", "--stream-json", *options, state=tmp_path / "state").reports
        report = handrail("run", "x", "--json", *options, state=tmp_path / "state").report
    assert [found for line in [*lines, report] for found in problems("run", line)] == []
    assert [lines[0]["type"], lines[-1]["type"], report["type"]] == ["began", "finished", "finished"]


@pytest.mark.parametrize("ended", Ended)
def test_a_report_is_as_published_however_it_ended(ended: Ended) -> None:
    finished = Finished(ended, "text", "why")
    report = finished_json(BEGAN, finished, Spent(Usage(1, 0, 0, 1), 0.5, 1, 2.0), EVERY_STATE.values())
    assert problems("run", json.loads(json.dumps(report))) == []
    assert [call["state"] for call in report["calls"]] == [state_name(state) for state in EVERY_STATE.values()]
    assert f"`{ended}`" in (REFERENCE / "run.md").read_text()


@pytest.mark.parametrize("state", EVERY_STATE.values(), ids=[kind.__name__ for kind in EVERY_STATE])
def test_events_of_the_session_may_stand_between(state: CallState) -> None:
    assert problems("run", event_json(CallChanged(state))) == []


def test_every_exit_code_of_a_run_is_in_the_reference() -> None:
    page = (REFERENCE / "run.md").read_text()
    for ended in Ended:
        assert any(f"| {EXITS[ended]} |" in line and f"`{ended}`" in line for line in page.splitlines()), ended


# The journal


def recorded(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a journal file as the schema describes them."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        kept = {(row["call"], row["sequence"]): row["content"] for row in connection.execute("SELECT * FROM payloads")}
        for row in connection.execute("SELECT * FROM events ORDER BY sequence").fetchall():
            payload = kept.get((row["call"], row["sequence"]))
            yield {
                **dict(row),
                "version": version,
                "body": json.loads(row["body"]),
                "payload": payload and json.loads(payload),
            }


async def test_a_journal_holds_what_is_published(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    journal = await SqliteJournal.open(path, SessionId("s"), workspace=workspace, started=Instant(1.0))
    tools = [FakeTool(claims=Claims.unknown()), FakeTool("picker", client_side=True), *builtin_tools()]
    async with Session.open(workspace, mode="bypass", parts=Parts(tools=tools, journal=journal)) as session:
        await session.run(calls(("fake", {}), ("nothing", {}), ("shell", {"command": "rm -rf /"}), write("a.txt")))
        await session.run(calls(("shell", {"command": "echo x > b.txt && cat b.txt"}), ("glob", {"pattern": "*"})))
        held = await session.run(calls(("picker", {}), write(".git/config")), on_ask="park")
        await session.cancel(CallId(held.calls[0].request.id))
    events = list(recorded(path))
    assert [found for event in events for found in problems("journal", event)] == []
    assert {event["state"] for event in events} == {state.__name__ for state in EVERY_STATE} - {"Interrupted"}


async def test_a_journal_of_any_state_is_as_published(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await SqliteJournal.open(path, SessionId("s"), workspace=tmp_path, started=Instant(1.0))
    for state in EVERY_STATE.values():
        journal.append(state)
    await journal.close()
    events = list(recorded(path))
    assert [event["state"] for event in events] == [state.__name__ for state in EVERY_STATE]
    assert [found for event in events for found in problems("journal", event)] == []
