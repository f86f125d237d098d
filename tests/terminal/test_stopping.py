"""What a person stops that is no turn of the agent: a command that waits for a model, and what works behind it."""

from __future__ import annotations

from pathlib import Path

import pytest
from scenes import CTRL_C, KEYS, PLAIN_KEYS, PLAIN_READY, READY, Opened


def test_a_command_that_waits_for_the_model_is_interrupted_and_the_next_turn_works(opened: Opened) -> None:
    with opened("sums_up") as screen:
        for number in range(3):
            screen.until(READY)
            screen.type("say much\r")
            screen.until(f"End {number}.")
        screen.until(READY)
        screen.type("/compact\r")
        screen.until("> /compact\n")
        screen.until("Ctrl-C interrupts")
        screen.type(CTRL_C)
        screen.until("! Interrupted.")
        screen.until_gone("Ctrl-C interrupts")
        screen.type("go on\r")
        screen.until("On with it.")


@pytest.mark.parametrize(
    ("more", "ready", "keys", "enter"), [((), READY, KEYS, ""), (("plain",), PLAIN_READY, PLAIN_KEYS, "\n")]
)
def test_a_no_that_stops_also_stops_what_asks_in_the_background(
    opened: Opened, project: Path, more: tuple[str, ...], ready: str, keys: str, enter: str
) -> None:
    with opened("asks_behind", *more) as screen:
        screen.until(ready)
        screen.type("change it" + (enter or "\r"))
        screen.until("I wait for it.")
        screen.until(keys)
        screen.type(f"s{enter}")
        screen.until("My helper was stopped.")
    assert (project / "a.txt").read_text() == "one\ntwo\n"
