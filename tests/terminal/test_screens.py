"""The terminal in a real one, with a scripted model: what a person sees, and what comes of what they type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from screen import Screen

CTRL_C, CTRL_D, CTRL_O, ESCAPE, SHIFT_TAB, UP = "\x03", "\x04", "\x0f", "\x1b", "\x1b[Z", "\x1b[A"
READY = "   scripted"
KEYS = "s  no, and stop"

Opened = Callable[..., Screen]


def test_a_session_with_approvals(opened: Opened, project: Path) -> None:
    with opened("approvals") as screen:
        screen.until(READY)
        screen.type("make it two\r")
        screen.until(KEYS)
        screen.shows("approvals-1-edit")
        screen.type("y")
        screen.until("What is asked about: rm -rf build")
        screen.until(KEYS)
        screen.shows("approvals-2-command")
        screen.type("n")
        screen.until("why not")
        screen.type("keep it\r")
        screen.until("Both are done.")
        screen.shows("approvals-3-done")
        screen.type(CTRL_D)
        assert screen.end() == 0
        screen.shows("approvals-4-left")
    assert (project / "a.txt").read_text() == "one\n2\n"
    assert (project / "build").is_dir()


def test_several_that_wait_are_listed_and_asked_one_after_the_other(opened: Opened, project: Path) -> None:
    with opened("two") as screen:
        screen.until(READY)
        screen.type("do both\r")
        screen.until("waits for you  shell")
        screen.until(KEYS)
        screen.shows("waiting-1-two")
        screen.type("n")
        screen.until("why not")
        screen.type("\r")
        screen.until("What is asked about: rm -rf build")
        screen.until(KEYS)
        screen.type("s")
        screen.until("Interrupted.")
    assert (project / "a.txt").read_text() == "one\ntwo\n"
    assert (project / "build").is_dir()


def test_an_always_answers_the_next_of_its_kind(opened: Opened, project: Path) -> None:
    with opened("approvals") as screen:
        screen.until(READY)
        screen.type("make it two\r")
        screen.until(KEYS)
        screen.type("1")
        screen.until("→ yes, and always: writing a.txt by edit_file in this session")
        screen.until("What is asked about")
        screen.until(KEYS)
        screen.type("s")
        screen.until("Interrupted.")
        screen.type("/approvals\r")
        screen.until("writing a.txt by edit_file")
        screen.until("No questions are open.")


def test_arguments_are_edited_in_place_and_asked_about_again(opened: Opened, project: Path) -> None:
    with opened("edit") as screen:
        screen.until(READY)
        screen.type("write\r")
        screen.until(KEYS)
        screen.type("e")
        screen.until('"file_path": "b.txt"')
        screen.shows("edit-1-arguments")
        screen.type("\x1b[B\x05")  # down, to the end of the line
        screen.type("\x7f" * 8 + "3,\r")
        screen.until("file_path: ")
        screen.shows("edit-2-problem")
        screen.type("\x7f" * 2 + '"c.txt",\r')
        screen.until("+++ b/c.txt")
        screen.until(KEYS)
        screen.shows("edit-3-asked-again")
        screen.type("y")
        screen.until("Written.")
    assert (project / "c.txt").read_text() == "x"
    assert not (project / "b.txt").exists()


def test_an_interrupt_in_mid_command_answers_everything_and_the_next_turn_works(opened: Opened, project: Path) -> None:
    with opened("waits") as screen:
        screen.until(READY)
        screen.type("go\r")
        screen.until(KEYS)
        screen.type("y")
        screen.until("│ begun")
        screen.shows("interrupt-1-running")
        screen.type(CTRL_C)
        screen.until("Interrupted.")
        screen.until_gone("Ctrl-C again leaves")
        screen.shows("interrupt-2-interrupted")
        screen.type("again\r")
        screen.until("Never said.")
        screen.type(CTRL_C)
        screen.until("Ctrl-C again leaves")
        screen.type(CTRL_C)
        assert screen.end() == 0


def test_a_smaller_and_a_wider_window_show_the_same_again(opened: Opened) -> None:
    with opened("edit") as screen:
        screen.until(READY)
        screen.type("write\r")
        screen.until(KEYS)
        screen.resize(60, 30)
        screen.type("n")
        screen.until("why not")
        screen.resize(100, 40)
        screen.type("later\r")
        screen.until("Written.")
        assert "→ no: later" in screen.text


def test_a_paste_of_ten_thousand_lines_stands_there_in_a_few_words_and_is_sent_whole(opened: Opened) -> None:
    with opened("talk") as screen:
        screen.until(READY)
        screen.type("look at this: ")
        screen.paste("\n".join(f"line {number}" for number in range(10_000)))
        screen.until("[paste 1: 10,000 lines]")
        screen.shows("paste-1-typed")
        screen.type(" please\r")
        screen.until("You said 10,000 lines, from 'look at this: line 0' to 'line 9999 please'.")


def test_a_short_paste_of_several_lines_is_not_sent_before_enter(opened: Opened) -> None:
    with opened("talk") as screen:
        screen.until(READY)
        screen.paste("one\ntwo\nthree")
        screen.until("three")
        assert "You said" not in screen.text
        screen.type("\r")
        screen.until("You said 3 lines, from 'one' to 'three'.")


def test_what_was_typed_comes_back_with_the_arrow_keys(opened: Opened) -> None:
    with opened("talk") as screen:
        screen.until(READY)
        screen.type("first\x0asecond\r")
        screen.until("You said 2 lines")
        screen.type(UP)
        screen.until("> first\n  second\n")
        screen.type(" line\r")
        screen.until("to 'second line'")


def test_forty_columns_are_enough(opened: Opened) -> None:
    with opened("approvals", columns=40, rows=44) as screen:
        screen.until(READY)
        screen.type("make it two\r")
        screen.until(KEYS)
        screen.shows("narrow-1-edit")
        screen.type("y")
        screen.until("rm -rf build")
        screen.until(KEYS)
        screen.type("s")
        screen.until("Interrupted.")
        screen.type("/help\r")
        screen.until("Ctrl-D")
        screen.shows("narrow-2-help")


def test_no_color_means_no_colour_and_colour_is_used_without_it(opened: Opened) -> None:
    seen = []
    for no_colour in ("1", None):
        with opened("approvals", NO_COLOR=no_colour) as screen:
            screen.until(READY)
            screen.type("make it two\r")
            screen.until(KEYS)
            seen.append(screen.colours)
            screen.type(CTRL_D)
            screen.end()
    assert seen[0] == {"default"}
    assert {"green", "red"} <= seen[1]


def test_keys_typed_before_a_question_appeared_do_not_answer_it(opened: Opened, project: Path) -> None:
    with opened("asks_late") as screen:
        screen.until(READY)
        screen.type("go\r")
        screen.until("until [ -e go ]")
        screen.type("yyyy")
        screen.until("> yyyy")
        (project / "go").touch()
        screen.type("y")
        screen.until(KEYS)
        screen.shows("type-ahead-1-not-answered")
        assert (project / "a.txt").read_text() == "one\ntwo\n"
        screen.type("n")
        screen.until("why not")
        screen.type("\r")
        screen.until("Over.")
        screen.until("> yyyyy")
    assert (project / "a.txt").read_text() == "one\ntwo\n"


def test_questions_are_answered_by_a_key_by_several_and_in_words(opened: Opened) -> None:
    with opened("questions") as screen:
        screen.until(READY)
        screen.type("ask me\r")
        screen.until("in your own words")
        screen.shows("questions-1-one-of")
        screen.type("1")
        screen.until("→ SQLite")
        screen.until("[ ] A")
        screen.type("2")
        screen.until("[x] B")
        screen.shows("questions-2-several")
        screen.type("y")
        screen.until('→ ["B"]')
        screen.until("your answer")
        screen.type("because\r")
        screen.until("→ because")
        screen.until("Thanks.")
        screen.shows("questions-3-done")


def test_a_plan_is_shown_and_approved_with_the_mode_to_go_on_in(opened: Opened) -> None:
    with opened("plan") as screen:
        screen.until(READY)
        screen.type("plan it\r")
        screen.until(KEYS)
        screen.shows("plan-1-asked")
        screen.type("2")
        screen.until("On to it.")
        screen.until("accept-edits   scripted")


def test_the_calls_of_a_subagent_stand_below_its_own(opened: Opened, project: Path) -> None:
    with opened("helper") as screen:
        screen.until(READY)
        screen.type("find it\r")
        screen.until("│ begun")
        screen.shows("helper-1-running")
        (project / "go").touch()
        screen.until("My helper found it.")
        screen.shows("helper-2-done")


def test_the_model_hears_of_a_helper_in_the_background_as_soon_as_it_reports(opened: Opened, project: Path) -> None:
    with opened("reporter") as screen:
        screen.until(READY)
        screen.type("find it\r")
        screen.until("I wait for it.")
        screen.until("│ begun")
        (project / "go").touch()
        screen.until("explore-1 reports:")
        screen.until("My helper found it.")


def test_shift_tab_goes_through_the_modes_and_the_line_below_tells(opened: Opened, project: Path) -> None:
    with opened("edit") as screen:
        screen.until(READY)
        screen.type(SHIFT_TAB)
        screen.until("accept-edits   /help   scripted")
        screen.type("write\r")
        screen.until("Written.")
        screen.type(SHIFT_TAB)
        screen.until("plan   scripted")
        screen.type(SHIFT_TAB)
        screen.until("default   scripted")
    assert (project / "b.txt").read_text() == "x"


def test_commands_are_completed_and_carried_out(opened: Opened) -> None:
    with opened("edit") as screen:
        screen.until(READY)
        screen.type("/c")
        screen.until("/compact")
        screen.shows("commands-1-completions")
        screen.type("os\t\r")
        screen.until("wrote 0; 0 responses.")
        screen.type("/model other\r")
        screen.until("default   /help   other")
        screen.type("/nonsense\r")
        screen.until("! there is no command /nonsense")
        for command, told in (
            ("/mode", "The modes are"),
            ("/mode plan", "plan   /help   other"),
            ("/policy", "Mode plan. No rules."),
            ("/mcp", "No servers, folders or commands give tools here"),
            ("/agents", "No subagents."),
            ("/sessions", "This one is SESSION."),
            ("/clear", "The conversation is forgotten"),
            ("/compact", "There is nothing to gain yet."),
            ("/tools", "Hidden:"),
        ):
            screen.type(f"{command}\r")
            screen.until(told)
        screen.type("/quit\r")
        assert screen.end() == 0


def test_details_unfold_while_a_call_runs_and_after_it(opened: Opened, project: Path) -> None:
    with opened("waits") as screen:
        screen.until(READY)
        screen.type("go\r")
        screen.until(KEYS)
        screen.type("y")
        screen.until("│ begun")
        (project / "go").touch()
        screen.until("Never said.")
        screen.type(CTRL_O)
        screen.until("allow (person:terminal)")
        screen.until("one\n")


def test_nothing_that_a_model_or_a_file_says_is_obeyed_by_the_terminal(opened: Opened) -> None:
    with opened("evil") as screen:
        screen.until(READY)
        screen.type("go\r")
        screen.until(KEYS)
        assert "\\x1b[2J\\x1b]0;pwned\\x07Hello\\x9b31m." in screen.text
        assert "\\x1b[8mb.txt" in screen.text
        for sequence in ("\x1b[2J", "\x1b]0;", "\x07", "\x9b", "\x1b[8m"):
            assert sequence not in screen.raw


def test_plain_asks_by_lines_and_sends_no_sequence_at_all(opened: Opened, project: Path) -> None:
    with opened("approvals", "plain") as screen:
        screen.until("   scripted]\n>")
        screen.type("make it two\r")
        screen.until("y/1/2/3/e/n/s:")
        screen.shows("plain-1-edit")
        screen.type("perhaps\r")
        screen.until("Type one of y/1/2/3/e/n/s, and Enter.")
        screen.type("y\r")
        screen.until("What is asked about: rm -rf build")
        screen.until("y/1/2/3/e/n/s:")
        screen.type("n\r")
        screen.until("why not")
        screen.type("keep it\r")
        screen.until("Both are **done**.")
        screen.until("# tokens]\n>")
        screen.type(CTRL_D)
        assert screen.end() == 0
    assert "\x1b" not in screen.raw
    assert "\r" not in screen.raw.replace("\r\n", "")
    assert (project / "a.txt").read_text() == "one\n2\n"
    assert (project / "build").is_dir()


def test_plain_takes_a_paste_of_many_lines_as_one_message(opened: Opened) -> None:
    with opened("talk", "plain") as screen:
        screen.until("   scripted]\n>")
        screen.type("one\ntwo\nthree\n")
        screen.until("You said 3 lines, from 'one' to 'three'.")


def test_plain_is_interrupted_and_goes_on(opened: Opened, project: Path) -> None:
    with opened("waits", "plain") as screen:
        screen.until("   scripted]\n>")
        screen.type("go\r")
        screen.until("y/1")
        screen.type("y\r")
        screen.until("running: shell")
        screen.type(CTRL_C)
        screen.until("Interrupted.")
        screen.until("# tokens]\n>")
        screen.type("again\r")
        screen.until("Never said.")
        screen.type(CTRL_D)
        assert screen.end() == 0


def test_a_dumb_terminal_is_plain_unasked(opened: Opened) -> None:
    with opened("talk", TERM="dumb") as screen:
        screen.until("   scripted]\n>")
        screen.type("hello\r")
        screen.until("You said 1 lines")
    assert "\x1b" not in screen.raw


def test_whoever_leaves_is_told_what_ended_with_it(opened: Opened) -> None:
    with opened("job") as screen:
        screen.until(READY)
        screen.type("go\r")
        screen.until("It runs.")
        screen.type(CTRL_D)
        assert screen.end() == 0
        assert "still ran at the session's end" in screen.text
    with opened("waits") as screen:
        screen.until(READY)
        screen.type("go\r")
        screen.until(KEYS)
        screen.type(CTRL_D)
        assert screen.end() == 0
        assert "■ shell" in screen.text


def test_what_was_typed_is_kept_for_this_user_alone(opened: Opened, tmp_path: Path) -> None:
    with opened("talk") as screen:
        screen.until(READY)
        screen.type("remember me\r")
        screen.until("You said 1 lines")
    history = tmp_path / "state" / "prompt_history"
    assert "remember me" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0
