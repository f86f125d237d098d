"""One word of a shell command, and what is known of its value before the shell sees it."""

from __future__ import annotations

import posixpath
import re
from enum import StrEnum

from handrail.contract.values import value

_MAY_START_WITH_A_DASH = re.compile(r"['\"]*(?:[-$`<>*?\[{]|\\$)")
"""How a word is written whose first character is a dash or is not known."""


class Known(StrEnum):
    """How much of a word's value is known."""

    LITERAL = "literal"
    """All of it, from the text alone."""
    EXPANDED = "expanded"
    """All of it, given the home and working folders and the variables set before, or braces written out."""
    GLOB = "glob"
    """A pattern for names of files."""
    UNKNOWN = "unknown"
    """It depends on variables or on what commands print."""


class Holds(StrEnum):
    """What an unknown part may hold, from the most harmless on."""

    NUMBER = "number"
    """Digits: `$?`, `$#`, `${#x}`, a counter."""
    PIPE = "pipe"
    """The name of a pipe to or from a command of the same text: `<(…)`."""
    NAME = "name"
    """A name of a file that a search lists, which starts with the folder that is searched."""
    LISTED = "listed"
    """A name of a file that another command of the same text lists."""
    PRINTED = "printed"
    """What commands of the same text print, or were given."""
    ANYTHING = "anything"
    """What a variable of the environment holds."""


_BY_HARM = tuple(Holds)


def worst(*holds: Holds) -> Holds:
    return max(holds, key=_BY_HARM.index)


@value
class Word:
    """A word with its quotes removed."""

    text: str
    """Its value. Of a glob the pattern; of an unknown word what is left when the unknown parts are empty."""
    known: Known = Known.LITERAL
    source: str = ""
    """As written, where that differs from the value."""
    holds: Holds = Holds.ANYTHING
    """Of an unknown word: what it may hold."""
    whole: bool = True
    """It stays one word whatever it holds; else the shell may make none or several of it."""
    numbered: str = ""
    """Of a word of which only digits are not known: a pattern for names of files, with `*` for each number."""

    @property
    def value(self) -> str | None:
        """The value where it is known."""
        return self.text if self.known in (Known.LITERAL, Known.EXPANDED) else None

    @property
    def written(self) -> str:
        return self.source or self.text

    @property
    def program(self) -> str:
        """The name of the program that this word would start; empty when it can't be known."""
        return posixpath.basename(self.text) if self.value is not None else ""

    @property
    def programs(self) -> frozenset[str]:
        """The names by which a deny may know that program: on some file systems `RM` is `rm`, and `git.exe` is git."""
        return frozenset((self.program, self.program.lower().removesuffix(".exe")))

    @property
    def may_be_flag(self) -> bool:
        """True where it is not known and may come to a word with a dash, or to several words."""
        if self.value is not None:
            return False
        if self.known is Known.UNKNOWN and self.holds in (Holds.NUMBER, Holds.PIPE, Holds.NAME):
            return False
        return not self.whole or _MAY_START_WITH_A_DASH.match(self.written) is not None
