"""The text of an answer: in the encoding it is in, which need not be the one that the server names. Pure.

In this order: a byte order mark; valid UTF-8 with something in it that is not ASCII, which no other encoding makes by
chance; what the server says, then what the page says of itself; what `tools.text.encoding` finds. The names of
encodings are those of the web alone: others that Python knows would unpack, or run through code of their own.
"""

from __future__ import annotations

import codecs
import re

from handrail.tools.text.encoding import as_text

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_OF_THE_WEB = frozenset((
    "utf-8", "utf-16-le", "utf-16-be", "ibm866", "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "gbk", "gb18030",
    "big5", "big5hkscs", "euc_jp", "iso2022_jp", "shift_jis", "cp932", "euc_kr", "cp949", "cp866", "cp874", "ascii",
    *(f"iso8859-{part}" for part in (1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
    *(f"cp{page}" for page in range(1250, 1259)),
))  # fmt: skip
"""Python's names of what https://encoding.spec.whatwg.org/#names-and-labels lists."""
_MEANT = {
    "iso8859-1": "cp1252", "ascii": "cp1252", "shift_jis": "cp932", "euc_kr": "cp949", "gbk": "gb18030",
    "big5": "big5hkscs", "utf-16": "utf-16-le",
}  # fmt: skip
"""What browsers take for what pages say they are."""
_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:\-]{1,40})", re.IGNORECASE)
_META = re.compile(rb"<meta[^>]{0,500}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:\-]{1,40})|encoding=[\"']([\w.\-]{1,40})")
_SNIFFED = 2_048
"""Bytes in which a page may say its encoding; browsers look at half of it."""


def decoded(data: bytes, content_type: str) -> tuple[str, str] | None:
    """The text, and a note where it may not be what was meant. None for what is not text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _in(data[len(mark) :], encoding)
    named = _named(content_type) or _named_within(data)
    wide = named in ("utf-16-le", "utf-16-be")
    if not wide and b"\0" not in data[:_SNIFFED] and _is_utf8(data) and (named == "utf-8" or not data.isascii()):
        return data.decode("utf-8"), ""
    if named and (wide or b"\0" not in data[:_SNIFFED]):
        text, note = _in(data, named)
        if not note:
            return text, ""
    found = as_text(data)
    if found is not None:
        return found.text, "" if found.encoding == "utf-8" or not named else f"It is not in {named}, as it says."
    return _in(data, named) if named else None


def _named(content_type: str) -> str:
    match = _CHARSET.search(content_type)
    return _known(match.group(1)) if match else ""


def _named_within(data: bytes) -> str:
    match = _META.search(data[:_SNIFFED])
    return _known((match.group(1) or match.group(2)).decode("ascii", "replace")) if match else ""


def _known(label: str) -> str:
    """Python's name of the encoding that is meant; empty for one that the web has not."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    name = _MEANT.get(name, name)
    return name if name in _OF_THE_WEB else ""


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _in(data: bytes, encoding: str) -> tuple[str, str]:
    text = data.decode(encoding, "replace")
    lost = text.count("\N{REPLACEMENT CHARACTER}")
    return (
        text,
        f"{lost:,} characters could not be read in {encoding} and are shown as \N{REPLACEMENT CHARACTER}."
        if lost
        else "",
    )
