"""One word of a command as flags: `-la`, `-k2`, `--lines=5`. Abbreviations are not among them: the world is closed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from handrail.policy.shell.programs import Does, Flag, Takes, Usage
from handrail.policy.shell.words import Known, Word

_NUMBER = re.compile(r"[-+]\d+")


@dataclass(frozen=True, slots=True)
class Given:
    """One flag as it was given."""

    name: str
    does: Does = Does.NOTHING
    value: Word | None = None


@dataclass(frozen=True, slots=True)
class Flags:
    """All flags of one word."""

    given: tuple[Given, ...]
    waits: bool = False
    """The value of the last one is the next word."""

    def with_value(self, word: Word) -> tuple[Given, ...]:
        return (*self.given[:-1], replace(self.given[-1], value=word))


def looks_like_flag(text: str) -> bool:
    return text.startswith("-") and text != "-"


def flags_in(usage: Usage, word: Word) -> Flags | None:
    """The flags that the word is; None where it is none, or not all of it is listed."""
    if not word.text.startswith(("-", "+")) or not word.written.startswith(("-", "+", "'", '"', "\\", "$")):
        return None
    if word.known is Known.UNKNOWN:
        return _with_unknown_value(usage.flags, word)
    text = word.text
    flag = usage.flags.get(text)
    if flag is not None:
        return Flags((Given(text, flag.does),), waits=flag.takes is Takes.VALUE)
    if "numbers" in usage.traits and _NUMBER.fullmatch(text):
        return Flags((Given(text),))
    if "words" in usage.traits or not looks_like_flag(text):
        return None
    name, equals, value = text.partition("=")
    flag = usage.flags.get(name)
    if len(name) > 2 and equals and flag is not None and flag.takes is not Takes.NOTHING:
        return Flags((Given(name, flag.does, _piece(word, value)),))
    return None if text.startswith("--") else _cluster(usage.flags, word)


def _cluster(flags: Mapping[str, Flag], word: Word) -> Flags | None:
    """Letters one by one, until one takes the rest for its value."""
    found: list[Given] = []
    letters = word.text[1:]
    for position, letter in enumerate(letters, 1):
        name, rest = f"-{letter}", letters[position:]
        flag = flags.get(name)
        if flag is None:
            return None
        if flag.takes is not Takes.NOTHING:
            found.append(Given(name, flag.does, _piece(word, rest) if rest else None))
            return Flags(tuple(found), waits=flag.takes is Takes.VALUE and not rest)
        found.append(Given(name, flag.does))
    return Flags(tuple(found))


def _with_unknown_value(flags: Mapping[str, Flag], word: Word) -> Flags | None:
    """`-n$x` and `--lines="$x"`: one flag, written out."""
    if not word.whole:
        return None
    for name, flag in flags.items():
        start = f"{name}=" if name.startswith("--") else name
        if flag.takes is not Takes.NOTHING and word.written.startswith(start) and word.text.startswith(start):
            return Flags((Given(name, flag.does, replace(word, text=word.text[len(start) :])),))
    return None


def _piece(word: Word, text: str) -> Word:
    return replace(word, text=text, source="" if word.known is Known.LITERAL else text)
