"""Text that comes in pieces, and text that is not quite Unicode.

JSON may hold half of a surrogate pair (`"\\ud83d"`), and a stream may send the two halves in different
events. Journals, terminals and files refuse lone halves, so nothing outside this layer sees one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

PREVIEW_CHARS = 200
"""How much of unusable arguments a message repeats: enough to recognise, not enough to flood."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def well_formed(text: str) -> bool:
    """False when the text holds half of a surrogate pair, which UTF-8 can't carry."""
    return text.isascii() or _SURROGATE.search(text) is None


def joined(fragments: Iterable[str]) -> str:
    """The fragments as one text; a character whose halves came apart is whole again."""
    text = "".join(fragments)
    if well_formed(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def printable(text: str) -> str:
    """The text with each lone half of a pair replaced, safe to print and to store."""
    return text if well_formed(text) else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", joined([text]))


def preview(text: str) -> str:
    """The start of the text, and how long it was."""
    shown = printable(text[:PREVIEW_CHARS])
    return shown if len(text) <= PREVIEW_CHARS else f"{shown}… ({len(text)} characters in all)"


def paragraphs(pieces: Iterable[str | None]) -> str:
    """Pieces of one answer for a person to read: neighbours joined, None between two marks a break."""
    runs: list[list[str]] = [[]]
    for piece in pieces:
        if piece is None:
            runs.append([])
        else:
            runs[-1].append(piece)
    return printable("\n\n".join(run for run in map(joined, runs) if run.strip()))
