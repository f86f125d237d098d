"""Questions that outlive their process: every step is a command of its own, as a person or a program runs it."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from command import Ran, environment, neutral
from loaded import Loaded

from e2e.terminal import Terminal

WRITE = ("write_file", {"file_path": "a.txt", "content": "one\n"})
OTHER = ("write_file", {"file_path": "b.txt", "content": "two\n"})

HOLDS = """
import asyncio, sys
from handrail import Session

async def main():
    calls = {"calls": [{"id": "c0", "name": "write_file", "arguments": {"file_path": "a.txt", "content": "one"}}]}
    async with Session.open(sys.argv[1]) as session:
        print(session.id, flush=True)
        turn = await session.run(calls, on_ask="hold")
        print(type(turn.calls[0]).__name__, turn.calls[0].decision.source, flush=True)

asyncio.run(main())
"""


class Commands:
    """Commands in one workspace."""

    def __init__(self, workspace: Path, state: Path, loaded: Loaded) -> None:
        self.workspace, self.state = workspace, state
        self._loaded = loaded

    def run(self, *arguments: str, stdin: str = "") -> Ran:
        return self._loaded.handrail(*arguments, "-C", str(self.workspace), state=self.state, stdin=stdin)

    def parked(self, *calls: tuple[str, dict[str, Any]]) -> str:
        """Calls that wait, and the id of their session, as the hint names it."""
        done = self.run("exec", "-", "--json", "--approve", "wait", stdin=neutral(*calls))
        assert done.code == 3
        assert done.report["messages"] == []
        return done.err.split("handrail sessions resume ")[1].split()[0].rstrip("'")

    def questions(self) -> list[dict[str, Any]]:
        return json.loads(self.run("approvals", "list", "--json").out)["approvals"]

    def asked(self) -> list[dict[str, Any]]:
        """Waits for a question: one that a terminal shows is on the disk a little later."""
        while not (asked := self.questions()):
            pass
        return asked

    def resume(self, session: str, *options: str) -> Ran:
        return self.run("sessions", "resume", session, "--json", *options)


@pytest.fixture
def commands(tmp_path: Path, loaded: Loaded) -> Commands:
    workspace = tmp_path / "work space"
    workspace.mkdir()
    return Commands(workspace, tmp_path / "state", loaded)


def test_a_call_waits_is_approved_by_a_dead_sessions_table_and_runs_once(commands: Commands) -> None:
    session = commands.parked(WRITE)
    (question,) = commands.questions()
    assert (question["tool"], question["kind"], question["state"]) == ("write_file", "tool", "open")
    assert question["arguments"] == WRITE[1]
    assert question["confirmation"]["new"] == "one\n"
    assert not (commands.workspace / "a.txt").exists()
    approved = commands.run("approvals", "approve", question["approval"])
    assert approved.code == 0
    assert f"sessions resume {session}" in approved.err
    done = commands.resume(session)
    assert (done.code, done.call["state"], done.call["decision"]["source"]) == (0, "completed", "person:cli")
    assert len(done.report["messages"]) == 2
    written = (commands.workspace / "a.txt").stat().st_mtime_ns
    again = commands.resume(session)
    assert again.report == done.report
    assert (commands.workspace / "a.txt").stat().st_mtime_ns == written
    assert commands.questions() == []


def test_answers_in_any_order_reach_their_own_calls(commands: Commands) -> None:
    session = commands.parked(WRITE, OTHER)
    asked = {question["arguments"]["file_path"]: question["approval"] for question in commands.questions()}
    first, second = asked["a.txt"], asked["b.txt"]
    assert commands.run("approvals", "reject", second, "--feedback", "use c.txt").code == 0
    assert commands.run("approvals", "approve", first).code == 0
    done = commands.resume(session)
    assert [call["state"] for call in done.report["calls"]] == ["completed", "rejected"]
    assert "use c.txt" in done.report["calls"][1]["result"]
    assert sorted(path.name for path in commands.workspace.iterdir()) == ["a.txt"]


def test_a_second_answer_is_told_who_was_first(commands: Commands) -> None:
    commands.parked(WRITE)
    (question,) = commands.questions()
    commands.run("approvals", "reject", question["approval"])
    late = commands.run("approvals", "approve", question["approval"])
    assert late.code == 2
    assert "was answered before, by" in late.err
    assert "at cli: no" in late.err


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (["approve", "a-nothing"], "there is no question 'a-nothing'"),
        (["approve", "ID", "--shown", "0" * 64], "has changed since you saw it"),
        (["approve", "ID", "--always", "99"], "there is no grant 99"),
        (["edit", "ID", "[1]"], "one JSON object"),
        (["edit", "ID", "{oops"], "this is not JSON"),
        (["edit", "ID", '{"file_path": 7}'], "these arguments do not fit write_file"),
        (["answer", "ID", "yes"], "this is no question"),
    ],
)
def test_what_does_not_fit_the_question_is_refused(commands: Commands, answer: list[str], message: str) -> None:
    commands.parked(WRITE)
    (question,) = commands.questions()
    refused = commands.run("approvals", *[question["approval"] if word == "ID" else word for word in answer])
    assert refused.code == 2
    assert message in refused.err
    assert commands.questions() == [question]


def test_edited_arguments_are_asked_about_and_run_as_edited(commands: Commands) -> None:
    session = commands.parked(WRITE)
    (question,) = commands.questions()
    edited = json.dumps({**WRITE[1], "file_path": "c.txt"})
    assert commands.run("approvals", "edit", question["approval"], "-", stdin=edited).code == 0
    assert commands.resume(session, "--approve", "wait").code == 3
    (anew,) = commands.questions()
    assert anew["arguments"]["file_path"] == "c.txt"
    commands.run("approvals", "approve", anew["approval"], "--shown", anew["shown"])
    assert commands.resume(session).code == 0
    assert (commands.workspace / "c.txt").read_text() == "one\n"


def test_a_question_whose_time_is_over_is_no_longer_listed_and_takes_no_answer(commands: Commands) -> None:
    (commands.state.parent / "config").mkdir()
    (commands.state.parent / "config" / "config.toml").write_text("answer_within = 3600\n")
    session = commands.parked(WRITE)
    (question,) = commands.questions()
    with closing(sqlite3.connect(next(commands.state.glob("*.sqlite")))) as journal, journal:
        journal.execute("UPDATE approvals SET expires = 1.0")
    assert commands.questions() == []
    shown = commands.run("approvals", "show", question["approval"]).out
    assert f"{question['approval']}  expired  tool" in shown
    assert "\nExpired 1970-01-01" in shown
    late = commands.run("approvals", "approve", question["approval"])
    assert (late.code, "has expired: the call counts as rejected" in late.err) == (2, True)
    assert ", until " in commands.resume(session).err


@pytest.mark.parametrize(("path", "state"), [("c.txt", "completed"), ("plain/c.txt", "failed")])
def test_a_session_shows_what_ran_and_that_it_was_edited(commands: Commands, path: str, state: str) -> None:
    (commands.workspace / "plain").write_text("no folder")
    session = commands.parked(WRITE)
    (question,) = commands.questions()
    edited = {"file_path": path, "content": "two\n"}
    assert commands.run("approvals", "edit", question["approval"], json.dumps(edited)).code == 0
    commands.resume(session, "--mode", "accept-edits")
    first, ran, was, *_ = commands.run("sessions", "show", session).out.splitlines()
    assert f"write_file  {state}" in first
    assert path in ran
    assert was.startswith("  edited by a person; asked about was {")
    assert '"a.txt"' in was
    (call,) = commands.run("sessions", "show", session, "--json").report["calls"]
    assert call["edited_from"]["file_path"] == "a.txt"


def test_a_session_shows_no_edit_where_there_was_none(commands: Commands) -> None:
    session = commands.parked(WRITE)
    commands.run("approvals", "approve", commands.questions()[0]["approval"])
    commands.resume(session, "--mode", "bypass")
    assert "edited" not in commands.run("sessions", "show", session).out


def test_an_approval_for_good_is_a_grant_until_it_is_revoked(commands: Commands) -> None:
    session = commands.parked(WRITE)
    (question,) = commands.questions()
    place = next(n for n, offer in enumerate(question["offers"], 1) if offer["scope"] == "project")
    commands.run("approvals", "approve", question["approval"], "--always", str(place))
    commands.resume(session)
    granted = commands.run("exec", "-", "--json", stdin=neutral(("write_file", {**WRITE[1], "content": "more\n"})))
    assert granted.call["error"] is None or granted.call["decision"]["source"].startswith("grant:")
    (grant,) = json.loads(commands.run("grants", "list", "--json").out)["grants"]
    assert grant["scope"] == "project"
    assert grant["label"] in commands.run("grants", "list").out
    explained = commands.run("policy", "explain", WRITE[0], json.dumps(WRITE[1])).out
    assert f"grant:{grant['id']}" in explained
    assert commands.run("grants", "revoke", grant["id"]).code == 0
    assert commands.run("grants", "list").out == "No grants.\n"
    (commands.workspace / "a.txt").unlink()
    assert commands.run("exec", "-", "--json", stdin=neutral(WRITE)).call["error"]["kind"] == "denied"


def test_a_question_expires_as_the_settings_say(commands: Commands) -> None:
    (commands.state.parent / "config").mkdir()
    (commands.state.parent / "config" / "config.toml").write_text("answer_within = 3600\n")
    commands.parked(WRITE)
    (question,) = commands.questions()
    assert question["expires_at"] == question["asked_at"] + 3600
    assert "\nExpires " in commands.run("approvals", "show", question["approval"]).out


def test_a_session_goes_on_as_it_was_opened_unless_told_otherwise(commands: Commands, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text('[[rule]]\ntool = "write_file"\npath = "b.txt"\ndecision = "deny"\n')
    flags = ["--mode", "accept-edits", "--policy", str(tmp_path / "rules.toml"), "--approve", "wait"]
    done = commands.run("exec", "-", *flags, stdin=neutral(("shell", {"command": "make"}), WRITE, OTHER))
    session = done.err.split("sessions resume ")[1].split()[0]
    assert "b.txt" not in os.listdir(commands.workspace)
    (question,) = commands.questions()
    resumed = commands.resume(session)
    assert resumed.code == 3
    assert resumed.err.splitlines()[0] == (
        f"handrail: going on as the session was opened: mode accept-edits, approve wait, policies {tmp_path}/rules.toml"
    )
    assert commands.questions() == [question]
    rejected = commands.resume(session, "--approve", "none")
    assert rejected.err.startswith("handrail: going on as the session was opened: mode accept-edits, policies")
    assert [call["state"] for call in rejected.report["calls"]] == ["rejected", "completed", "rejected"]


def test_a_policy_that_is_gone_keeps_a_session_from_going_on_until_another_is_given(
    commands: Commands, tmp_path: Path
) -> None:
    rules, others = tmp_path / "rules.toml", tmp_path / "others.toml"
    for file in (rules, others):
        file.write_text('[[rule]]\ntool = "shell"\ndecision = "deny"\n')
    done = commands.run("exec", "-", "--policy", str(rules), "--approve", "wait", stdin=neutral(WRITE))
    session = done.err.split("sessions resume ")[1].split()[0]
    rules.unlink()
    refused = commands.resume(session)
    assert refused.code == 2
    assert f"the policy file {rules} can't be read" in refused.err
    assert f"the session was opened with approve wait, policies {rules}; give what is to hold instead" in refused.err
    assert commands.resume(session, "--policy", str(others)).code == 3


def test_a_mode_that_is_none_is_refused_when_a_session_is_to_go_on(commands: Commands) -> None:
    refused = commands.resume("any", "--mode", "fast")
    assert (refused.code, "Invalid value for '--mode'" in refused.err) == (2, True)


def test_a_session_with_rules_of_its_program_is_left_to_that_program(commands: Commands) -> None:
    script = """
