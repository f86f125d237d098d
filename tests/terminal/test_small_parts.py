"""The small parts of the terminal: pastes, commands, the line at the bottom, sentences that are broken."""

from __future__ import annotations

import pytest

from handrail.surfaces.cli.wrapping import alert, wrapped
from handrail.surfaces.terminal.forms import field_lines
from handrail.surfaces.terminal.pastes import Pastes
from handrail.surfaces.terminal.slash import COMMANDS, WHILE_WORKING, completed, is_for_shell, matching, parsed
from handrail.surfaces.terminal.status import Status, status_line

TEN_THOUSAND = "\n".join(f"line {number}" for number in range(10_000))


def test_a_long_paste_stands_there_in_a_few_words_and_is_sent_whole() -> None:
    pastes = Pastes()
    first, second = pastes.stand_in(TEN_THOUSAND), pastes.stand_in("x" * 5_000)
    assert (first, second) == ("[paste 1: 10,000 lines]", "[paste 2: 5,000 characters]")
    assert pastes.whole(f"look: {first}\nand {second}") == f"look: {TEN_THOUSAND}\nand {'x' * 5_000}"
    assert Pastes.are_in(f"look: {first}")


def test_a_short_paste_stands_there_as_it_is() -> None:
    assert Pastes().stand_in("a\nb") == "a\nb"


def test_what_only_looks_like_a_paste_is_sent_as_it_is_typed() -> None:
    assert Pastes().whole("[paste 1: 10,000 lines]") == "[paste 1: 10,000 lines]"


def test_a_paste_that_quotes_another_is_not_expanded_twice() -> None:
    pastes = Pastes()
    pastes.stand_in(TEN_THOUSAND)
    quoting = "[paste 1: 10,000 lines]" + "x" * 5_000
    assert pastes.whole(pastes.stand_in(quoting)) == quoting


@pytest.mark.parametrize(
    ("text", "names", "tabbed"),
    [
        ("/", list(COMMANDS), "/"),
        ("/mo", ["model", "mode"], "/mode"),
        ("/model", ["model"], "/model "),
        ("/he", ["help"], "/help "),
        ("/c", ["cost", "clear", "compact"], "/c"),
        ("/x", [], "/x"),
        ("/mode p", [], "/mode p"),
        ("text /he", [], "text /he"),
        ("", [], ""),
    ],
)
def test_a_tab_adds_what_there_is_no_doubt_about(text: str, names: list[str], tabbed: str) -> None:
    assert matching(text) == names
    assert completed(text) == tabbed


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("/help", ("help", "")),
        (" /mode  accept-edits ", ("mode", "accept-edits")),
        ("/nonsense", ("nonsense", "")),
        ("/add-dir ../x", ("add-dir", "../x")),
        ("/etc/hosts is wrong", None),
        ("fix /help", None),
        ("/", ("", "")),
        ("/MODE plan", ("mode", "plan")),
        ("//", None),
    ],
)
def test_only_a_word_after_a_slash_is_a_command_and_a_path_is_none(text: str, command) -> None:
    assert parsed(text) == command


def test_what_may_be_done_while_the_agent_works_is_a_command() -> None:
    assert set(COMMANDS) >= WHILE_WORKING


@pytest.mark.parametrize(
    ("text", "is_one"), [("!ls", True), ("! ls", True), (" !ls", False), ("!", False), ("!= is wrong", False)]
)
def test_what_is_a_command_of_the_shell_elsewhere_is_known(text: str, is_one: bool) -> None:
    assert is_for_shell(text) is is_one


FULL = Status("accept-edits", "claude-sonnet-5", 25_000, 200_000, 0.5, "Ctrl-C interrupts")


@pytest.mark.parametrize(
    ("status", "width", "line"),
    [
        (FULL, 120, "accept-edits   Ctrl-C interrupts   claude-sonnet-5   12% of 200k   $0.50"),
        (FULL, 40, "accept-edits   Ctrl-C interrupts   $0.50"),
        (FULL, 5, "accept-edits"),
        (Status("plan"), 80, "plan   no model"),
        (Status("plan", "m\x1b[2J", 999), 80, "plan   m\\x1b[2J   999 tokens"),
        (Status("plan", "m", 0, 1_000_000), 80, "plan   m   0% of 1M"),
        (Status("plan", "m", 1, 1_000_000), 80, "plan   m   under 1% of 1M"),
        (Status("plan", "m", 10_000, 1_000_000), 80, "plan   m   1% of 1M"),
    ],
)
def test_the_mode_is_always_in_the_line_and_the_rest_as_it_fits(status: Status, width: int, line: str) -> None:
    assert status_line(status, width) == line


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("short", ["short"]),
        ("a sentence that is too long for it", ["a sentence that is too", "  long for it"]),
        ("  /cost  tokens, money and time", ["  /cost  tokens, money", "         and time"]),
        ("Read  gives `  12:` in front", ["Read  gives `  12:` in", "      front"]),
        ("漢字漢字漢字漢字漢字", ["漢字漢字漢字漢字漢字"]),
        ("writing 漢字漢字漢字漢字漢字.txt", ["writing 漢字漢字漢字漢", "  字漢字.txt"]),
    ],
)
def test_sentences_are_broken_where_words_end(line: str, lines: list[str]) -> None:
    assert wrapped(line, 22) == lines


@pytest.mark.parametrize(
    ("message", "lines"),
    [
        ("short", ["! short"]),
        ("a sentence that is too long", ["! a sentence that is", "  too long"]),
        ("first\nsecond", ["! first", "  second"]),
        ("moves\x1b[2J", ["! moves\\x1b[2J"]),
        ("", ["! "]),
    ],
)
def test_what_a_person_is_to_know_has_a_mark_and_is_broken_where_words_end(message: str, lines: list[str]) -> None:
    assert alert(message, 22, colour=False) == lines


def test_a_form_is_listed_field_by_field() -> None:
    form = {
        "properties": {
            "name": {"type": "string", "title": "Name"},
            "size": {"enum": ["S", "M"], "description": "How?"},
        },
        "required": ["name"],
    }
    assert field_lines(form) == ["name: string; Name", 'size (may be left out): "S" or "M"; How?']
