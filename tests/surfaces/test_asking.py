"""What a terminal shows of questions and plans, and what a person may type."""

from __future__ import annotations

from pathlib import Path

import pytest

from handrail.contract.confirmation import (
    Answer,
    CancelCall,
    Confirmation,
    EditConfirmation,
    McpConfirmation,
    Once,
    PlanConfirmation,
    Reject,
    Reply,
)
from handrail.contract.confirmation import QuestionConfirmation as Question
from handrail.contract.decision import Decision, FromTool, Outcome
from handrail.surfaces.cli.asking import folded, parsed_verdict
from handrail.surfaces.cli.confirming import shown_lines

MODES = ("default", "accept-edits")
ROOT = Path("/ws")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("y", Once()),
        (" YES ", Once()),
        ("y accept-edits", Reply("accept-edits")),
        ("y bypass", "The modes are default, accept-edits."),
        ("y Accept-Edits", "The modes are default, accept-edits."),
        ("n", Reject()),
        ("no test first", Reject("test first")),
        ("c", CancelCall()),
        ("", "Type y, n or c."),
        ("accept-edits", "Type y, n or c."),
        ("a 1", "Type y, n or c."),
        ('e {"plan": "x"}', "Type y, n or c."),
    ],
)
def test_a_plan_is_answered_by_yes_no_or_a_yes_with_a_mode(line: str, answer: Answer | str) -> None:
    assert parsed_verdict(line, MODES) == answer


def test_where_there_is_no_mode_to_choose_that_is_said() -> None:
    assert parsed_verdict("y default", ()) == "There is no mode to choose: type y alone."


@pytest.mark.parametrize(
    ("asked", "lines"),
    [
        (
            PlanConfirmation("A plan", "1. Cut\x1b[2J\n2. Test", ROOT / ".handrail/plans/s.md", MODES),
            [
                "  1. Cut\\x1b[2J",
                "  2. Test",
                "  (in .handrail/plans/s.md)",
                "  Then go on in mode: default, or accept-edits",
            ],
        ),
        (PlanConfirmation("A plan", "Cut", Path("/elsewhere.md")), ["  Cut", "  (in /elsewhere.md)"]),
        (
            Question("Store", "Which?", ("SQLite", "Postgres"), descriptions=("one file", "")),
            ["  Which?", "  - SQLite: one file", "  - Postgres"],
        ),
        (
            Question("Q", "Which?", ("A", "B"), several=True),
            ["  Which?", "  - A", "  - B", "  (several may be chosen: A, B)"],
        ),
        (Question("Q", "Which?", ("A", "B"), descriptions=("only one",)), ["  Which?", "  - A: only one", "  - B"]),
        (
            McpConfirmation("High water", "tides", "high", {"port": "Île-de-Bréhat", "far": None, "x": "\x1b[2J"}),
            ['  high on tides: {"port": "Île-de-Bréhat", "far": null, "x": "\\u001b[2J"}'],
        ),
    ],
)
def test_a_terminal_shows_all_there_is_to_know_and_to_choose_from(asked: Confirmation, lines: list[str]) -> None:
    why = Decision(Outcome.ASK, FromTool(), "a person is to answer it")
    assert shown_lines("question", asked, why, (), ROOT, colour=False)[1:-1] == lines


def test_sentences_are_broken_where_words_end_and_a_change_stays_as_it_is() -> None:
    change = EditConfirmation("Edit a.txt", ROOT / "a.txt", "a\n", f"{'long ' * 10}\n")
    why = Decision(Outcome.ASK, FromTool(), "a person is to answer it")
    lines = shown_lines("a title of six words here", change, why, (), ROOT, colour=False, columns=24)
    assert lines[:2] == ["a title of six words", "  here"]
    assert lines[-5:] == [f"+{'long ' * 10}", "", "Why this is asked: a", "  person is to answer it", "  (tool)"]


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (80, ["[y]es   [n]o, or 'n REASON'   [c]ancel: "]),
        (39, ["[y]es   [n]o, or 'n REASON'", "[c]ancel: "]),
        (20, ["[y]es", "[n]o, or 'n REASON'", "[c]ancel: "]),
        (5, ["[y]es", "[n]o, or 'n REASON'", "[c]ancel: "]),
    ],
)
def test_keys_stand_whole_on_a_line_as_many_as_fit(columns: int, lines: list[str]) -> None:
    assert folded("[y]es   [n]o, or 'n REASON'   [c]ancel: ", columns) == "\n".join(lines)
