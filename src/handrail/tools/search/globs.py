"""Glob patterns over paths with slashes. Matching takes linear time, whatever the pattern.

`*` and `?` stay within one name, `**` spans folders, `[…]` and `{a,b}` choose, a backslash takes the next
character as it is. A pattern without a slash matches the name at any depth, as in .gitignore.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Iterator

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


_State = tuple[int, int]
"""An alternative of a pattern, and how many of its parts the names so far have used up."""


_ANY_NAME = re.compile("")
_NO_NAME = re.compile(r"(?!)")


class GlobMatcher:
    """Matches paths against one pattern. What the names of a folder come to is kept for the next path in it."""

    def __init__(self, pattern: GlobPattern) -> None:
        self._alternatives = pattern.alternatives
        self._states = {"": frozenset(self._spanned((number, 0) for number in range(len(pattern.alternatives))))}
        self._ends: dict[str, re.Pattern[str]] = {}
        self._joined: dict[frozenset[str], re.Pattern[str]] = {}

    def matches(self, path: str) -> bool:
        """`path` is relative, with slashes."""
        folder, _, name = path.rpartition("/")
        ends = self._ends.get(folder)
        if ends is None:
            ends = self._ends[folder] = self._ends_in(folder)
        return ends.match(name) is not None

    def _ends_in(self, folder: str) -> re.Pattern[str]:
        """What a name in this folder has to match to complete the pattern."""
        ends = set()
        for number, part in self._within(folder):
            parts = self._alternatives[number]
            if part < len(parts) and all(rest is None for rest in parts[part + 1 :]):
                ends.add((parts[part] or _ANY_NAME).pattern)
        known = frozenset(ends)
        if known not in self._joined:
            self._joined[known] = re.compile("|".join(sorted(known))) if known else _NO_NAME
        return self._joined[known]

    def _within(self, folder: str) -> frozenset[_State]:
        known = self._states.get(folder)
        if known is None:
            above, _, name = folder.rpartition("/")
            known = self._states[folder] = frozenset(self._after(self._within(above), name))
        return known

    def _after(self, states: frozenset[_State], name: str) -> Iterator[_State]:
        for number, part in states:
            parts = self._alternatives[number]
            if part == len(parts):
                continue
            wanted = parts[part]
            if wanted is None:
                yield from self._spanned(((number, part),))
            elif wanted.match(name):
                yield from self._spanned(((number, part + 1),))

    def _spanned(self, states: Iterable[_State]) -> Iterator[_State]:
        """These, and those behind a `**`, which may stand for no folder."""
        for number, part in states:
            parts = self._alternatives[number]
            yield number, part
            while part < len(parts) and parts[part] is None:
                part += 1
                yield number, part


def _name(pattern: str) -> re.Pattern[str]:
    if "[[:" in pattern:
        raise BadGlob("classes such as [[:alpha:]] are not known here; write the characters, such as [a-zA-Z]")
    # fnmatch's patterns never backtrack over more than one star.
    return re.compile(fnmatch.translate(_ESCAPED.sub(r"[\1]", pattern).replace("[^", "[!").replace("\\", "")))


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
