"""The fewest words that name what a command does: the table of `offered_words.toml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from handrail.contract.values import value
from handrail.policy.shell.words import Word

_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/\-]*")
"""A word that may name an action: no flag, no assignment, no pattern."""
_SPELLED = re.compile(r"[^\s*]+")
"""A word that a pattern can spell as itself."""


@value
class OfferedWords:
    """The table: how many words after some name an action, and which run a command of its own."""

    further: Mapping[tuple[str, ...], int]
    runners: frozenset[tuple[str, ...]]

    def action(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The words that name the action; none where the table does not say."""
        beginnings = [words[:length] for length in range(len(words), 0, -1)]
        runner = next((beginning for beginning in beginnings if beginning in self.runners), ())
        if runner:
            inner = self.action(words[len(runner) :])
            return runner + inner if inner else ()
        listed = next((beginning for beginning in beginnings if beginning in self.further), ())
        if not listed:
            return ()
        named = words[: len(listed) + self.further[listed]]
        rest = named[len(listed) :]
        return named if len(rest) == self.further[listed] and all(map(_PLAIN.fullmatch, rest)) else ()


@cache
def offered_words() -> OfferedWords:
    import tomllib
    from importlib import resources

    data = tomllib.loads(resources.files("handrail.policy").joinpath("offered_words.toml").read_text("utf-8"))
    return OfferedWords(
        {tuple(words.split()): count for words, count in data["words"].items()},
        frozenset(tuple(words.split()) for words in data["runners"]["words"]),
    )


def named_by(words: tuple[Word, ...]) -> str:
    """The pattern for a command: its action and `*`, else its very words; empty where no pattern can spell them."""
    known = next((place for place, word in enumerate(words) if word.value is None), len(words))
    action = offered_words().action(tuple(word.text for word in words[:known]))
    return " ".join((*action, "*")) if action else spelled(words)


def spelled(words: tuple[Word, ...]) -> str:
    """The pattern that covers these very words; empty where no pattern can."""
    can_be = all(word.value is not None and _SPELLED.fullmatch(word.text) for word in words)
    return " ".join(word.text for word in words) if can_be else ""
