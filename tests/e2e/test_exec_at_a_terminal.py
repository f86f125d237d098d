from __future__ import annotations

from pathlib import Path

import pytest

from e2e.command import environment, neutral
from e2e.terminal import Terminal

PROMPT = "[c]ancel the call: "


@pytest.fixture
def at_terminal(tmp_path: Path):
    (tmp_path / "a.txt").write_text("one\ntwo\n")
    source = tmp_path / "response.json"

    def at_terminal(*calls: tuple[str, dict]) -> Terminal:
        source.write_text(neutral(*calls))
        return Terminal("exec", str(source), "-C", str(tmp_path), env=environment(tmp_path / "state"), cwd=tmp_path)

    return at_terminal


EDIT = ("edit_file", {"file_path": "a.txt", "old_string": "two", "new_string": "2"})


def test_a_person_sees_the_change_and_says_yes(at_terminal, tmp_path: Path) -> None:
    with at_terminal(EDIT) as terminal:
        question = terminal.until(PROMPT)
        assert "-two" in question
        assert "+2" in question
        assert "Why this is asked" in question
        terminal.type("y\n")
        code, screen = terminal.end()
    assert code == 0
    assert "person:terminal" in screen
    assert (tmp_path / "a.txt").read_text() == "one\n2\n"


def test_a_no_with_a_reason_is_taken_and_shown(at_terminal, tmp_path: Path) -> None:
    with at_terminal(EDIT) as terminal:
        terminal.until(PROMPT)
        terminal.type("n rename it instead\n")
        code, screen = terminal.end()
    assert code == 0
    assert "rejected" in screen
    assert "deny (person:terminal): rename it instead" in screen
    assert "\x1b" not in screen
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\n"


def test_garbage_is_asked_again_and_edited_arguments_are_decided_again(at_terminal, tmp_path: Path) -> None:
    with at_terminal(("write_file", {"file_path": "b.txt", "content": "x"})) as terminal:
        terminal.until(PROMPT)
        terminal.type("perhaps\n")
        terminal.until("Type y, a and a number, n, e or c.")
        terminal.until(PROMPT)
        terminal.type('e {"file_path": "c.txt", "content": "z"}\n')
        assert "c.txt" in terminal.until(PROMPT)
        terminal.type("y\n")
        code, _ = terminal.end()
    assert code == 0
    assert (tmp_path / "c.txt").read_text() == "z"
    assert not (tmp_path / "b.txt").exists()


def test_an_interrupt_at_the_question_gives_the_call_its_result(at_terminal, tmp_path: Path) -> None:
    with at_terminal(EDIT, ("read_file", {"file_path": "a.txt"})) as terminal:
        terminal.until(PROMPT)
        terminal.type("\x03")
        code, screen = terminal.end()
    assert code == 130
    assert screen.count("cancelled") >= 2
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\n"


def test_keys_typed_before_the_question_do_not_answer_it(at_terminal, tmp_path: Path) -> None:
    with at_terminal(EDIT) as terminal:
        terminal.type("y\n")
        terminal.until(PROMPT)
        terminal.type("n\n")
        code, screen = terminal.end()
    assert code == 0
    assert "rejected" in screen
    assert (tmp_path / "a.txt").read_text() == "one\ntwo\n"
