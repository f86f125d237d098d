"""Words that nobody knows, and the known ones that may have been meant. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

CLOSE = 0.65
"""How alike two words must be, from 0 to 1: `alow` and `allow` are, `foo` and `tool` are not."""


def nearest(given: str, known: Iterable[str]) -> str:
    """The known word that is most like what was given; empty where none is like it."""
    import difflib  # only where something is misspelled

    return next(iter(difflib.get_close_matches(given.lower(), list(known), n=1, cutoff=CLOSE)), "")


def did_you_mean(given: str, known: tuple[str, ...]) -> str:
    """How a message about an unknown word ends."""
    near = nearest(given, known)
    return f"; did you mean {near}?" if near else f"; known are {', '.join(known)}"


def unknown(kind: str, given: str, known: tuple[str, ...]) -> str:
    return f"unknown {kind} {shown(given)}{did_you_mean(given, known)}"


def shown(value: object) -> str:
    """A value as JSON, which is how most of it is written in TOML."""
    return json.dumps(value, ensure_ascii=False, default=str)


def as_written(table: Mapping[str, object]) -> str:
    """A table on one line, its keys in the order in which they were written."""
    return ", ".join(f"{key} = {shown(value)}" for key, value in table.items())
