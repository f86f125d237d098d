"""`handrail` in a project folder, against local servers that speak a provider's wire: the whole way."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from screen import Screen

from e2e.command import environment
from handrail.wire import Wire
from servers.provider_server import DIALECTS, ProviderServer
from servers.script import Use, says

MODELS = {
    Wire.ANTHROPIC: ("anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", ""),
    Wire.OPENAI_CHAT: ("openai-chat", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1"),
    Wire.OPENAI_RESPONSES: ("openai", "OPENAI_API_KEY", "OPENAI_BASE_URL", "/v1"),
    Wire.GEMINI: ("google", "GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL", ""),
}
CTRL_D = "\x04"
KEYS = "s  no, and stop"
SCRIPT = (
    says("I look.", Use("read_file", {"file_path": "tide.txt"}), thinking="Where?"),
    says(
        "It is **late**.",
        Use("edit_file", {"file_path": "tide.txt", "old_string": "06:12", "new_string": "06:13"}),
        Use("glob", {"pattern": "*.txt"}),
    ),
    says("High water is at 06:13."),
)

Started = Callable[..., Screen]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "tide.txt").write_text("Brest 06:12\n")
    return folder


@pytest.fixture
def started(work: Path) -> Started:
    def started(server: ProviderServer, wire: Wire, *options: str) -> Screen:
        name, key, address, path = MODELS[wire]
        env = {**environment(work.parent / "state"), "TERM": "xterm-256color", key: "none", address: server.url + path}
        return Screen("-m", "handrail", "--model", name, *options, env=env, cwd=work)

    return started


@pytest.mark.parametrize("wire", MODELS)
def test_find_edit_and_confirm_over_http(work: Path, started: Started, wire: Wire) -> None:
    with ProviderServer(DIALECTS[wire](), SCRIPT) as server, started(server, wire) as screen:
        screen.until("default   ")
        screen.type("When is high water?\r")
        screen.until("I look.")
        screen.until("+Brest 06:13")
        screen.until(KEYS)
        screen.type("y")
        screen.until("High water is at 06:13.")
        screen.type(CTRL_D)
        assert screen.end() == 0
    assert server.wrong == []
    assert (work / "tide.txt").read_text() == "Brest 06:13\n"


def test_a_conversation_goes_on_in_another_process_with_the_question_that_was_open(
    work: Path, started: Started
) -> None:
    wire = Wire.ANTHROPIC
    with ProviderServer(DIALECTS[wire](), SCRIPT) as server:
        with started(server, wire) as screen:
            screen.until("default   ")
            screen.type("When is high water?\r")
            screen.until(KEYS)
            screen.kill()
        with started(server, wire, "--continue") as screen:
            screen.until("Going on with session SESSION.")
            screen.until("> When is high water?\n  I look.\n")
            screen.until("+Brest 06:13")
            screen.until(KEYS)
            screen.type("y")
            screen.until("High water is at 06:13.")
            screen.type(CTRL_D)
            assert screen.end() == 0
    assert server.wrong == []
    assert (work / "tide.txt").read_text() == "Brest 06:13\n"


def test_a_conversation_that_goes_on_shows_its_last_words_and_how_full_the_window_is(
    work: Path, started: Started
) -> None:
    wire = Wire.ANTHROPIC
    with ProviderServer(DIALECTS[wire](), SCRIPT) as server:
        with started(server, wire) as screen:
            screen.until("default   ")
            screen.type("When is high water?\r")
            screen.until(KEYS)
            screen.type("y")
            screen.until("High water is at 06:13.")
            screen.type(CTRL_D)
            assert screen.end() == 0
        with started(server, wire, "--continue") as screen:
            screen.until("Its conversation takes about")
            screen.shows("resumed-1-left")
            screen.type(CTRL_D)
            assert screen.end() == 0


def test_what_is_to_be_typed_next_names_the_folder_where_the_person_is_in_another(work: Path, started: Started) -> None:
    wire, folder = Wire.ANTHROPIC, work / "the harbour"
    folder.mkdir()
    with ProviderServer(DIALECTS[wire](), ()) as server, started(server, wire, "-C", folder.name) as screen:
        screen.until("default   ")
        screen.type("/sessions\r")
        screen.until("This one is")
        screen.type(CTRL_D)
        assert screen.end() == 0
    assert screen.raw.rstrip().endswith(f" -C {shlex.quote(str(folder))}")


def test_a_tool_has_one_name_wherever_a_person_reads_it(work: Path, started: Started) -> None:
    wire = Wire.ANTHROPIC
    remove = Use("Bash", {"command": "rm tide.txt"})
    turns = (says("I look.", Use("Read", {"file_path": "tide.txt"})), says("It is old.", remove), says("Done."))
    with ProviderServer(DIALECTS[wire](), turns) as server, started(server, wire) as screen:
        screen.until("default   ")
        screen.type("Is it old?\r")
        screen.until("✓ read_file  Read tide.txt")
        screen.until(KEYS)
        screen.type("y")
        screen.until("✓ shell  rm tide.txt")
        screen.until("Done.")
        screen.type(CTRL_D)
        assert screen.end() == 0
        assert "Bash" not in screen.raw


def test_a_model_that_can_not_be_reached_is_told_in_a_line_and_the_prompt_is_there_again(
    work: Path, started: Started
) -> None:
    wire = Wire.ANTHROPIC
    with ProviderServer(DIALECTS[wire](), SCRIPT) as server:
        pass  # nobody listens there any more
    with started(server, wire) as screen:
        screen.until("default   ")
        screen.type("hello\r")
        screen.until("! Stopped (failed). http://127.0.0.1:")
        screen.until("is the server running")
        screen.until("\n>\n")
        screen.type(CTRL_D)
        assert screen.end() == 0


def test_without_any_model_there_is_a_page_with_the_ways_to_one_and_no_prompt(work: Path) -> None:
    env = {**environment(work.parent / "state"), "TERM": "xterm-256color"}
    env = {name: value for name, value in env.items() if not name.endswith("_API_KEY")}
    with Screen("-m", "handrail", env=env, cwd=work) as screen:
        assert screen.end() == 2
        assert "handrail demo" in screen.text


def test_a_mode_that_is_given_is_the_one_it_starts_in(work: Path, started: Started) -> None:
    wire = Wire.ANTHROPIC
    with ProviderServer(DIALECTS[wire](), SCRIPT) as server, started(server, wire, "--mode", "accept-edits") as screen:
        screen.until("accept-edits   ")
        screen.type("When is high water?\r")
        screen.until("High water is at 06:13.")
    assert (work / "tide.txt").read_text() == "Brest 06:13\n"
