"""Which part of what was found a result shows, and how to see the rest. Pure."""

from __future__ import annotations

from handrail.contract.values import value
from handrail.tools.text.counting import counted


@value
class Found:
    """How much there is of what is counted: matching lines, or files."""

    total: int
    thing: str
    """Of one: `matching line`."""
    complete: bool = True
    """False: there is more than that."""

    @property
    def in_words(self) -> str:
        return ("" if self.complete else "more than ") + counted(self.total, self.thing)


def page_note(offset: int, shown: int, found: Found) -> str:
    """Which part of it is shown; empty where that is all."""
    last = offset + shown
    if not shown:
        return f"[There is nothing at offset {offset:,}: it is {found.in_words} in all.]" if found.total else ""
    if last >= found.total and found.complete:
        return f"[{found.thing.capitalize()}s {offset + 1:,}-{last:,} of {found.total:,}: the last.]" if offset else ""
    more = "" if found.complete else "more than "
    which = f"{offset + 1:,}-{last:,} of {more}{found.total:,}"
    return f"[{found.thing.capitalize()}s {which}; offset={last} shows the next. Narrow the search to see fewer.]"
