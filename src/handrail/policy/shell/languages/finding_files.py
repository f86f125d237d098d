"""Sentences of `find` and its like: the commands that they run for what they find."""

from __future__ import annotations

from dataclasses import dataclass

from handrail.policy.shell.words import Word

EXECUTING = frozenset(("-exec", "-execdir"))
"""Not `-ok`: it asks, and nobody answers."""


@dataclass(frozen=True, slots=True)
class Sentence:
    words: tuple[Word, ...]
    """Without what is executed."""
    executed: tuple[tuple[Word, ...], ...]
    problem: str = ""


def taken_apart(words: tuple[Word, ...]) -> Sentence:
    """The predicates, and each command behind `-exec`, up to `;` or `{} +`."""
    kept: list[Word] = []
    executed: list[tuple[Word, ...]] = []
    position = 0
    while position < len(words):
        word = words[position]
        position += 1
        if word.value not in EXECUTING:
            kept.append(word)
            continue
        end = next((i for i in range(position, len(words)) if _ends(words, i)), len(words))
        if end in (position, len(words)):
            return Sentence(tuple(kept), tuple(executed), f"{word.text} has no command or no end")
        executed.append(words[position:end])
        position = end + 1
    return Sentence(tuple(kept), tuple(executed))


def _ends(words: tuple[Word, ...], position: int) -> bool:
    """`+` ends a command only behind `{}`."""
    return words[position].text == ";" or (words[position].text == "+" and words[position - 1].text == "{}")
