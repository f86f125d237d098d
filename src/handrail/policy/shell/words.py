"""One word of a shell command, and what is known of its value before the shell sees it."""

from __future__ import annotations

import posixpath
from enum import StrEnum

from handrail.contract.values import value


class Known(StrEnum):
    """How much of a word's value is known."""

    LITERAL = "literal"
    """All of it, from the text alone."""
    EXPANDED = "expanded"
    """All of it, given the home and working folders, or braces written out."""
    GLOB = "glob"
    """A pattern for names of files."""
    UNKNOWN = "unknown"
    """It depends on variables or on what commands print."""


@value
class Word:
    """A word with its quotes removed."""

    text: str
    """Its value. Of a glob the pattern; of an unknown word what is left when the unknown parts are empty."""
    known: Known = Known.LITERAL
    source: str = ""
    """As written, where that differs from the value."""

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
