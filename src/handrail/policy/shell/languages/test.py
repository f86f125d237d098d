"""Sentences of `test`, `[` and `[[`: which words name files, and which make the shell evaluate more than that."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from handrail.policy.shell.words import Holds, Known, Word

_OF_A_FILE = frozenset((
    "-a", "-b", "-c", "-d", "-e", "-f", "-g", "-h", "-k", "-p", "-r", "-s", "-u", "-w", "-x", "-G", "-L", "-N", "-O",
    "-S",
))  # fmt: skip
_BETWEEN_FILES = frozenset(("-nt", "-ot", "-ef"))
_EVALUATING = frozenset(("-v", "-R"))
"""They evaluate a subscript, which may run a command."""
_CALCULATING = frozenset(("-eq", "-ne", "-lt", "-le", "-gt", "-ge"))
"""In `[[` they evaluate their operands as arithmetic, which may run a command."""


def files_of(words: tuple[Word, ...]) -> Iterator[Word]:
    """The words that name files, as far as can be told; `words` are those behind the program."""
    for operator, word in pairwise(words):
        if operator.value in _OF_A_FILE or operator.value in _BETWEEN_FILES:
            yield word
    for word, operator in pairwise(words):
        if operator.value in _BETWEEN_FILES:
            yield word


def problem_in_words(program: str, words: tuple[Word, ...]) -> str:
    """Why a sentence may do more than look, as a clause; empty when it does not."""
    for word in words:
        if word.value in _EVALUATING:
            return f"{word.text} evaluates the name that it is given"
    for position, word in enumerate(words):
        if program == "[[" and word.value in _CALCULATING:
            operands = words[max(position - 1, 0) : position] + words[position + 1 : position + 2]
            if not all(_is_number(operand) for operand in operands):
                return f"{word.text} evaluates its operands"
    if program != "[[" and any(word.known is Known.UNKNOWN and not word.whole for word in words):
        return "a variable without quotes may come to operators"
    return ""


def _is_number(word: Word) -> bool:
    if word.known is Known.UNKNOWN:
        return word.holds is Holds.NUMBER and not word.text.strip("0123456789")
    return word.text.lstrip("-").isdigit()
