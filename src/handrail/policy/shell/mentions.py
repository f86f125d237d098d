"""Words that may be paths although nobody knows that: of programs without a table, in code, behind `=`, `:` and `@`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from handrail.policy.shell.folders import Folders
from handrail.policy.shell.operand import Operand, operands_at
from handrail.policy.shell.runners import runners
from handrail.policy.shell.words import Word

_READ = Operand("", "read")
_MENTION = Operand("", "mention")
_BETWEEN_PATHS = re.compile(r"[=:,@]+")
_LITERAL = re.compile(r"""(["'])(?P<path>[^"'\s\\]+)\1|(?<![\w-])[rRwW][ \t]+(?P<file>[^\s;}]+)""")
"""In code, a string without blanks; in a script of sed, the file of its `r` or `w`."""


def mentions(words: tuple[Word, ...], folders: Folders) -> Iterator[Operand]:
    """Words of a program that nobody knows to be harmless, as far as they could be paths."""
    if not words:
        return
    program, *rest = words
    if "/" in program.text:
        yield from operands_at(program, folders, _READ)
    readers = runners().words("readers", program.program)
    reads = readers is not None and (not readers or bool(rest and rest[0].text in readers))
    in_code = runners().takes_code(program.program)
    for word in rest:
        for text in paths_in(word.text, in_code=in_code):
            like = _READ if reads and text == word.text else _MENTION
            yield from operands_at(replace(word, text=text), folders, like)


def mentioned(word: Word, folders: Folders) -> Iterator[Operand]:
    """The same of one word: `x=@file`."""
    for text in paths_in(word.text):
        yield from operands_at(replace(word, text=text), folders, _MENTION)


def paths_in(text: str, *, in_code: bool = False) -> Iterator[str]:
    """`x`, and of `-fx`, `--file=x`, `of=x`, `@x`, `a=@x` and `x:/y` the x; of code, its strings."""
    if not text.startswith("-"):
        yield text
    elif not text.startswith("--"):
        yield text[2:]
    if "=" in text:
        yield text.partition("=")[2]
    pieces = _BETWEEN_PATHS.split(text) if not re.search(r"\s", text) else []
    yield from dict.fromkeys(piece for piece in pieces[1:] if piece)
    if len(pieces) > 1 and pieces[0] and not text.startswith("-"):
        yield pieces[0]
    if in_code:
        yield from (found["path"] or found["file"] for found in _LITERAL.finditer(text))
