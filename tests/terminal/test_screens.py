"""The terminal in a real one, with a scripted model: what a person sees, and what comes of what they type."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenes import (
    CTRL_C,
    CTRL_D,
    CTRL_O,
    DELETE,
    DOWN,
    FILES,
    KEYS,
    PLAIN_KEYS,
    PLAIN_READY,
    READY,
    SHIFT_TAB,
    UP,
    Ends,
    Gone,
    Opened,
    Scene,
    Shows,
    files_of,
    go,
    pasted,
    play,
    resized,
)

from handrail.runtime.stored_sessions import stored_sessions
from handrail.settings.places import journal_file

TEN_THOUSAND = "\n".join(f"line {number}" for number in range(10_000))

SCENES = {
    "a session with approvals": Scene(
        "approvals",
        (
            ("make it two\r", KEYS, Shows("approvals-1-edit")),
            ("y", "What is asked about: rm -rf build", KEYS, Shows("approvals-2-command")),
            ("n", "why not"),
            ("keep it\r", "Both are done.", Shows("approvals-3-done")),
            (CTRL_D, Ends(), Shows("approvals-4-left")),
        ),
        {"a.txt": "one\n2\n"},
    ),
    "several that wait are listed and asked one after the other": Scene(
        "two",
        (
            ("do both\r", "waits for you  shell", KEYS, Shows("waiting-1-two")),
            ("n", "why not"),
            ("\r", "What is asked about: rm -rf build", KEYS),
            ("s", "Interrupted."),
        ),
    ),
    "an always answers the next of its kind, and is listed": Scene(
        "approvals",
        (
            ("make it two\r", KEYS),
            ("1", "→ yes, and always: writing a.txt by edit_file in this session", "What is asked about", KEYS),
            ("s", "Interrupted."),
            ("/approvals\r", "writing a.txt by edit_file", "No questions are open."),
        ),
        {"a.txt": "one\n2\n"},
    ),
    "a low window shows how to say no, and takes no key that it does not show": Scene(
        "approvals",
        (
            ("make it two\r", KEYS, Shows("low-1-keys")),
            ("3n", "why not"),
            ("\r", "What is asked about: rm -rf build", KEYS),
            ("s", "Interrupted."),
        ),
        columns=40,
        rows=12,
    ),
    "arguments are edited in place and asked about again": Scene(
        "edit",
        (
            ("write\r", KEYS),
            ("e", '"file_path": "b.txt"', Shows("edit-1-arguments")),
            (f"{DOWN}\x05{DELETE * 8}3,\r", "file_path: ", Shows("edit-2-problem")),
            (f'{DELETE * 2}"c.txt",\r', "+++ b/c.txt", KEYS, Shows("edit-3-asked-again")),
            ("y", "Written."),
        ),
        {"c.txt": "x"},
    ),
    "an interrupt in mid-command answers everything, and the next turn works": Scene(
        "waits",
        (
            ("go\r", KEYS),
            ("y", "│ begun", Shows("interrupt-1-running")),
            (
                CTRL_C,
                "Ctrl-C again leaves",
                "Interrupted.",
                Gone("Ctrl-C again leaves"),
                Shows("interrupt-2-interrupted"),
            ),
            ("again\r", "Never said."),
            (CTRL_C, "Ctrl-C again leaves"),
            (CTRL_C, Ends()),
        ),
    ),
    "a window is made narrower and wider in mid-stream, and while a question stands": Scene(
        "stream",
        (
            ("go\r", "each width\n", Shows("resize-1-before")),
            (resized(40), Shows("resize-2-narrow")),
            (resized(100), Shows("resize-3-wide-again")),
            (go, KEYS, Shows("resize-4-asked")),
            (resized(40), Shows("resize-5-asked-narrow")),
            (resized(100), Shows("resize-6-asked-wide-again")),
            ("n", "why not"),
            (resized(40), Shows("resize-7-typed-narrow")),
            ("later\r", "Over.", "→ no: later"),
        ),
        columns=100,
    ),
    "a paste of ten thousand lines stands there in a few words and is sent whole": Scene(
        "talk",
        (
            ("look at this: ",),
            (pasted(TEN_THOUSAND), "[paste 1: 10,000 lines]", Shows("paste-1-typed")),
            (" please\r", "You said 10,000 lines, from 'look at this: line 0' to 'line 9999 please'."),
        ),
    ),
    "a short paste of several lines is not sent before Enter": Scene(
        "talk",
        (
            (pasted("one\ntwo\nthree"), "> one\n  two\n  three\n"),
            ("\r", "You said 3 lines, from 'one' to 'three'."),
        ),
    ),
    "what was typed comes back with the arrow keys": Scene(
        "talk",
        (
            ("first\x0asecond\r", "You said 2 lines"),
            (UP, "> first\n  second\n"),
            (" line\r", "to 'second line'"),
        ),
    ),
    "forty columns are enough": Scene(
        "approvals",
        (
            ("make it two\r", KEYS, Shows("narrow-1-edit")),
            ("y", "rm -rf build", KEYS),
            ("s", "Interrupted."),
            ("/help\r", "Ctrl-D", Shows("narrow-2-help")),
        ),
        {"a.txt": "one\n2\n"},
        columns=40,
        rows=52,
    ),
    "keys typed before a question appeared do not answer it": Scene(
        "asks_late",
        (
            ("go\r", "until [ -e go ]"),
            ("yyyy", "> yyyy"),
            (go,),
            ("y", KEYS, Shows("type-ahead-1-not-answered")),
            ("n", "why not"),
            ("\r", "Over.", "> yyyyy"),
        ),
    ),
    "questions are answered by a key, by several and in words": Scene(
        "questions",
        (
            ("ask me\r", "in your own words", Shows("questions-1-one-of")),
            ("1", "→ SQLite", "[ ] A"),
            ("2", "[x] B", Shows("questions-2-several")),
            ("y", "→ B\n", "your answer"),
            ("because\r", "→ because", "Thanks.", Shows("questions-3-done")),
        ),
    ),
    "a plan is shown and approved with the mode to go on in": Scene(
        "plan",
        (
            ("plan it\r", KEYS, Shows("plan-1-asked")),
            ("2", "On to it.", "accept-edits   scripted"),
        ),
    ),
    "the calls of a subagent stand below its own": Scene(
        "helper",
        (
            ("find it\r", "│ begun", Shows("helper-1-running")),
            (go, "My helper found it.", Shows("helper-2-done")),
        ),
    ),
    "the model hears of a helper in the background as soon as it reports": Scene(
        "reporter",
        (
            ("find it\r", "I wait for it.", "│ begun"),
            (go, "explore-1 reports:", "My helper found it."),
        ),
    ),
    "Shift-Tab goes through the modes, and the line below tells": Scene(
        "edit",
        (
            (SHIFT_TAB, "accept-edits   /help   scripted"),
            ("write\r", "Written."),
            (SHIFT_TAB, "plan   scripted"),
            (SHIFT_TAB, "default   scripted"),
        ),
        {"b.txt": "x"},
    ),
    "a line for the shell goes to no model unless there is a space before it": Scene(
        "talk",
        (
            ("!ls\r", "! there is no shell mode", Shows("shell-1-none")),
            (" !ls\r", "You said 1 lines"),
        ),
    ),
    "commands are completed and carried out": Scene(
        "edit",
        (
            ("/c", "/compact", Shows("commands-1-completions")),
            ("os\t\r", "wrote 0; 0 responses."),
            ("/model other\r", "default   /help   other"),
            ("/nonsense\r", "! there is no command /nonsense; /help lists them"),
            ("/resume\r", "! /resume is no command of the conversation; in your shell: handrail --resume"),
            ("/modl\r", "! there is no command /modl; did you mean /model?"),
            ("/\r", "! there is no command /; /help lists them"),
            ("/nobody:says this\r", "! there is no prompt /nobody:says; /mcp lists them"),
            ("/mode\r", "The modes are"),
            ("/mode nope\r", "! there is no mode 'nope'; the modes are plan, default"),
            ("/MODE plan\r", "plan   /help   other"),
            ("/policy\r", "Mode plan. No rules."),
            ("/mcp\r", "No servers, folders or commands give tools here"),
            ("/agents\r", "No subagents."),
            ("/sessions\r", "This one is SESSION."),
            ("/clear\r", "The conversation is forgotten"),
            ("/compact\r", "There is nothing to gain yet."),
            ("/tools\r", "Hidden:"),
            ("/exit\r", Ends()),
        ),
    ),
    "details unfold while a call runs and after it": Scene(
        "waits",
        (
            ("go\r", KEYS),
            ("y", "│ begun"),
            (go, "Never said."),
            (CTRL_O, "allow (person:terminal)", "one\n"),
        ),
    ),
    "whoever leaves is told what ran still": Scene(
        "job",
        (
            ("go\r", "It runs."),
            (CTRL_D, Ends(), "still ran at the session's end"),
        ),
    ),
    "whoever leaves at a question has stopped its call": Scene(
        "waits",
        (
            ("go\r", KEYS),
            (CTRL_D, Ends(), "■ shell"),
        ),
    ),
}

PLAIN_SCENES = {
    "plain asks by lines": Scene(
        "approvals",
        (
            ("make it two\r", PLAIN_KEYS, Shows("plain-1-edit")),
            ("perhaps\r", "Type one of y/1/2/3/e/n/s, and Enter."),
            ("y\r", "What is asked about: rm -rf build", PLAIN_KEYS),
            ("n\r", "why not"),
            ("keep it\r", "Both are **done**.", "# tokens]\n>"),
            (CTRL_D, Ends()),
        ),
        {"a.txt": "one\n2\n"},
    ),
    "plain takes lines that come at once as one message": Scene(
        "talk",
        (("one\ntwo\nthree\n", "You said 3 lines, from 'one' to 'three'."),),
    ),
    "plain is interrupted and goes on": Scene(
        "waits",
        (
            ("go\r", PLAIN_KEYS),
            ("y\r", "running: shell"),
            (CTRL_C, "Interrupted.", "# tokens]\n>"),
            ("again\r", "Never said."),
            (CTRL_D, Ends()),
        ),
    ),
}


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES)
def test_what_is_typed_has_its_effect_and_no_other(opened: Opened, project: Path, scene: Scene) -> None:
    with opened(scene.script, columns=scene.columns, rows=scene.rows) as screen:
        screen.until(READY)
        play(screen, project, *scene.steps)
    assert files_of(project) == {**FILES, **scene.files}
    assert (project / "build").is_dir()


@pytest.mark.parametrize("scene", PLAIN_SCENES.values(), ids=PLAIN_SCENES)
def test_what_is_typed_has_the_same_effect_without_a_sequence(opened: Opened, project: Path, scene: Scene) -> None:
    with opened(scene.script, "plain") as screen:
        screen.until(PLAIN_READY)
        play(screen, project, *scene.steps)
    assert files_of(project) == {**FILES, **scene.files}
    assert (project / "build").is_dir()
    assert "\x1b" not in screen.raw
    assert "\r" not in screen.raw.replace("\r\n", "")


def test_a_dumb_terminal_is_plain_unasked(opened: Opened, project: Path) -> None:
    with opened("talk", TERM="dumb") as screen:
        screen.until(PLAIN_READY)
        play(screen, project, ("hello\r", "You said 1 lines"))
    assert "\x1b" not in screen.raw


@pytest.mark.parametrize(("no_color", "colours"), [("1", set()), (None, {"green", "red"})])
def test_no_color_means_no_colour_and_colour_is_used_without_it(opened: Opened, project, no_color, colours) -> None:
    with opened("approvals", NO_COLOR=no_color) as screen:
        screen.until(READY)
        play(screen, project, ("make it two\r", KEYS))
        assert colours <= screen.colours
        assert colours or screen.colours == {"default"}


@pytest.mark.parametrize("skin", ["", "plain"])
def test_when_the_terminal_goes_away_every_call_has_its_end(opened: Opened, project, tmp_path, skin: str) -> None:
    with opened("works", *filter(None, [skin])) as screen:
        screen.until(PLAIN_READY if skin else READY)
        play(screen, project, ("go\r", "running:" if skin else "│ begun"))
        assert screen.hang_up() == 130
    (session,) = stored_sessions(journal_file(tmp_path / "state", project))
    assert not session.unfinished


def test_the_part_of_a_command_that_is_asked_about_is_marked(opened: Opened, project: Path) -> None:
    with opened("approvals", NO_COLOR=None) as screen:
        screen.until(READY)
        play(screen, project, ("make it two\r", KEYS), ("n", "why not"), ("\r", "What is asked about", KEYS))
        assert "$ echo ok && \x1b[31mrm -rf build\x1b[0m\r\n" in screen.raw.replace("\r\r\n", "\r\n")


def test_nothing_that_a_model_or_a_file_says_is_obeyed_by_the_terminal(opened: Opened, project: Path) -> None:
    with opened("evil") as screen:
        screen.until(READY)
        play(screen, project, ("go\r", KEYS))
        assert "\\x1b[2J\\x1b]0;pwned\\x07Hello\\x9b31m." in screen.text
        assert "\\x1b[8mb.txt" in screen.text
        for sequence in ("\x1b[2J", "\x1b]0;", "\x07", "\x9b", "\x1b[8m"):
            assert sequence not in screen.raw


def test_what_was_typed_is_kept_for_this_user_alone(opened: Opened, project: Path, tmp_path: Path) -> None:
    with opened("talk") as screen:
        screen.until(READY)
        play(screen, project, ("remember me\r", "You said 1 lines"))
    history = tmp_path / "state" / "prompt_history"
    assert "remember me" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0


def test_where_it_can_not_be_kept_the_terminal_works_without_it(opened: Opened, project: Path, tmp_path: Path) -> None:
    (tmp_path / "state").mkdir(mode=0o700)
    (tmp_path / "state" / "prompt_history").mkdir()
    with opened("talk") as screen:
        screen.until(READY)
        play(screen, project, ("hello\r", "You said 1 lines"), ("/quit\r", Ends(0)))
