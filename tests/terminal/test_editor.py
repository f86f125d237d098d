"""What is being typed, in the person's own editor: a real program that has the terminal meanwhile."""

from __future__ import annotations

import shlex
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scenes import CTRL_C, CTRL_G, ESCAPE, KEYS, READY, Opened
from screen import Screen

from handrail.errors import UsageError
from handrail.surfaces.terminal.editor import editor_of

TYPING = "arguments, as JSON:"
REPLACES = "file.write_text(file.read_text().replace('b.txt', 'c.txt'))"

Editor = Callable[[str], str]


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    """The command of an editor that does what a piece of Python says with its `file`."""

    def editor(does: str) -> str:
        program = tmp_path / "my editor.py"
        program.write_text(f"import os, pathlib, sys, time\nfile = pathlib.Path(sys.argv[-1])\n{does}\n")
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(program))} --wait"

    return editor


@pytest.fixture
def asked(opened: Opened) -> Opened:
    """A screen with the arguments of a call that is asked about."""

    def asked(command: str, **env: str | None) -> Screen:
        screen = opened("edit", **{"VISUAL": None, "EDITOR": command, **env})
        screen.until(READY)
        screen.type("write\r")
        screen.until(KEYS)
        screen.type("e")
        screen.until(TYPING)
        return screen

    return asked


def test_arguments_are_edited_in_an_editor_and_asked_about_again(asked: Opened, editor: Editor, project: Path) -> None:
    with asked(editor(f"assert file.suffix == '.json'; {REPLACES}")) as screen:
        screen.type(CTRL_G)
        screen.until('"file_path": "c.txt"')
        screen.shows("editor-1-edited")
        screen.type("\r")
        screen.until("+++ b/c.txt")
        screen.until(KEYS)
        screen.type("y")
        screen.until("Written.")
    assert (project / "c.txt").read_text() == "x"
    assert not (project / "b.txt").exists()


def test_an_editor_that_changes_nothing_leaves_the_arguments_as_they_are(asked, editor, project: Path) -> None:
    with asked(editor("print('nothing to do here')")) as screen:
        screen.type(CTRL_G)
        screen.until("nothing to do here")
        screen.until(TYPING)
        screen.type("\r")
        screen.until("→ yes, with other arguments")
        screen.until(KEYS)
        screen.type("y")
        screen.until("Written.")
    assert (project / "b.txt").read_text() == "x"


@pytest.mark.parametrize(
    ("does", "told"),
    [
        (f"{REPLACES}; sys.exit(3)", "ended with exit code 3, so nothing is changed"),
        (f"{REPLACES}; os.kill(os.getpid(), 9)", "ended by SIGKILL, so nothing is changed"),
        ("file.unlink()", "what the editor left can't be read"),
        ("file.write_bytes(bytes([0xff]))", "what the editor left can't be read"),
    ],
)
def test_an_editor_that_fails_changes_nothing_and_why_is_told(asked, editor, project: Path, does, told) -> None:
    with asked(editor(does)) as screen:
        screen.type(CTRL_G)
        screen.until_said(told)
        screen.until('"file_path": "b.txt"')
        screen.type(ESCAPE)
        screen.until(KEYS)
        screen.type("y")
        screen.until("Written.")
    assert (project / "b.txt").read_text() == "x"


def test_an_editor_that_is_missing_is_told_by_its_name(asked: Opened) -> None:
    with asked("no-such-editor --wait") as screen:
        screen.type(CTRL_G)
        screen.until("$EDITOR is 'no-such-editor', which is not there")
        screen.shows("editor-2-missing")


def test_what_is_no_json_any_more_answers_nothing_and_is_mended_in_the_editor(asked, editor, project: Path) -> None:
    mends = "text = file.read_text(); file.write_text(text + '}' if text.count('}') == 0 else text.replace('}', ''))"
    with asked(editor(mends)) as screen:
        screen.type(CTRL_G)
        screen.until('"content": "x"\n\ndefault')
        screen.type("\r")
        screen.until("this is not JSON")
        screen.type(CTRL_G)
        screen.until('"content": "x"\n\n  }\ndefault')
        screen.type("\r")
        screen.until("→ yes, with other arguments")
        screen.until(KEYS)
        screen.type("y")
        screen.until("Written.")
    assert (project / "b.txt").read_text() == "x"


