"""Where text that was not found almost stands, and how the two differ: for the message, never for the edit."""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Sequence

from handrail.contract.values import value

_AROUND = 5
"""Lines to read again on either side."""
MOST_LOOKED_AT = 20_000_000
"""Characters: two seconds, and half a gigabyte of lines."""
_MOST_PER_KEY = 4
_MOST_COMPARED = 20_000
"""Lines compared by their words when no line is the same; comparing one costs about a microsecond."""
_LIKE_ENOUGH = 0.6
_CLIP = 80

_LOOKALIKES = str.maketrans({
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
    "\u2010": "-", "\u2011": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u00a0": " ", "\u202f": " ",
})  # fmt: skip
_WORD = re.compile(r"\w+")


@value
class Near:
    line: int
    """From 1."""
    found: str
    """What is to be said of that line, up to the name of the old text: `has a tab where`."""
    sought: str
    """And after that: `has 4 spaces`."""
    first: int
    last: int
    """The lines to read again."""

    def difference(self, name: str) -> str:
        """A clause about that line, such as `has a tab where old_string has 4 spaces`."""
        return f"{self.found} {name} {self.sought}"


def nearest(text: str, old: str) -> Near | None:
    """None where nothing is like it, in the first `MOST_LOOKED_AT` characters."""
    lines = text[:MOST_LOOKED_AT].removesuffix("\n").split("\n")
    wanted = old.replace("\r\n", "\n").split("\n")
    start = _best_start(lines, wanted)
    if start is not None:
        return _at_first_difference(lines, wanted, start)
    alike = _most_alike(lines, wanted)
    if alike is None:
        return None
    index, sought = alike
    found = lines[index].removesuffix("\r")
    if found == sought:  # too short a line to begin with, but the lines around it may tell
        return _at_first_difference(lines, wanted, index - wanted.index(sought))
    return _near(lines, index, _difference(found, sought))


def nothing_near(text: str, name: str, what: str = "it") -> str:
    """What to say where `nearest` gives None."""
    where = f"the first {MOST_LOOKED_AT:,} characters of {what}" if len(text) > MOST_LOOKED_AT else what
    return f"Nothing in {where} is like {name}."


def _best_start(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Where most lines would match if blanks and lookalikes did not count."""
    keys: dict[str, list[int]] = {}
    for index, line in enumerate(wanted):
        if len(key := _key(line)) > 1:
            keys.setdefault(key, []).append(index)
    votes: Counter[int] = Counter()
    for number, line in enumerate(lines):
        for index in keys.get(_key(line), ())[:_MOST_PER_KEY]:
            votes[number - index] += 1
    if not votes:
        return None
    return min(votes, key=lambda start: (-votes[start], start))


def _key(line: str) -> str:
    joined = "".join(line.split())
    return joined if joined.isascii() else joined.translate(_LOOKALIKES)


def _at_first_difference(lines: Sequence[str], wanted: Sequence[str], start: int) -> Near | None:
    for offset, sought in enumerate(wanted):
        index = start + offset
        if not 0 <= index < len(lines):
            edge = "the file ends" if index >= 0 else "the file begins"
            return _near(lines, min(max(index, 0), len(lines) - 1), (f"is where {edge}, and", "goes on"))
        found = lines[index].removesuffix("\r")
        if not _fits(found, sought, first=offset == 0, last=offset == len(wanted) - 1):
            return _near(lines, index, _difference(found, sought))
    return None


def _fits(found: str, sought: str, *, first: bool, last: bool) -> bool:
    """The first line of the old text may start, and the last may end, in the middle of a line."""
    if first and last:
        return sought in found
    if first:
        return found.endswith(sought)
    return found.startswith(sought) if last else found == sought


def _most_alike(lines: Sequence[str], wanted: Sequence[str]) -> tuple[int, str] | None:
    """The line of the file most like the longest line of the old text, with that line."""
    import difflib  # only where old text is not found

    sought = max(wanted, key=lambda line: len(line.strip()))
    words = set(_WORD.findall(sought))
    if not words:
        return None
    common = ((len(words.intersection(_WORD.findall(line))), -i) for i, line in enumerate(lines[:_MOST_COMPARED]))
    best = [(-negative, count) for count, negative in heapq.nlargest(5, common) if count]
    matcher = difflib.SequenceMatcher(b=sought[:1000].strip(), autojunk=False)
    ranked = []
    for index, _ in best:
        matcher.set_seq1(lines[index][:1000].strip())
        ranked.append((matcher.ratio(), -index))
    if not ranked or max(ranked)[0] < _LIKE_ENOUGH:
        return None
    return -max(ranked)[1], sought


def _near(lines: Sequence[str], index: int, difference: tuple[str, str]) -> Near:
    return Near(index + 1, *difference, max(1, index + 1 - _AROUND), min(len(lines), index + 1 + _AROUND))


def _difference(found: str, sought: str) -> tuple[str, str]:
    """How a line of the file differs from the line of the old text: what to say of either."""
    at = next((i for i, (a, b) in enumerate(zip(found, sought, strict=False)) if a != b), min(len(found), len(sought)))
    found_blanks, sought_blanks = _blanks_at(found, at), _blanks_at(sought, at)
    if _key(found) == _key(sought) and found_blanks != sought_blanks:
        return f"has {_counted(found_blanks)} where", f"has {_counted(sought_blanks)}"
    here, there = found[at : at + 1], sought[at : at + 1]
    if here and there and not (here + there).isascii():
        return f"has {_named(here)} where", f"has {_named(there)}"
    if not found.strip():
        return "is blank where", f"has {_clipped(sought, at)}"
    return f"reads {_clipped(found, at)} where", f"has {_clipped(sought, at)}"


def _blanks_at(line: str, at: int) -> str:
    """The run of blanks that touches the position."""
    start = at
    while start > 0 and line[start - 1].isspace():
        start -= 1
    end = at
    while end < len(line) and line[end].isspace():
        end += 1
    return line[start:end]


def _counted(blanks: str) -> str:
    parts = []
    for character, one, many in (("\t", "a tab", "tabs"), (" ", "a space", "spaces")):
        if count := blanks.count(character):
            parts.append(one if count == 1 else f"{count} {many}")
    parts += [_named(character) for character in dict.fromkeys(blanks) if character not in "\t "]
    return " and ".join(parts) or "no blank"


def _named(character: str) -> str:
    return f"U+{ord(character):04X} ({character})"


def _clipped(line: str, at: int) -> str:
    """The part of the line around the position, quoted."""
    start = max(0, at - _CLIP // 2) if len(line) > _CLIP else 0
    part = line[start : start + _CLIP]
    return f"`{'…' if start else ''}{part}{'…' if start + _CLIP < len(line) else ''}`"
