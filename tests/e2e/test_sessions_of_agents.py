"""`handrail sessions list` says what each agent was for and how that ended; `--resume` lets one be chosen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from command import Ran, environment, neutral
from loaded import Loaded

from e2e.terminal import Terminal
from servers.anthropic_dialect import AnthropicDialect
from servers.provider_server import ProviderServer
from servers.script import Use, says

WRITES = says("", Use("write_file", {"file_path": "n.txt", "content": "six\n"}))


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ProviderServer]:
    with ProviderServer(AnthropicDialect(), [WRITES, says("Done."), says("And more."), says("Even more.")]) as server:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        yield server


@pytest.fixture
def command(loaded: Loaded):
    def command(work: Path, *arguments: str, stdin: str = "") -> Ran:
        return loaded.handrail(*arguments, state=work.parent / "state", cwd=work, stdin=stdin)

    return command


@pytest.fixture
def run(command):
    def run(work: Path, *arguments: str) -> Ran:
        return command(work, "run", "--model=anthropic", *arguments)

    return run


@pytest.fixture
def listed(command):
    def listed(work: Path) -> list[str]:
        return command(work, "sessions", "list").out.splitlines()

    return listed


def test_sessions_are_listed_with_their_task_and_how_it_ended(
    work: Path, server: ProviderServer, command, run, listed
) -> None:
    assert run(work, "Write down\nthe tide", "--approve", "all").code == 0
    assert run(work, "Ask first " + "and again " * 20, "--approve", "wait").code == 3
    assert run(work, "Only a little", "--max-turns", "1").code == 4
    done, waits, limited = listed(work)
    assert "  done  " in done
    assert done.endswith("Write down the tide")
    assert "1 call " in done
    assert "  1 waiting for approval  " in waits
    assert waits.endswith("…")
    assert "  stopped at the limit of turns  " in limited
    report = command(work, "sessions", "list", "--json").report["sessions"]
    assert [session["standing"] for session in report] == [
        "done",
        "1 waiting for approval",
        "stopped at the limit of turns",
    ]
    assert report[0]["work"]["task"] == "Write down the tide"
    assert report[0]["work"]["tokens"] > 0


def test_a_run_that_failed_is_listed_as_failed_and_shown_with_the_cause(
    work: Path, server: ProviderServer, command, run, listed
) -> None:
    server.script.clear()  # every request is answered with status 400
    failed = run(work, "Write down the tide")
    assert failed.code == 5
    (line,) = listed(work)
    assert "  failed  " in line
    shown = command(work, "sessions", "show", line.split()[0]).out.splitlines()
    assert shown[0] == "failed: Write down the tide"
    assert "the script is over" in shown[1]


def test_a_session_is_shown_to_programs_as_to_people(
    work: Path, monkeypatch: pytest.MonkeyPatch, command, run, listed
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    monkeypatch.setenv("TIDE_TOKEN", "springtide-0123456789")
    looks = Use("Agent", {"description": "Look around", "prompt": "Look.", "subagent_type": "explore"})
    fails = Use("shell", {"command": "exit 3"})
    script = [says("", looks, fails), says("All done\nwith springtide-0123456789.")]  # the agent says both, too
    with ProviderServer(AnthropicDialect(), script) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        done = run(work, "Write down the tide", "--approve", "all")
    assert done.code == 0, done.err
    (line,) = listed(work)
    shown = command(work, "sessions", "show", line.split()[0]).out.splitlines()
    report = command(work, "sessions", "show", line.split()[0], "--json").report
    (agent,) = report["agents"]
    assert (report["standing"], report["work"]["task"]) == ("done", "Write down the tide")
    assert shown[0] == "done: Write down the tide"
    assert shown[1].endswith(f", {report['work']['tokens']:,} tokens")
    assert f"${report['work']['money']:.4f}"[:5] in shown[1]
    assert shown[2] == f"  agent {agent['id']} (explore), finished: Look around"
    assert (agent["kind"], agent["task"], agent["state"]) == ("explore", "Look around", "finished")
    assert shown[3] == "  said last: All done with [redacted:$TIDE_TOKEN]."
    assert report["last_words"] == "All done\nwith [redacted:$TIDE_TOKEN]."
    assert "exit code 3" in [call["ended"] for call in report["calls"]]
    command(work, "sessions", "prune", "--older-than", "0")
    pruned = command(work, "sessions", "show", line.split()[0], "--json").report
    assert (pruned["work"], pruned["last_words"], pruned["agents"]) == (None, None, [])


def test_a_secret_in_a_task_is_not_listed(
    work: Path, server: ProviderServer, monkeypatch: pytest.MonkeyPatch, command, run, listed
) -> None:
    monkeypatch.setenv("TIDE_TOKEN", "springtide-0123456789")
    run(work, "Log in with springtide-0123456789")
    (line,) = listed(work)
    assert "Log in with" in line
    assert "springtide" not in line
    assert "springtide" not in command(work, "sessions", "list", "--json").out


def test_what_was_spent_adds_up_over_the_processes_and_the_first_task_stays(
    work: Path, server: ProviderServer, command, run
) -> None:
    run(work, "Write down the tide", "--approve", "all")
    first = command(work, "sessions", "list", "--json").report["sessions"][0]["work"]
    run(work, "--continue", "And the next")
    second = command(work, "sessions", "list", "--json").report["sessions"][0]["work"]
    assert second["task"] == "Write down the tide"
    assert second["tokens"] > first["tokens"]
    assert second["money"] > first["money"] > 0


def test_a_session_to_go_on_with_is_chosen_at_the_terminal(work: Path, server: ProviderServer, run) -> None:
    run(work, "The ebb", "--approve", "all")
    run(work, "The flood", "--approve", "all")
    state = environment(work.parent / "state")
    with Terminal("run", "--model=anthropic", "--resume", "--", "More", env=state, cwd=work) as terminal:
        offered = terminal.until("Which one [1]: ")
        assert offered.index("The flood") < offered.index("The ebb"), "the newest is the first"
        terminal.type("7\n")
        terminal.until("Which one [1]: ")
        terminal.type("2\n")
        code, screen = terminal.end()
    assert (code, "And more." in screen) == (0, True), screen
    assert "The ebb" in str(server.requests[-1]["messages"])


@pytest.mark.parametrize("words", [("run", "--resume"), ("--resume",)])
def test_without_a_terminal_it_is_said_how_to_name_a_session(work: Path, words: tuple[str, ...], command) -> None:
    done = command(work, *words)
    assert done.code == 2
    assert "'handrail sessions list' shows" in done.err
    assert "--continue" in done.err


@pytest.mark.parametrize("words", [("run", "--resume"), ("--resume",)])
def test_where_there_is_no_conversation_there_is_nothing_to_choose(work: Path, words: tuple[str, ...], command) -> None:
    command(work, "exec", "-", stdin=neutral(("list_directory", {})))
    with Terminal(*words, env=environment(work.parent / "state"), cwd=work) as terminal:
        code, screen = terminal.end()
    assert code == 2
    assert "there is no conversation here to go on with" in screen