def test_ctrl_c_is_the_editors_own_key(asked: Opened, editor: Editor, project: Path) -> None:
    waits = "print('in the editor', flush=True)\nwhile not os.path.exists('go'): time.sleep(0.02)"
    with asked(editor(waits)) as screen:
        screen.type(CTRL_G)
        screen.until("in the editor")
        screen.type(CTRL_C)
        screen.until_said("ended by SIGINT, so nothing is changed")
        screen.type(ESCAPE)
        screen.until(KEYS)
        screen.type("y")
        screen.until("Written.")


def test_what_is_said_is_edited_too_with_its_pastes_written_out(opened: Opened, editor: Editor) -> None:
    command = editor("file.write_text(file.read_text().upper())")
    with opened("talk", VISUAL=command, EDITOR="no-such-editor") as screen:
        screen.until(READY)
        screen.type("look: ")
        screen.paste("\n".join(f"line {number}" for number in range(20)))
        screen.until("[paste 1: 20 lines]")
        screen.type(CTRL_G)
        screen.until("LINE 5")
        screen.type("\r")
        screen.until("You said 20 lines, from 'LOOK: LINE 0' to 'LINE 19'.")


def test_a_signal_that_ends_the_terminal_ends_its_editor_too(asked: Opened, editor: Editor, tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    tells = f"import signal\nsignal.signal(15, lambda *_: (open({str(ended)!r}, 'w'), sys.exit(1)))"
    with asked(editor(f"{tells}\nos.kill(os.getppid(), 15)\nwhile True: time.sleep(1)")) as screen:
        screen.type(CTRL_G)
        assert screen.end() == 130
    assert ended.exists()


IN_THE_EDITOR = """
pathlib.Path("go").touch()
journals = pathlib.Path(os.environ["HANDRAIL_STATE"])
def questions():
    with contextlib.closing(sqlite3.connect(next(journals.glob("*.sqlite")))) as journal:
        return journal.execute("SELECT count(*) FROM approvals").fetchone()[0]
while not questions(): time.sleep(0.02)
print("a question is open", flush=True)
while not os.path.exists("read on"): time.sleep(0.02)
time.sleep(1)
file.write_text("My words, and more.")
"""


def test_a_question_that_comes_meanwhile_takes_no_key_of_the_editor_and_leaves_what_was_written(
    opened: Opened, editor: Editor, project: Path
) -> None:
    command = editor(f"import contextlib, sqlite3\n{IN_THE_EDITOR}")
    with opened("asks_late", VISUAL=command) as screen:
        screen.until(READY)
        screen.type("do it\r")
        screen.until("●")
        screen.type(f"My words{CTRL_G}")
        screen.until("a question is open")
        screen.type("y")
        (project / "read on").touch()
        screen.until(KEYS)
        screen.type("n")
        screen.until("why not")
        screen.type("not now\r")
        screen.until("Over.")
        screen.until("> My words, and more.y")
    assert (project / "a.txt").read_text() == "one\ntwo\n"


def program(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_the_first_variable_that_is_set_says_which_editor_it_is_and_then_what_is_usual(tmp_path: Path) -> None:
    vi, mine = program(tmp_path, "vi"), program(tmp_path, "mine")
    path = {"PATH": str(tmp_path)}
    assert editor_of({**path, "VISUAL": "mine -w", "EDITOR": "vi"}) == ["mine", "-w"]
    assert editor_of({**path, "VISUAL": " ", "EDITOR": f"'{mine}'"}) == [mine]
    assert editor_of(path) == [vi]


@pytest.mark.parametrize(
    ("variables", "why"),
    [
        ({}, r"no editor here; set \$VISUAL or \$EDITOR"),
        ({"EDITOR": "gone"}, r"\$EDITOR is 'gone', which is not there"),
        ({"VISUAL": "gone", "EDITOR": "/bin/sh"}, r"\$VISUAL is 'gone'"),
        ({"EDITOR": "'"}, r"\$EDITOR can't be read as a command"),
    ],
)
def test_no_other_editor_takes_the_place_of_one_that_is_missing(tmp_path: Path, variables, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        editor_of({"PATH": str(tmp_path), **variables})
