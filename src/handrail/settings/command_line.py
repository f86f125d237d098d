"""A command that a setting names: words, run as they are. No shell sees them. Pure."""

from __future__ import annotations

import re
import shlex

_QUOTED = re.compile(r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.""", re.DOTALL)
_OPERATOR = re.compile(r"[();<>|&`]+")


class BadCommandLine(Exception):
    """The message completes `call_command = … `."""


def command_line(given: object) -> tuple[str, ...]:
    """The words of a list, or of a text that is quoted as for a POSIX shell. Raises BadCommandLine."""
    if isinstance(given, (list, tuple)):
        words = tuple(given)
        if not words or not all(isinstance(word, str) and "\0" not in word for word in words) or not words[0]:
            raise BadCommandLine("is not a list of words that begins with a program")
        return words
    if not isinstance(given, str) or "\0" in given:
        raise BadCommandLine("is neither a text nor a list of words")
    if odd := _OPERATOR.search(_QUOTED.sub("", given)):
        raise BadCommandLine(f"has {odd[0]}, and no shell runs it: write a script, or quote it")
    try:
        words = tuple(shlex.split(given))
    except ValueError as error:
        raise BadCommandLine("has a quote without end") from error
    if not words or not words[0]:
        raise BadCommandLine("names no program")
    return words
