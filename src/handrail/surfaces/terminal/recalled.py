"""What was said last in a conversation that is taken up again: enough to know where it was left. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from handrail.agent.conversation import CarriedOut, Entry, Told
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.text import dim, printable
from handrail.surfaces.cli.wrapping import wrapped

MOST_SAID = 3
"""Rows of what the person said last: its beginning."""
MOST_ANSWERED = 6
"""Rows of the last answer: its end, where it says what was done and what is left."""
_LONGEST = 2_000
"""Characters of either that are laid out: more than those rows hold."""


def recalled_lines(entries: Sequence[Entry], redactor: Redactor, columns: int, *, colour: bool) -> list[str]:
    """What the person said last, and how the model ended what it said to that; nothing where nobody has spoken."""
    place, said = next(
        ((place, entry.text) for place, entry in reversed(list(enumerate(entries))) if isinstance(entry, Told)), (0, "")
    )
    answers = (entry.response.text for entry in reversed(entries[place:]) if isinstance(entry, CarriedOut))
    answered = next(filter(str.strip, answers), "")
    lines = [*_beginning(redactor.text(said), columns), *_end(redactor.text(answered), columns)]
    return ["", *(dim(line, colour=colour) for line in lines)] if lines else []


def _beginning(text: str, columns: int) -> list[str]:
    """Behind the mark that stands before what is typed."""
    rows = _rows(text.strip()[:_LONGEST], columns)
    more = len(rows) > MOST_SAID or len(text.strip()) > _LONGEST
    marked = [f"{'  ' if number else '> '}{row}" for number, row in enumerate(rows[:MOST_SAID])]
    return [*marked, *(["  …"] if more else [])]


def _end(text: str, columns: int) -> list[str]:
    rows = _rows(text.strip()[-_LONGEST:], columns)
    more = len(rows) > MOST_ANSWERED or len(text.strip()) > _LONGEST
    return [*(["  …"] if more else []), *(f"  {row}" for row in rows[-MOST_ANSWERED:])]


def _rows(text: str, columns: int) -> list[str]:
    """Each fits the screen with two columns before it; empty ones are left out."""
    lines = printable(text.expandtabs(4), keep_lines=True).split("\n")
    return [row for line in lines if line.strip() for row in wrapped(line.rstrip(), columns - 2)]
