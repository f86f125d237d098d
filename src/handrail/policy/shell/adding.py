"""What `xargs`, `parallel` and `find -exec` may add to the command in their words, as deny and ask rules see it."""

from __future__ import annotations

from collections.abc import Iterable

from handrail.policy.shell.arguments import arguments_of
from handrail.policy.shell.feeding import place_of_names
from handrail.policy.shell.runners import Runners
from handrail.policy.shell.words import Known, Word

ADDED = Word("", Known.UNKNOWN)
"""Stands for words that a program adds to the command that it runs."""

_APPENDING = frozenset(("xargs", "parallel"))
_LISTS = ":::"
"""Behind a word that begins so, `parallel` finds what it adds, and no word of its command."""


def with_added(words: tuple[Word, ...], tables: Runners) -> tuple[Word, ...]:
    """The words of a command that starts with one of them, with something unknown where a name would be put in."""
    name = words[0].program
    if name == "parallel":
        words = words[: next((i for i, word in enumerate(words) if word.text.startswith(_LISTS)), len(words))]
    read = arguments_of(words) if name == "xargs" else None
    place = place_of_names(read) if read is not None else ""
    places = tuple(filter(None, ("{}", place)))
    return (words[0], *(_filled(word, places) for word in words[1:])) if tables.has("adding", name) else words


def adds_words(words: tuple[Word, ...], starts: Iterable[int]) -> bool:
    return any(words[start].program in _APPENDING for start in starts)


def adds_program(words: tuple[Word, ...], starts: Iterable[int], tables: Runners) -> bool:
    """True where the program itself is among what is added: `xargs env`, but not `xargs` alone, which prints."""
    commands = [words[start:] for start in starts if tables.has("wrappers", words[start].program)]
    bare = [command[0].program for command in commands if (read := arguments_of(command)) is None or not read.inner]
    return bool(bare) and bare != ["xargs"] and adds_words(words, starts)


def _filled(word: Word, places: tuple[str, ...]) -> Word:
    """Some name of a file in the place of `{}`."""
    text = word.text
    for place in places:
        text = text.replace(place, "")
    return word if text == word.text else Word(text, Known.UNKNOWN, word.written)
