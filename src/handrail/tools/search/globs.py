"""Glob patterns over paths with slashes. Matching takes linear time, whatever the pattern.

`*` and `?` stay within one name, `**` spans folders, `[…]` and `{a,b}` choose, a backslash takes the next
character as it is. A pattern without a slash matches the name at any depth, as in .gitignore.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Sequence

from handrail.contract.values import value

MOST_ALTERNATIVES = 256
"""What braces may expand to."""

_ANY_FOLDERS = None
_ESCAPED = re.compile(r"\\([*?\[])")


class BadGlob(ValueError):
    """A pattern that can't be used; the message is a clause."""


@value
class GlobPattern:
    """One pattern: its alternatives, each a sequence of name patterns, None standing for `**`."""

    alternatives: tuple[tuple[re.Pattern[str] | None, ...], ...]
    last_names: tuple[str, ...]
    """Patterns of names of which every match has one; empty where any name can match."""
    by_name_alone: bool
    """True when a file matches wherever it lies, by its name."""

    @classmethod
    def parse(cls, pattern: str) -> GlobPattern:
        """Raises BadGlob."""
        alternatives: list[tuple[re.Pattern[str] | None, ...]] = []
        last_names: list[str] = []
        anywhere = True
        for plain in _expanded(pattern):
            parts = [part for part in plain.removeprefix("./").split("/") if part]
            if not parts:
                raise BadGlob("it is empty")
            if ".." in parts:
                raise BadGlob("it can't go up with '..'; give the folder as path instead")
            if "/" not in plain.removeprefix("./"):
                parts.insert(0, "**")
            alternatives.append(tuple(_ANY_FOLDERS if part == "**" else _name(part) for part in parts))
            last_names.append(parts[-1])
            anywhere = anywhere and parts[:-1] == ["**"]
        if "**" in last_names:
            return cls(tuple(alternatives), (), False)
        return cls(tuple(alternatives), tuple(dict.fromkeys(last_names)), anywhere)

    def matches(self, path: str) -> bool:
        """`path` is relative, with slashes."""
        names = path.split("/")
        return any(_matches(parts, names) for parts in self.alternatives)


def _name(pattern: str) -> re.Pattern[str]:
    # fnmatch's patterns never backtrack over more than one star.
    return re.compile(fnmatch.translate(_ESCAPED.sub(r"[\1]", pattern).replace("\\", "")))


def _matches(parts: Sequence[re.Pattern[str] | None], names: Sequence[str]) -> bool:
    """Each `**` takes as few folders as it can; only the last one met is ever widened, which suffices."""
    part = name = 0
    spanning, resume = -1, 0
    while name < len(names):
        ended = part == len(parts)
        wanted = None if ended else parts[part]
        if wanted is None and not ended:
            spanning, resume = part, name
            part += 1
        elif wanted is not None and wanted.match(names[name]):
            part += 1
            name += 1
        elif spanning >= 0:
            resume += 1
            part, name = spanning + 1, resume
        else:
            return False
    return all(rest is None for rest in parts[part:])


def _expanded(pattern: str) -> Iterator[str]:
    """The pattern without braces: every choice written out."""
    waiting = [pattern]
    count = 0
    while waiting:
        current = waiting.pop()
        found = _first_choice(current)
        if found is None:
            count += 1
            yield current
        else:
            start, end, options = found
            waiting += [current[:start] + option + current[end:] for option in reversed(options)]
        if count + len(waiting) > MOST_ALTERNATIVES:
            raise BadGlob(f"its braces expand to more than {MOST_ALTERNATIVES} patterns")


def _first_choice(pattern: str) -> tuple[int, int, list[str]] | None:
    """The first `{a,b}`: where it starts and ends, and its options. One that is never closed is literal."""
    depth, start, cuts = 0, -1, [0]
    skip = False
    for at, character in enumerate(pattern):
        if skip or character == "\\":
            skip = not skip
        elif character == "{":
            if depth == 0:
                start, cuts = at, [at]
            depth += 1
        elif character == "," and depth == 1:
            cuts.append(at)
        elif character == "}" and depth:
            depth -= 1
            if depth == 0:
                ends = [*cuts[1:], at]
                return start, at + 1, [pattern[a + 1 : b] for a, b in zip(cuts, ends, strict=True)]
    return None
