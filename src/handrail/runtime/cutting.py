"""Where a text may be cut: never inside what a reader sees as one character, an escape sequence, or a JSON token. Pure.

Characters are taken as in Unicode's UAX #29, as far as its rules can be told from single code points:
combining marks, joiners, variation selectors, skin tones, flags, and `\\r\\n`.
"""

from __future__ import annotations

import json
import re
import unicodedata

_ESCAPE = re.compile(
    r"""
      (?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?                               # CSI: cursor, erase, colour
    | (?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)  # OSC and its like
    | \x1b[ -/]*[0-~]?
    """,
    re.VERBOSE,
)
_INTRODUCERS = ("\x1b", "\x9b", "\x9d", "\x90", "\x98", "\x9e", "\x9f")
_LONGEST_ESCAPE = 4_096
"""Characters; a longer one is no link or title, and may be cut."""

_BACKSLASHED = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|.)?", re.DOTALL)
_LONGEST_BACKSLASHED = 6

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+', re.DOTALL)
"""The JSON tokens of more than one character: strings, numbers, `true`, `false`, `null`."""

_MOST_MARKS = 64
"""Code points after one base that are taken for one character with it."""

_JOINER = "\u200d"
_EXTENDING = frozenset({"Mn", "Me", "Mc"})
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_TAGS = range(0xE0020, 0xE0080)
_FLAG_LETTERS = range(0x1F1E6, 0x1F200)


def head_end(text: str, at: int) -> int:
    """The last place at or before `at` where the text may end."""
    while 0 < at < len(text) and (split := _split_at(text, at)) is not None:
        at = split[0]
    return max(0, min(at, len(text)))


def tail_start(text: str, at: int) -> int:
    """The first place at or after `at` where the text may begin."""
    while 0 < at < len(text) and (split := _split_at(text, at)) is not None:
        at = split[1]
    return max(0, min(at, len(text)))


def json_cuts(text: str, head: int, tail: int) -> tuple[int, int]:
    """As `head_end` and `tail_start`, between two tokens of a JSON text.

    A string that alone fills most of the head or of the tail is cut between two of its characters: without it
    nothing would be left to read.
    """
    first, last = head, tail
    for token in _TOKEN.finditer(text):
        if token.start() < head < token.end():
            first = token.start() if token.start() >= head // 2 else head_end(text, head)
        if token.start() < tail < token.end():
            last = token.end() if len(text) - token.end() >= (len(text) - tail) // 2 else tail_start(text, tail)
        if token.start() >= tail:
            break
    return first, last


def is_json(text: str) -> bool:
    """Whether the text is an object or an array."""
    if not text.lstrip().startswith(("{", "[")):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _split_at(text: str, at: int) -> tuple[int, int] | None:
    """From where to where goes what a cut at this place would split; None where it splits nothing."""
    return _escape_at(text, at) or _backslashed_at(text, at) or _character_at(text, at)


def _escape_at(text: str, at: int) -> tuple[int, int] | None:
    start = max(text.rfind(introducer, max(0, at - _LONGEST_ESCAPE), at) for introducer in _INTRODUCERS)
    found = _ESCAPE.match(text, start) if start >= 0 else None
    if found is None or found.end() <= at or len(found[0]) > _LONGEST_ESCAPE:
        return None
    return found.span()


def _backslashed_at(text: str, at: int) -> tuple[int, int] | None:
    """`\\n`, `\\u00e9`: which backslash begins one depends on how many stand in a row."""
    last = text.rfind("\\", max(0, at - _LONGEST_BACKSLASHED), at)
    if last < 0:
        return None
    if text[last - 1 : last] == "\x1b":
        return None  # the end of an escape sequence
    start = last
    while start > 0 and text[start - 1] == "\\":
        start -= 1
    start = last - (last - start) % 2
    found = _BACKSLASHED.match(text, start)
    return found.span() if found is not None and start < at < found.end() else None


def _character_at(text: str, at: int) -> tuple[int, int] | None:
    if text[at].isascii() and text[at - 1].isascii():
        return (at - 1, at + 1) if text[at - 1 : at + 1] == "\r\n" else None
    if not _joins(text, at):
        return None
    start, end = at - 1, at + 1
    while start > 0 and at - start < _MOST_MARKS and _joins(text, start):
        start -= 1
    while end < len(text) and end - at < _MOST_MARKS and _joins(text, end):
        end += 1
    return start, end


def _joins(text: str, at: int) -> bool:
    """Whether what stands at this place is one character with what stands before."""
    before, after = text[at - 1], text[at]
    if after == _JOINER or before == _JOINER or unicodedata.category(after) in _EXTENDING:
        return True
    if ord(after) in _SKIN_TONES or ord(after) in _TAGS:
        return True
    return ord(before) in _FLAG_LETTERS and ord(after) in _FLAG_LETTERS and _flags_before(text, at) % 2 == 1


def _flags_before(text: str, at: int) -> int:
    """How many letters of flags stand before in a row: two make a flag."""
    start = at
    while start > 0 and ord(text[start - 1]) in _FLAG_LETTERS:
        start -= 1
    return at - start
