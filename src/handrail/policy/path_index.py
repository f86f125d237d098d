"""Path patterns by the folders they start with, or by the name they look for at any depth. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from handrail.policy.facts import PathFact
from handrail.policy.patterns import PathPattern
from handrail.policy.places import Places, within
from handrail.policy.tries import Prefixes, Trie, literal_start

SPECIALS = "*?[]\\!# \t"
"""Characters that gitignore may give a meaning; a segment is literal up to the first."""

_NAME = re.compile(r"\*?[^*?\[\]\\!#\s]+\*?")
"""A name, perhaps with a star before or behind it."""


def is_tied_to_a_name(pattern: PathPattern) -> bool:
    """True for a pattern that the index can file better than under everything."""
    if pattern.segments:
        return bool(literal_start(pattern.segments[0], SPECIALS))
    return _NAME.fullmatch(_name(pattern)) is not None


class PathIndex:
    """Positions by patterns."""

    def __init__(self) -> None:
        self._tied = {"workspace": Trie(), "home": Trie(), "root": Trie()}
        self._names: dict[str, list[int]] = {}
        self._beginnings = Prefixes()
        self._endings = Prefixes()
        """By what names end in, turned round."""

    def add(self, pattern: PathPattern, position: int) -> None:
        if pattern.segments:
            self._tied[pattern.anchor].add(pattern.segments, SPECIALS, position)
            return
        name = _name(pattern)
        if "*" not in name:
            self._names.setdefault(name, []).append(position)
        elif name.startswith("*"):
            self._endings.add(name[1:].partition("*")[0][::-1] if name.count("*") == 1 else "", position)
        else:
            self._beginnings.add(literal_start(name, SPECIALS), position)

    def of(self, path: PathFact, places: Places) -> Iterator[int]:
        """All patterns that hold for the path itself, links resolved or not, among others."""
        for spelling in path.spellings:
            for anchor, folders in (("workspace", places.folders), ("home", places.home), ("root", ("/",))):
                for folder in folders:
                    if within(spelling, folder):
                        segments = [part for part in spelling[len(folder) :].split("/") if part]
                        yield from self._tied[anchor].of([(segment,) for segment in segments])
                        if anchor == "workspace":
                            yield from self._named(segments)

    def _named(self, segments: list[str]) -> Iterator[int]:
        for segment in segments:
            yield from self._names.get(segment, ())
            yield from self._beginnings.of(segment)
            yield from self._endings.of(segment[::-1])


def _name(pattern: PathPattern) -> str:
    return pattern.text.removeprefix("./").rstrip("/")
