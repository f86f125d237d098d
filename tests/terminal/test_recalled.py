"""What a person sees of a conversation that is taken up again."""

from __future__ import annotations

import pytest

from handrail.agent.conversation import CarriedOut, Entry, Noted, Told
from handrail.settings.redaction import Redactor
from handrail.surfaces.terminal.recalled import recalled_lines
from handrail.wire import Response, Wire

SECRET = "tide-9f8e7d6c5b4a39281706"
WIDE = 40


def said(text: str) -> CarriedOut:
    return CarriedOut(Response(Wire.NEUTRAL, (), ({"role": "assistant", "content": text},), text, ""), ())


CASES: dict[str, tuple[tuple[Entry, ...], list[str]]] = {
    "nothing was said": ((), []),
    "only a note": ((Noted("the mode is plan"),), []),
    "a question and its answer": ((Told("When?"), said("At six.")), ["", "> When?", "  At six."]),
    "the last of each, notes aside": (
        (Told("old"), said("older"), Told("new"), said("first"), said("last"), said(""), Noted("x")),
        ["", "> new", "  last"],
    ),
    "an answer to what was said before is none to the last": (
        (Told("When?"), said("At six."), Told("Sure?")),
        ["", "> Sure?"],
    ),
    "the beginning of what was said, and the end of the answer": (
        (Told("1\n2\n3\n4"), said("\n".join("abcdefgh"))),
        ["", "> 1", "  2", "  3", "  …", "  …", "  c", "  d", "  e", "  f", "  g", "  h"],
    ),
    "long lines are broken where words end": (
        (Told("a sentence that is too long for the screen"),),
        ["", "> a sentence that is too long for the", "    screen"],
    ),
    "nothing that a terminal obeys, and no secret": (
        (Told(f"use {SECRET}"), said("\x1b[2Jdone\n\n\ttwo")),
        ["", "> use [redacted:$TIDE_TOKEN]", "  \\x1b[2Jdone", "      two"],
    ),
}


@pytest.mark.parametrize(("entries", "lines"), CASES.values(), ids=CASES)
def test_the_last_words_of_both_are_shown(entries: tuple[Entry, ...], lines: list[str]) -> None:
    assert recalled_lines(entries, Redactor({"TIDE_TOKEN": SECRET}), WIDE, colour=False) == lines


def test_they_are_few_however_much_was_said() -> None:
    entries = (Told("word " * 100_000), said("x" * 1_000_000))
    lines = recalled_lines(entries, Redactor({}), WIDE, colour=False)
    assert len(lines) == 1 + 4 + 7
    assert max(map(len, lines)) <= WIDE


def test_they_are_dimmed_where_there_are_colours() -> None:
    assert recalled_lines((Told("When?"),), Redactor({}), WIDE, colour=True) == ["", "\x1b[2m> When?\x1b[0m"]
