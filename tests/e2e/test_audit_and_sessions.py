"""The commands about what was kept, run on journals that real sessions' states were written to."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from command import Ran, environment, handrail
from loaded import Loaded

from handrail.contract.basics import CallId, Instant, SessionId
from handrail.contract.calls import Arguments, CallRequest, CallState, ObjectArguments, Pending, UnusableArguments
from handrail.contract.confirmation import GrantOption
from handrail.contract.results import CallFault, ErrorKind, TerminalDisplay, ToolResult
from handrail.policy.grants import Grant
from handrail.runtime.grant_store import GrantStore
from handrail.runtime.journal import SqliteJournal
from handrail.settings.places import journal_file
from handrail.settings.redaction import Redactor
from runtime.journal_states import APPROVED, AWAITING, COMPLETED, EXECUTING, FAILED, PENDING, SECRET

DONE, WAITING = "20260101-120000-aaaaaa", "20260102-120000-bbbbbb"


async def write(path: Path, session: str, *states) -> None:
    redactor = Redactor({"NOTE_PASSWORD": SECRET})
    journal = await SqliteJournal.open(
        path, SessionId(session), workspace=Path("/w"), started=Instant(1.0), redactor=redactor
    )
    for state in states:
        journal.append(state)
    await journal.close()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def journal(state: Path, workspace: Path) -> Path:
    path = journal_file(state, workspace)
    asyncio.run(write(path, DONE, PENDING, APPROVED, EXECUTING, COMPLETED))
    asyncio.run(write(path, WAITING, PENDING, AWAITING))
    return path


@pytest.fixture
def command(state: Path, workspace: Path, journal: Path, loaded: Loaded):
    def run(*words: str) -> Ran:
        return loaded.handrail(*words, "-C", str(workspace), state=state)

    return run


def change(path: Path, script: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def test_a_whole_journal_is_whole_and_what_can_not_be_known_is_said(command):
    done = command("audit", "verify")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split() == [DONE, "4", "events", "whole"]
    assert lines[1].split() == [WAITING, "2", "events", "whole"]
    assert lines[2].startswith("Without an anchor it can't be known whether the last events were cut off")


def test_a_change_is_named_and_is_exit_code_1(command, journal):
    change(journal, f"UPDATE events SET body = '{{}}' WHERE session = '{DONE}' AND sequence = 3")
    done = command("audit", "verify")
    assert done.code == 1
    assert "  changed: event 3 was changed: its content does not give its hash" in done.out.splitlines()
    report = command("audit", "verify", "--session", WAITING, "--json")
    assert report.code == 0
    assert [session["session"] for session in report.report["sessions"]] == [WAITING]


def test_what_head_prints_is_an_anchor_for_verify(command, journal):
    anchors = command("audit", "head").out
    assert [line.split(":")[:2] for line in anchors.splitlines()] == [[DONE, "4"], [WAITING, "2"]]
    whole = command("audit", "verify", "--anchor", anchors)
    assert (whole.code, "Without an anchor" in whole.out) == (0, False)
    change(journal, f"DELETE FROM events WHERE session = '{DONE}' AND sequence = 4")
    assert command("audit", "verify").code == 0
    cut = command("audit", "verify", *(word for line in anchors.splitlines() for word in ("--anchor", line)))
    assert cut.code == 1
    assert "  truncated: event 4 is missing: the anchor knows of event 4" in cut.out.splitlines()


def test_events_are_exported_without_secrets_and_payloads(command):
    done = command("audit", "export")
    assert [event["state"] for event in done.reports] == [
        "Pending",
        "Approved",
        "Executing",
        "Completed",
        "Pending",
        "AwaitingApproval",
    ]
    assert SECRET not in done.out
    assert all("payload" not in event for event in done.reports)
    spans = json.loads(command("audit", "export", "--format", "otel", "--session", DONE).out)
    assert [span["name"] for span in spans["resourceSpans"][0]["scopeSpans"][0]["spans"]] == ["execute_tool write_note"]


def test_sessions_are_listed_with_what_could_still_happen(command):
    lines = command("sessions", "list").out.splitlines()
    assert [line.split()[0] for line in lines] == [DONE, WAITING]
    assert "  done  " in lines[0]
    assert "  1 waiting for approval  " in lines[1]
    assert [session["waiting"] for session in command("sessions", "list", "--json").report["sessions"]] == [0, 1]


def test_a_session_is_shown_call_by_call_without_secrets(command):
    done = command("sessions", "show", WAITING)
    first, *more = done.out.splitlines()
    assert first.split()[2:] == ["call-1", "write_note", "awaiting_approval"]
    assert more == [
        "  made by call-0",
        '  {"file_path": "notes.txt", "text": "[redacted:$NOTE_PASSWORD]"}',
        "  ask (check:protected-paths): Asked every time.",
        "  waits for approval approval-1",
    ]
    assert "write_note  completed  1.500 s" in command("sessions", "show", DONE).out
    (call,) = command("sessions", "show", DONE, "--json").report["calls"]
    assert [step["state"] for step in call["steps"]] == ["Pending", "Approved", "Executing", "Completed"]


def failing(name: str, arguments: Arguments, kind: ErrorKind, message: str) -> tuple[CallState, ...]:
    pending = Pending.receive(CallRequest(CallId("call-1"), name, arguments, "w"), Instant(1.0))
    fault = CallFault(kind, message)
    return pending, pending.fail(fault, ToolResult.of_text(message), Instant(2.0))


INVALID, UNKNOWN = ErrorKind.INVALID_ARGUMENTS, ErrorKind.UNKNOWN_TOOL
ENDINGS = {
    "a command that failed": (
        (
            PENDING,
            APPROVED,
            EXECUTING,
            EXECUTING.complete(ToolResult.of_text("", display=TerminalDisplay("false", "", 3)), Instant(104.0)),
        ),
        "exit code 3",
    ),
    "a failure": ((PENDING, APPROVED, EXECUTING, FAILED), "timeout while [redacted:$NOTE_PASSWORD] was written"),
    "arguments that are wrong": (
        failing(
            "read_file",
            ObjectArguments({"pth": SECRET, "api_key": "xyzzy", "n": {"password": "plugh"}}),
            INVALID,
            "The arguments for read_file are not valid:\n- file_path: is missing\n- pth: is no parameter\nAgain.",
        ),
        'sent: {"pth": "[redacted:$NOTE_PASSWORD]", "api_key": "[redacted:marked]", "n": {"password": '
        '"[redacted:marked]"}}\n  file_path: is missing; pth: is no parameter',
    ),
    "arguments of a tool that may have secrets": (
        failing("log_in", ObjectArguments({"code": "xyzzy"}), INVALID, "log_in does not take xyzzy as a code"),
        'sent: {"code": "…"}\n  log_in does not take [redacted:marked] as a code',
    ),
    "what is no object": (
        failing(
            "log_in", UnusableArguments('{"code": xyzzy', "no JSON"), INVALID, 'No JSON. What came: {"code": xyzzy'
        ),
        "No JSON. What came: [redacted:marked]",
    ),
    "a name that nobody knows": (
        failing("nope", ObjectArguments({"a": 1}), UNKNOWN, "There is no tool named 'nope'."),
        'sent: {"a": "…"}\n  There is no tool named \'nope\'.',
    ),
}


@pytest.mark.parametrize(("states", "said"), ENDINGS.values(), ids=ENDINGS)
def test_how_a_call_ended_is_said_in_a_line_while_it_is_kept(state, workspace, monkeypatch, loaded, states, said):
    path = journal_file(state, workspace)
    asyncio.run(write(path, DONE, *states))
    show = ("sessions", "show", DONE, "-C", str(workspace))
    monkeypatch.setenv("NOTE_PASSWORD", SECRET)
    shown = loaded.handrail(*show, state=state).out
    assert shown.endswith(f"\n  {said}\n")
    loaded.handrail("sessions", "prune", "--older-than", "0", "-C", str(workspace), state=state)
    assert said.splitlines()[-1] not in loaded.handrail(*show, state=state).out


def test_a_session_is_exported_whole(command):
    events = command("sessions", "export", DONE).reports
    assert events[0]["payload"]["arguments"]["value"]["text"] == SECRET
    assert events[1]["payload"] is None


def test_old_payloads_are_pruned_and_the_journal_is_still_whole(command, journal):
    dry = command("sessions", "prune", "--dry-run")
    assert dry.out.splitlines()[0].startswith(f"Would delete  {DONE}")
    done = command("sessions", "prune", "--older-than", "1")
    assert [line.split()[:2] for line in done.out.splitlines()] == [["Deleted", DONE], ["Spared", WAITING]]
    assert (done.code, done.err) == (0, "")
    verified = command("audit", "verify")
    assert verified.code == 0
    assert "whole, 2 payloads deleted" in verified.out
    assert command("sessions", "prune", "--all").code == 0
    assert [line.split()[0] for line in command("sessions", "list").out.splitlines()] == [WAITING]
    assert command("sessions", "prune", "--older-than", "99999").out.splitlines() == ["Nothing to delete."]


def test_a_governed_call_may_not_prune(journal, state, workspace):
    words = [sys.executable, "-m", "handrail", "sessions", "prune", "-C", str(workspace)]
    inside = {**environment(state), "HANDRAIL": "1"}
    done = subprocess.run(words, env=inside, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "a governed call may not delete" in done.stderr) == (2, True)
    words = ["sh", "-c", 'env -u HANDRAIL "$@"; exit', "sh", *words]  # the shell above it is still marked
    done = subprocess.run(words, env=inside, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, "a governed call may not delete" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["audit", "verify", "--session", "none"], 2, "holds no session none"),
        (["audit", "verify", "--anchor", "x"], 2, "'x' is no anchor"),
        (["sessions", "show", "none"], 2, "holds no session none; see 'handrail sessions list'"),
        (["sessions", "resume", "none"], 2, "holds no session none; see 'handrail sessions list'"),
    ],
    ids=["no session", "no anchor", "nothing to show", "nothing to resume"],
)
def test_what_is_not_there_is_said_in_one_line(command, words, code, said):
    done = command(*words)
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [["audit", "verify"], ["audit", "head"], ["sessions", "show", "x"], ["sessions", "resume", "x"]],
    ids=" ".join,
)
def test_a_workspace_without_sessions_is_said_and_gets_no_journal(state, workspace, words):
    done = handrail(*words, "-C", str(workspace), state=state)
    assert done.code == 2
    assert f"no session has run in {workspace}" in done.err
    assert os.listdir(state) == []


EMPTY = [
    (["sessions", "list"], "No sessions.\n"),
    (["sessions", "prune"], "Nothing to delete.\n"),
    (["approvals", "list"], "No questions are open.\n"),
    (["grants", "list"], "No grants.\n"),
    (["sessions", "list", "--json"], '{"version": 1, "sessions": []}\n'),
    (["approvals", "list", "--json"], '{"version": 1, "approvals": []}\n'),
    (["grants", "list", "--json"], '{"version": 1, "grants": []}\n'),
]


@pytest.mark.parametrize(("words", "said"), EMPTY, ids=[" ".join(words) for words, _ in EMPTY])
def test_where_no_session_has_run_there_is_nothing_and_that_is_no_error(state, workspace, loaded, words, said):
    done = loaded.handrail(*words, "-C", str(workspace), state=state)
    assert (done.code, done.out, done.err) == (0, said, "")
    assert os.listdir(state) == []


@pytest.mark.parametrize(
    "words",
    [*(words for words, _ in EMPTY), ["approvals", "watch"], ["approvals", "approve", "a-1"], ["audit", "verify"]],
    ids=" ".join,
)
def test_what_is_no_folder_is_said(state, tmp_path, loaded, words):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "nothing", tmp_path / "file"):
        done = loaded.handrail(*words, "-C", str(place), state=state)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"handrail: {place} is not a folder; name one that exists\n"


def test_grants_of_the_user_are_seen_and_revoked_where_no_session_has_run(state, workspace, tmp_path):
    """They hold in every workspace."""
    store = GrantStore(tmp_path / "no journal", state)
    option = GrantOption("write notes", "user", "write_file", ("mode:default",), writes=("/notes/",))
    store.add(Grant("g-1", option), SessionId("s"), Instant(1.0))
    store.close()
    assert handrail("grants", "list", "-C", str(workspace), state=state).out.startswith("g-1  user")
    assert handrail("grants", "revoke", "g-1", "-C", str(workspace), state=state).code == 0
    assert handrail("grants", "list", "-C", str(workspace), state=state).out == "No grants.\n"
