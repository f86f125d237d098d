"""File names in messages: odd ones shown so that no two look the same, and the nearest ones to a wrong one."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from itertools import islice

MOST_COMPARED = 5_000
"""Names looked at in one folder; comparing one costs about 20 microseconds."""

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def shown_name(name: str) -> str:
    """The name as it is, or quoted with escapes where it would be misread.

    Control characters and spaces that only look like spaces become JSON escapes. A byte that is not
    UTF-8 becomes `\\xff`, which no argument can give back.
    """
    if name.isprintable() and name == name.strip() and not name.startswith('"'):
        return name
    return '"' + "".join(map(_escaped, name)) + '"'


def similar(wanted: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The nearest names first: those that look the same, then those of nearly the same letters."""
    import difflib  # only where a name is wrong

    by_plain: dict[str, list[str]] = {}
    for name in islice(names, MOST_COMPARED):
        by_plain.setdefault(_plain(name), []).append(name)
    near = difflib.get_close_matches(_plain(wanted), list(by_plain), n=most, cutoff=0.6)
    return [name for found in near for name in by_plain[found]][:most]


def _plain(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _escaped(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python's file functions carry a byte that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if character in _SHORT:
        return _SHORT[character]
    if character.isprintable():
        return character
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
