"""The words of PowerShell as paths: backslashes, the home folder, patterns in any case, and drives of other kinds."""

from __future__ import annotations

import re
from dataclasses import replace

from handrail.policy.shell.words import Known, Word

_WILD = re.compile(r"[*?]")
_VARIES = re.compile(r"[*?\[]")
_LETTER = re.compile(r"[^\W\d_]")
_ELSEWHERE = re.compile(r"[^/]*:|//|~[^/]|.*[\[\]`]")
"""A drive or provider, another machine, somebody's home folder; and a pattern with brackets."""


def as_path(word: Word, home: str, *, literal: bool = False) -> Word:
    """The path that a word names; a word that is not known where that can't be told. `literal`: it is no pattern."""
    text = word.text.replace("\\", "/")
    if word.known is Known.UNKNOWN or not text:
        return word
    if _ELSEWHERE.match(text) or (literal and _WILD.search(text)):
        return Word("", Known.UNKNOWN, word.written)
    if text == "~" or text.startswith("~/"):
        return Word(home + text[1:], Known.EXPANDED, word.written)
    if _WILD.search(text):
        return Word(_in_any_case(text), Known.GLOB, word.written)
    return replace(word, text=text, known=Known.LITERAL, source=word.written)


def fixed_part(pattern: str) -> str:
    """The folder in which a pattern starts to vary."""
    return pattern[: _start(pattern)].rstrip("/") or "/"


def last_part(pattern: str) -> str:
    return pattern.rpartition("/")[2]


def _in_any_case(pattern: str) -> str:
    """The same from the first part on that varies: `src/*.[pP][yY]`, since PowerShell finds names in any case."""
    start = _start(pattern)
    return pattern[:start] + _LETTER.sub(lambda letter: f"[{letter[0].lower()}{letter[0].upper()}]", pattern[start:])


def _start(pattern: str) -> int:
    """Where the first part of a path starts that varies."""
    wild = _VARIES.search(pattern)
    return pattern.rfind("/", 0, wild.start()) + 1 if wild is not None else len(pattern)
