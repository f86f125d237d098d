"""The agents that a model of `handrail run` gives tasks to: they wait for answers, and end with the process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from e2e.command import Ran, environment, handrail
from servers.anthropic_dialect import AnthropicDialect
from servers.conversations import ConversationsServer
from servers.script import Turn, Use, says

WRITES = Use("write_file", {"file_path": "n.txt", "content": "six\n"})
WAITS = Use("shell", {"command": "sleep 1000"})
ASKS = Use("ask_user", {"questions": [{"question": "At Brest, or at Quimper?"}]})
TAKES_SLEEP = Path(__file__).with_name("allow_sleep.toml")

Start = Callable[..., subprocess.Popen[str]]


def task(*, background: bool) -> Use:
    return Use("agent", {"description": "the tide", "prompt": "ebb", "background": background})


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@contextmanager
def playing(monkeypatch: pytest.MonkeyPatch, **scripts: list[Turn]) -> Iterator[ConversationsServer]:
    with ConversationsServer(AnthropicDialect(), scripts) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server
    assert server.wrong == []


def command(work: Path, *arguments: str) -> Ran:
    return handrail(*arguments, state=work.parent / "state", cwd=work)


@pytest.fixture
def started(work: Path) -> Iterator[Start]:
    """Starts a run that goes on while the test does something; killed at the end, should it still run."""
    children: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        child = subprocess.Popen(
            [sys.executable, "-m", "handrail", "run", "--model=anthropic", "--stream-json", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=work,
            env=environment(work.parent / "state"),
            start_new_session=True,
        )
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.communicate()


def until(child: subprocess.Popen[str], state: str, tool: str) -> dict[str, Any]:
    """The event that tells of a call of this tool in this state."""
    assert child.stdout is not None
    for line in child.stdout:
        event = json.loads(line)
        call = event["call"] if event["type"] == "call_changed" else {}
        if (call.get("state"), call.get("name")) == (state, tool):
            return dict(call)
    raise AssertionError(f"no {tool} was ever {state}: {child.communicate()[1]}")


@pytest.mark.parametrize("background", [True, False])
def test_a_question_of_an_agent_is_answered_in_another_terminal_while_the_run_waits(
    work: Path, monkeypatch: pytest.MonkeyPatch, started: Start, background: bool
) -> None:
    main = [says("", task(background=background)), says("I wait."), says("Six it is.")]
    with playing(monkeypatch, flood=main, ebb=[says("", WRITES), says("It says six.")]):
        child = started("flood", "--approve", "wait")
        waiting = until(child, "awaiting_approval", "write_file")
        approved = command(work, "approvals", "approve", waiting["approval"])
        assert approved.code == 0, approved.err
        out, err = child.communicate(timeout=60)
    report = json.loads(out.splitlines()[-1])
    assert (child.returncode, report["ended"]) == (0, "done"), err
    assert (work / "n.txt").read_text() == "six\n"
    assert "the run goes on when that is answered in another terminal: handrail approvals approve" in err
    assert report["text"] == ("Six it is." if background else "I wait.")


def test_a_limit_of_time_ends_a_run_whose_agent_waits_for_an_answer(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with playing(monkeypatch, flood=[says("", task(background=False))], ebb=[says("", WRITES)]):
        done = command(work, "run", "--model=anthropic", "flood", "--approve", "wait", "--max-seconds", "6", "--json")
    assert (done.code, done.report["ended"]) == (4, "time"), done.err
    assert {call["name"]: call["state"] for call in done.report["calls"]}["write_file"] == "cancelled"


@pytest.mark.parametrize("background", [True, False])
def test_who_interrupts_a_run_is_told_what_became_of_its_agents_question(
    work: Path, monkeypatch: pytest.MonkeyPatch, started: Start, background: bool
) -> None:
    main = [says("", task(background=background)), *(says("I wait.") for _ in range(4))]
    with playing(monkeypatch, flood=main, ebb=[says("", WRITES)]):
        child = started("flood", "--approve", "wait")
        waiting = until(child, "awaiting_approval", "write_file")
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert f"not answered: write_file ({waiting['approval']})" in err
    assert "what is still wanted is asked anew" in err


def test_a_question_of_the_main_agent_is_called_no_agents_when_a_run_is_interrupted(
    work: Path, monkeypatch: pytest.MonkeyPatch, started: Start
) -> None:
    main = [says("", task(background=True), ASKS), says("I wait.")]
    with playing(monkeypatch, flood=main, ebb=[says("", WAITS)]):
        child = started("flood", "--approve", "wait", "--policy", str(TAKES_SLEEP))
        until(child, "awaiting_approval", "question")
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
    assert child.returncode == 130, err
    assert "An agent asked" not in err


def until_listed(work: Path, approval: str) -> None:
    """It is told before it is on the disk."""
    assert any(approval in command(work, "approvals", "list").out for _ in range(100))


@pytest.mark.parametrize("background", [True, False])
def test_a_question_of_an_agent_that_was_killed_takes_no_answer(
    work: Path, monkeypatch: pytest.MonkeyPatch, started: Start, background: bool
) -> None:
    main = [says("", task(background=background)), *(says("So it is.") for _ in range(4))]
    with playing(monkeypatch, flood=main, ebb=[says("", WRITES), says("It says six.")]):
        child = started("flood", "--approve", "wait")
        waiting = until(child, "awaiting_approval", "write_file")
        until_listed(work, waiting["approval"])
        os.killpg(child.pid, 9)
        child.communicate(timeout=60)
        for answer in (("approve",), ("reject", "--feedback", "no")):
            refused = command(work, "approvals", *answer, waiting["approval"])
            assert refused.code == 2, refused.err
            assert "can't be answered any more" in refused.err
            assert "handrail run --resume " in refused.err
        again = command(work, "run", "--model=anthropic", "--continue", "Go on.")
    assert again.code == 0, again.err
    assert not (work / "n.txt").exists()
    left = command(work, "approvals", "list")
    assert left.out == "No questions are open.\n"


def test_the_main_agents_own_question_ends_the_run_once_its_agents_have_ended(
    work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = says("", task(background=True), Use("write_file", {"file_path": "m.txt", "content": "x"}))
    with playing(monkeypatch, flood=[both, says("Both are done.")], ebb=[says("Six.")]) as server:
        first = command(work, "run", "--model=anthropic", "flood", "--approve", "wait", "--json")
        assert (first.code, first.report["ended"]) == (3, "parked"), first.err
        approved = command(work, "approvals", "approve", first.report["calls"][-1]["approval"])
        assert approved.code == 0, approved.err
        second = command(work, "run", "--model=anthropic", "--continue")
        told = json.dumps(server.requests[-1])
    assert (second.code, second.out) == (0, "Both are done.\n"), second.err
    assert (work / "m.txt").read_text() == "x"
    assert "has ended. It says:" in told, "what came while nobody asked the model is kept for the next process"
    assert "Six." in told


@pytest.mark.parametrize("background", [True, False])
def test_after_a_kill_the_model_hears_what_became_of_its_agent_which_goes_on_when_it_is_told_to(
    work: Path, monkeypatch: pytest.MonkeyPatch, started: Start, background: bool
) -> None:
    message = says("", Use("send_message", {"to": "general-1", "message": "Go on."}))
    main = [says("", task(background=background)), message, says("Six it is.")]
    if background:
        main[1:1] = [says("I wait.")]
        main.append(says("So it is."))
    ebb = [says("I look.", Use("list_directory", {})), says("I wait.", WAITS)]
    with playing(monkeypatch, flood=main, ebb=ebb) as server:
        child = started("flood", "--policy", str(TAKES_SLEEP))
        until(child, "executing", "shell")
        os.killpg(child.pid, 9)
        child.communicate(timeout=60)
        server.plays("ebb", [ebb[0], says("It is six.")])
        done = command(work, "run", "--model=anthropic", "--continue", "Go on.", "--policy", str(TAKES_SLEEP))
        requests = [json.dumps(request["messages"]) for request in server.requests]
    assert done.code == 0, done.err
    told = next(request for request in requests if "was at work when the program ended" in request)
    assert "general-1 (the tide)" in told
    assert "These calls of it had ended: list_directory (1)" in told
    assert "The last it said: I look." in told
    (gone_on,) = [request for request in requests if "ended while you worked" in request]
    assert "I look." in gone_on, "it remembers what it did"
    assert "It is six." in requests[-1]
    assert requests[-1].count("was at work when the program ended") == 1, "it is told once"
