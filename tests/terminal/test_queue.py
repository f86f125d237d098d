"""What a person types while the agent works, or before there is a prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from scenes import CTRL_C, CTRL_U, ESCAPE, KEYS, READY, UP, Opened
from screen import Screen

from handrail.surfaces.terminal.layout import queued_lines


@pytest.fixture
def working(opened: Opened, project: Path) -> Callable[..., Screen]:
    """A screen with an agent that works until `go` is there."""

    def working(**size: int) -> Screen:
        screen = opened("works", **size)
        screen.until(READY)
        screen.type("go\r")
        screen.until("│ begun")
        return screen

    return working


def test_what_is_typed_meanwhile_is_shown_and_heard_when_the_call_has_ended_up_to_the_first_command(
    working, project: Path
) -> None:
    with working() as screen:
        screen.type("first\r")
        screen.until("queued: first")
        screen.type("second\x0aand more\r/mode plan\r")
        screen.type("/clear\rthird\r")
        screen.until("queued: third")
        screen.shows("queue-1-waiting")
        (project / "go").touch()
        screen.until("You said 2 lines, from 'second' to 'and more'.")
        screen.until("You said 1 lines, from 'third' to 'third'.")
        screen.shows("queue-2-sent")


def test_up_has_what_is_queued_back_to_be_edited(working, project: Path) -> None:
    with working() as screen:
        screen.type("first\rsecond\r")
        screen.until("queued: second")
        screen.type(UP)
        screen.until("> first\n  second\ndefault")
        assert "queued" not in screen.text
        screen.type(" more\r")
        screen.until("queued: first second more")
        (project / "go").touch()
        screen.until("You said 2 lines, from 'first' to 'second more'.")


def test_escape_drops_what_was_queued_last_and_the_arrow_keys_still_have_it(working, project: Path) -> None:
    with working() as screen:
        screen.type("first\rsecond\r")
        screen.until("queued: second")
        screen.type(ESCAPE)
        screen.until_gone("queued: second")
        screen.type(ESCAPE)
        screen.until_gone("queued: first")
        screen.type(UP)
        screen.until("> second")
        (project / "go").touch()
        screen.until("Done.")
        assert "You said" not in screen.text


def test_escape_interrupts_where_nothing_is_queued_nor_typed(working) -> None:
    with working() as screen:
        screen.type("typing")
        screen.until("> typing")
        screen.type(ESCAPE)
        screen.type(CTRL_U)
        screen.until(">\ndefault   Ctrl-C interrupts")
        screen.type(ESCAPE)
        screen.until("! Interrupted.")
        screen.type("again\r")
        screen.until("You said 1 lines, from 'again' to 'again'.")


def test_an_interrupt_gives_back_what_is_queued_before_what_is_being_typed(working) -> None:
    with working() as screen:
        screen.type("first\r")
        screen.until("queued: first")
        screen.type("and this")
        screen.until("> and this")
        screen.type(CTRL_C)
        screen.until("! Interrupted.")
        screen.until("> first\n  and this\n")
        assert "You said" not in screen.text


def test_a_no_that_stops_gives_it_back_too(opened: Opened, project: Path) -> None:
    with opened("says_and_asks") as screen:
        screen.until(READY)
        screen.type("go\r")
        screen.until("I look")
        screen.type("first\r")
        screen.until("queued: first")
        (project / "go").touch()
        screen.until(KEYS)
        screen.shows("queue-3-asked")
        screen.type("s")
        screen.until("! Interrupted.")
        screen.until("> first\n")


def test_what_was_sent_before_there_was_a_prompt_is_sent(opened: Opened) -> None:
    with opened("talk") as screen:
        screen.type("one\rtwo\r")
        screen.until("You said 2 lines, from 'one' to 'two'.")


@pytest.mark.parametrize(
    ("texts", "lines"),
    [
        ([], []),
        (["a\n\nb"], ["queued: a b"]),
        (["x" * 40], [f"queued: {'x' * 11}…"]),
        (list("abcde"), ["queued: 2 more", "queued: c", "queued: d", "queued: e"]),
        (["\x1b[2J"], ["queued: \\x1b[2J"]),
    ],
)
def test_each_that_is_queued_is_a_line_of_what_it_begins_with(texts: list[str], lines: list[str]) -> None:
    assert queued_lines(texts, 20) == lines
