"""Which lines somebody waits for: a regular expression, matched in linear time, since a model wrote it. Pure."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Protocol


class BadWish(Exception):
    """The message says what is wrong with the expression."""


class _Expression(Protocol):
    def search(self, text: str) -> object: ...


def wanted_lines(pattern: str) -> Callable[[str], bool]:
    """Raises BadWish."""
    import re2  # loaded with the first wait

    options = re2.Options()
    options.log_errors = False
    try:
        expression: _Expression = re2.compile(pattern, options)
    except re2.error as error:
        why = error.args[0]
        raise BadWish(why.decode(errors="replace") if isinstance(why, bytes) else str(why)) from error
    return partial(_is_found, expression)


def _is_found(expression: _Expression, line: str) -> bool:
    return expression.search(line) is not None