import asyncio, sys
from handrail import Session, rules_from

async def main():
    calls = {"calls": [{"id": "c0", "name": "write_file", "arguments": {"file_path": "a.txt", "content": "one"}}]}
    rules = rules_from([{"tool": "shell", "decision": "deny"}])
    async with Session.open(sys.argv[1], rules=rules) as session:
        await session.run(calls, on_ask="park")
        print(session.id)

asyncio.run(main())
"""
    command = [sys.executable, "-c", script, os.fspath(commands.workspace)]
    done = subprocess.run(command, env=environment(commands.state), capture_output=True, text=True, check=True)
    refused = commands.resume(done.stdout.strip())
    assert refused.code == 2
    assert "the program that opened this session gave it rules of its own" in refused.err


def test_a_question_is_shown_whole_to_a_person(commands: Commands) -> None:
    commands.parked(WRITE)
    (question,) = commands.questions()
    assert question["approval"] in commands.run("approvals", "list").out
    shown = commands.run("approvals", "show", question["approval"]).out
    assert "+one" in shown
    assert "Why this is asked: It writes in the workspace (a.txt)" in shown
    assert "always 1:" in shown


def test_secrets_are_not_printed_and_escape_sequences_do_nothing(commands: Commands) -> None:
    token = "ghp_" + "x1B2c3D4" * 5
    commands.parked(("write_file", {"file_path": "a.txt", "content": f"\x1b[2J token = {token}\n"}))
    (question,) = commands.questions()
    shown = commands.run("approvals", "show", question["approval"]).out
    assert token not in shown
    assert "[redacted:github-token]" in shown
    assert "\x1b" not in shown


def test_a_living_session_takes_the_answer_of_another_process(commands: Commands) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, os.fspath(commands.workspace)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(commands.state),
    ) as holding:
        session = holding.stdout.readline().strip()
        while not (questions := commands.questions()):
            assert holding.poll() is None
        assert questions[0]["session"] == session
        approved = commands.run("approvals", "approve", questions[0]["approval"])
        assert (approved.code, approved.err) == (0, "")
        assert holding.stdout.readline() == "Completed person:cli\n"
    assert (commands.workspace / "a.txt").read_text() == "one"


def test_a_session_is_taken_over_from_a_process_that_hangs_and_runs_once(commands: Commands) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS, os.fspath(commands.workspace)],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(commands.state),
    ) as holding:
        session = holding.stdout.readline().strip()
        while not (questions := commands.questions()):
            assert holding.poll() is None
        os.kill(holding.pid, signal.SIGSTOP)
        refused = commands.resume(session, "--approve", "wait")
        assert refused.code == 1
        assert f"session {session} is held by process {holding.pid}" in refused.err
        assert f"'handrail sessions resume {session} --take-over' takes the session from it" in refused.err
        taken = commands.resume(session, "--approve", "wait", "--take-over")
        assert (taken.code, f"taken over from process {holding.pid}, which" in taken.err) == (3, True)
        assert commands.questions() == questions
        commands.run("approvals", "approve", questions[0]["approval"])
        os.kill(holding.pid, signal.SIGCONT)
        assert holding.stdout.read() == "Failed person:cli\n"
    assert not (commands.workspace / "a.txt").exists()
    done = commands.resume(session)
    assert (done.code, done.call["state"], done.call["decision"]["source"]) == (0, "completed", "person:cli")
    assert (commands.workspace / "a.txt").read_text() == "one"
    assert commands.run("audit", "verify").code == 0


def test_a_session_that_nobody_has_needs_no_taking_over(commands: Commands) -> None:
    session = commands.parked(WRITE)
    taken = commands.resume(session, "--take-over")
    assert (taken.code, "taken over" in taken.err) == (3, False)


def test_a_governed_call_may_not_take_a_session_over(commands: Commands) -> None:
    session = commands.parked(WRITE)
    command = [sys.executable, "-m", "handrail", "sessions", "resume", session, "--take-over", "-C"]
    env = {**environment(commands.state), "HANDRAIL": "1"}
    refused = subprocess.run(
        [*command, os.fspath(commands.workspace)], env=env, capture_output=True, text=True, check=False
    )
    assert (refused.returncode, "may not take a session over" in refused.stderr) == (2, True)


def test_a_prompt_that_was_killed_is_asked_again_under_its_id(commands: Commands, tmp_path: Path) -> None:
    source = tmp_path / "response.json"
    source.write_text(neutral(WRITE))
    exec_ = ("exec", str(source), "-C", str(commands.workspace))
    with Terminal(*exec_, env=environment(commands.state), cwd=tmp_path) as terminal:
        terminal.until("[c]ancel the call: ")
        (question,) = commands.asked()
        terminal.kill()
        terminal.end()
    assert commands.questions() == [question]
    resume = ("sessions", "resume", question["session"], "-C", str(commands.workspace))
    with Terminal(*resume, env=environment(commands.state), cwd=tmp_path) as terminal:
        terminal.until("[c]ancel the call: ")
        assert commands.questions() == [question]
        terminal.type("y\n")
        code, screen = terminal.end()
    assert code == 0
    assert "person:terminal" in screen
    assert (commands.workspace / "a.txt").read_text() == "one\n"


def test_watching_shows_each_question_as_it_is_asked(commands: Commands) -> None:
    commands.parked(WRITE)
    command = [sys.executable, "-u", "-m", "handrail", "approvals", "watch", "--json", "-C", str(commands.workspace)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(commands.state)) as watching:
        first = json.loads(watching.stdout.readline())
        commands.parked(OTHER)
        second = json.loads(watching.stdout.readline())
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=30) == 130
    assert [question["arguments"]["file_path"] for question in (first, second)] == ["a.txt", "b.txt"]


def test_watching_waits_for_the_first_session(commands: Commands) -> None:
    command = [sys.executable, "-u", "-m", "handrail", "approvals", "watch", "--json", "-C", str(commands.workspace)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment(commands.state)) as watching:
        commands.parked(WRITE)
        assert json.loads(watching.stdout.readline())["arguments"] == WRITE[1]
        watching.send_signal(signal.SIGINT)
        assert watching.wait(timeout=30) == 130


ANSWERING = ["-m", "handrail", "approvals", "approve"]


def test_a_child_that_carries_the_mark_may_not_answer(commands: Commands) -> None:
    commands.parked(WRITE)
    (question,) = commands.questions()
    command = [sys.executable, *ANSWERING, question["approval"], "-C", str(commands.workspace)]
    env = {**environment(commands.state), "HANDRAIL": "1"}
    refused = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "runs inside a governed call" in refused.stderr
    assert commands.questions() == [question]


@pytest.mark.skipif(sys.platform != "linux", reason="only /proc shows the processes above")
def test_a_child_that_took_the_mark_off_may_not_answer_either(commands: Commands) -> None:
    commands.parked(WRITE)
    (question,) = commands.questions()
    inner = [sys.executable, *ANSWERING, question["approval"], "-C", str(commands.workspace)]
    outer = f"import os, subprocess; os.environ.pop('HANDRAIL'); raise SystemExit(subprocess.call({inner!r}))"
    env = {**environment(commands.state), "HANDRAIL": "1"}
    refused = subprocess.run([sys.executable, "-c", outer], env=env, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "was started by a governed call" in refused.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only /proc shows the processes above")
def test_what_the_asking_session_started_may_not_answer(commands: Commands) -> None:
    script = """
import asyncio, subprocess, sys
from handrail import Session

async def main():
    calls = {"calls": [{"id": "c0", "name": "write_file", "arguments": {"file_path": "a.txt", "content": "one"}}]}
    async with Session.open(sys.argv[1]) as session:
        turn = await session.run(calls, on_ask="park")
        command = ["-m", "handrail", "approvals", "approve", turn.pending[0].approval, "-C", sys.argv[1]]
        ended = await asyncio.create_subprocess_exec(sys.executable, *command, stderr=subprocess.PIPE)
        print((await ended.communicate())[1].decode())

asyncio.run(main())
"""
    done = subprocess.run(
        [sys.executable, "-c", script, os.fspath(commands.workspace)],
        env=environment(commands.state),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "was started by the session that asks" in done.stdout
