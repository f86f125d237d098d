"""What the lines after `@@` say: that a hunk belongs to what begins with such a line. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from handrail.contract.values import value

_CLOSING = frozenset("})]>")
_WORDS_THAT_CLOSE = ("end", "else", "except", "finally", "case", "default", "elif", "catch")


@value
class Heading:
    """A line of the file that fits a header."""

    line: str
    end: int
    """Where the line after it starts."""


def headings(text: str, start: int, headers: Sequence[str]) -> list[Heading]:
    """The lines that fit the last header, each below lines that fit those before it."""
    found = [Heading("", start)]
    for header in headers:
        if found:  # what stands below any of them stands below the first
            found = _fitting(text, found[0].end, header)
    return found


def _fitting(text: str, start: int, header: str) -> list[Heading]:
    """Lines that are the header, but for blanks at both ends."""
    found: list[Heading] = []
    wanted = header.strip()
    at = text.find(wanted, start)
    while at >= 0:
        begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        end = len(text) if end < 0 else end + 1
        if begin >= start and text[begin:end].strip() == wanted:
            found.append(Heading(text[begin:end], end))
        at = text.find(wanted, end)
    return found


def belongs(heading: Heading, text: str, place: int) -> bool:
    """Whether a place below a heading belongs to it, as far as lines and their indentation tell.

    No line between the two begins something else: none is indented as little as the heading, save one that closes or
    goes on; where what follows the heading is not indented (a section of a text), none begins with the same word.
    """
    between = (line for line in _lines(text, heading.end, place) if line.strip())
    depth = _indentation(heading.line)
    following = next((line for line in _lines(text, heading.end, len(text)) if line), "")
    if _indentation(following) > depth:
        return all(_indentation(line) > depth or _closes(line) for line in between)
    word = heading.line.split()[0]
    return all(line.split()[0] != word for line in between)


def _lines(text: str, start: int, end: int) -> Iterator[str]:
    """One by one: mostly the first few tell."""
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield text[start:stop]
        start = stop + 1


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _closes(line: str) -> bool:
    stripped = line.strip()
    return stripped[0] in _CLOSING or stripped.startswith(_WORDS_THAT_CLOSE)
