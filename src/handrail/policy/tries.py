"""Where to look for patterns that may fit: by their first literal words, or by what they start with. Pure.

What is looked up is a superset: whoever asks tries each pattern that is found.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TypeAlias

Step: TypeAlias = Collection[str] | None
"""How one word may be spelled; None where it is not known, and may be several words or none."""


class Prefixes:
    """Positions by a beginning: finds all whose beginning a text has."""

    def __init__(self) -> None:
        self._by_beginning: dict[str, list[int]] = {}
        self._lengths: list[int] = []

    def add(self, beginning: str, position: int) -> None:
        self._by_beginning.setdefault(beginning, []).append(position)
        if len(beginning) not in self._lengths:
            self._lengths.append(len(beginning))

    def of(self, text: str) -> Iterator[int]:
        for length in self._lengths:
            yield from self._by_beginning.get(text[:length], ())

    def all(self) -> Iterator[int]:
        for positions in self._by_beginning.values():
            yield from positions


class Trie:
    """Positions by the literal words that patterns start with."""

    def __init__(self) -> None:
        self._here: list[int] = []
        self._next: dict[str, Trie] = {}
        self._open = Prefixes()

    def add(self, words: Iterable[str], specials: str, position: int) -> None:
        """A pattern by its words; `specials` are the characters that make a word a pattern."""
        node = self
        for word in words:
            literal = literal_start(word, specials)
            if literal != word:
                if literal:
                    node._open.add(literal, position)
                else:
                    node._here.append(position)
                return
            node = node._next.setdefault(word, Trie())
        node._here.append(position)

    def of(self, steps: Sequence[Step]) -> Iterator[int]:
        """All patterns that words so spelled may fit."""
        nodes: list[Trie] = [self]
        for step in steps:
            for node in nodes:
                if step is None:
                    yield from node._all()
                else:
                    yield from node._here
                    for spelling in step:
                        yield from node._open.of(spelling)
            if step is None:
                return
            nodes = [found for node in nodes for spelling in step if (found := node._next.get(spelling)) is not None]
            if not nodes:
                return
        for node in nodes:
            yield from node._here

    def _all(self) -> Iterator[int]:
        yield from self._here
        yield from self._open.all()
        for node in self._next.values():
            yield from node._all()


def literal_start(word: str, specials: str) -> str:
    """What stands before the first special character."""
    return word[: next((place for place, character in enumerate(word) if character in specials), len(word))]
