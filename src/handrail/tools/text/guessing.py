"""In which encoding bytes are text, where no mark says so and they are not UTF-8. Says nothing unless it is certain.

A wrong guess would show a model other words than the file has, so there has to be evidence: of all its letters, as
many are common ones of the language as the language has, and far more than chance would make. Pure, but for the
table beside it, which is read when first needed.
"""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from handrail.contract.values import value

WIDE = ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be")
_SAMPLED = 16_384
"""Bytes looked at."""
_NOT_ASCII = re.compile(rb"[^\n]*[\x80-\xff][^\n]*")
_CERTAIN = math.log(10_000)
"""How many times likelier the text has to be in its own language than by chance; as much again for the next best."""
_FEWEST_WIDE = 4
"""Characters: fewer may be anything."""
_LETTERS_IN_A_ROW = 2.5
"""Of words in other letters than Latin. In a Latin text those with accents stand alone."""
_MULTIBYTE = frozenset({"gb18030", "big5", "cp932", "euc_jp", "cp949"})
_CONTROLS_IN_TEXT = frozenset("\t\n\r\f\x1b")


@value
class _Language:
    encoding: str
    common: frozenset[str]
    if_common: float
    """What one common letter says, as the logarithm of a likelihood ratio; and what one that isn't says."""
    if_not: float


def wide_encoding(data: bytes) -> str | None:
    """UTF-16 or UTF-32 without a mark: where most characters are ASCII, and none is one that texts don't have."""
    for encoding in WIDE:
        text = _decoded(data[:_SAMPLED], encoding)
        if text is not None and len(text) >= _FEWEST_WIDE and _is_plain(text) and is_exact(data, encoding):
            return encoding
    return None


def likely_encoding(data: bytes) -> str | None:
    """One of the table's; for bytes that are not valid UTF-8."""
    sample = _lines_not_ascii(data)
    scores = sorted(((_score(sample, language), language.encoding) for language in _languages()), reverse=True)
    (best, encoding), (second, _) = scores[:2]
    certain = best >= _CERTAIN and best - max(second, 0.0) >= _CERTAIN
    return encoding if certain and is_exact(data, encoding) else None


def _lines_not_ascii(data: bytes) -> bytes:
    """What tells: a licence at the head of a file says nothing about the comments further down."""
    lines: list[bytes] = []
    size = 0
    for match in _NOT_ASCII.finditer(data):
        lines.append(match[0][: _SAMPLED - size])
        size += len(lines[-1])
        if size >= _SAMPLED:
            break
    return b"\n".join(lines)


def is_exact(data: bytes, encoding: str) -> bool:
    """The bytes are text in this encoding, and the text gives the same bytes back."""
    try:
        return data.decode(encoding).encode(encoding) == data
    except UnicodeError:
        return False


def _is_plain(text: str) -> bool:
    plain = sum(character.isascii() for character in text)
    return 2 * plain > len(text) and all(map(_is_of_text, set(text)))


def _is_of_text(character: str) -> bool:
    return character in _CONTROLS_IN_TEXT or unicodedata.category(character) not in ("Cc", "Cn", "Co", "Cs")


def _score(sample: bytes, language: _Language) -> float:
    text = _decoded(sample, language.encoding)
    if text is None:
        return -math.inf
    letters = [character for character in text if not character.isascii()]
    if language.encoding not in _MULTIBYTE and len(letters) < _LETTERS_IN_A_ROW * _runs(text):
        return -math.inf
    common = sum(character in language.common for character in letters)
    return common * language.if_common + (len(letters) - common) * language.if_not


def _runs(text: str) -> int:
    """How often letters that are not ASCII begin."""
    ascii_before = (" ", *text)
    return sum(
        before.isascii() and not character.isascii() for before, character in zip(ascii_before, text, strict=False)
    )


def _decoded(sample: bytes, encoding: str) -> str | None:
    """The last character may be cut."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(sample, final=False)
    except UnicodeDecodeError:
        return None


@cache
def _languages() -> tuple[_Language, ...]:
    import tomllib  # most runs meet no such file

    table = tomllib.loads(Path(__file__).with_name("encodings.toml").read_text("utf-8"))
    return tuple(_parsed(table))


def _parsed(table: dict[str, dict[str, object]]) -> Iterator[_Language]:
    for encoding, entry in table.items():
        share, chance = float(str(entry["share"])), float(str(entry["chance"]))
        common = frozenset("".join(str(entry["common"]).split()))
        yield _Language(encoding, common, math.log(share / chance), math.log((1 - share) / (1 - chance)))
