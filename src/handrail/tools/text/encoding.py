"""A file's bytes as text, in a way that gives the same bytes back.

Known for sure are the byte order marks and valid UTF-8. Other encodings are named where `guessing` is certain and the
text gives back every byte. Anything else without NUL bytes is taken as cp1252, or where a byte has no meaning in that
as Latin-1, in which every byte is a character: nothing is lost.
"""

from __future__ import annotations

import codecs

from handrail.contract.values import value
from handrail.tools.text.guessing import is_exact, likely_encoding, wide_encoding

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BYTE_BY_BYTE = frozenset({"utf-8", "latin-1", "cp1251", "cp1252", "cp1253", "cp1255", "cp1256", "koi8_r"})
"""Encodings in which the bytes of one character are never found inside of others: exact work needs no other form."""
_IN_WORDS = {
    "latin-1": "Latin-1", "cp1252": "Windows-1252", "cp1251": "Windows-1251", "cp1253": "Windows-1253",
    "cp1255": "Windows-1255", "cp1256": "Windows-1256", "koi8_r": "KOI8-R", "gb18030": "GB18030",
    "big5": "Big5", "cp932": "Shift-JIS", "euc_jp": "EUC-JP", "cp949": "EUC-KR",
}  # fmt: skip
FALLBACKS = ("cp1252", "latin-1")
"""What text is taken for that is nothing else for certain."""
_PIECE = 1_000_000
_SNIFFED = 8192
"""Bytes in which a NUL shows that a file is binary; what git and ripgrep look at is about as much."""
_NO_CONTROLS = bytes(sorted(set(range(256)) - (set(range(32)) - set(b"\t\n\r\f\x1b")) - {0x7F}))
_MOST_CONTROLS = 20
"""Of so many characters of a text, one at most is a control; of random bytes, two are."""
_WINDOWS_ONLY = bytes(range(0x80, 0xA0))
"""Letters and punctuation in cp1252; controls that no text has in Latin-1."""


class Unencodable(ValueError):
    """The text has a character that the file's encoding lacks; the argument is the character."""


@value
class TextFile:
    """`body` is the text without its byte order mark: the file's own bytes where a character's bytes are found in no
    other place, else UTF-8."""

    encoding: str
    mark: bytes
    body: bytes

    @property
    def name(self) -> str:
        """For messages."""
        name = _IN_WORDS.get(self.encoding, self.encoding.upper())
        return name + (" with a byte order mark" if self.mark else "")

    @property
    def text(self) -> str:
        return self.body.decode(self._of_body)

    def encode(self, text: str) -> bytes:
        """Text in the encoding of `body`. Raises Unencodable where the file's encoding lacks a character."""
        try:
            if not self.body_is_the_files_own:
                text.encode(self.encoding)
            return text.encode(self._of_body)
        except UnicodeEncodeError as error:
            raise Unencodable(text[error.start]) from None

    def to_file(self, body: bytes) -> bytes:
        """The bytes of a file of the same encoding and mark with another body."""
        if self.body_is_the_files_own:
            return self.mark + body
        return self.mark + body.decode("utf-8").encode(self.encoding)

    def part(self, data: bytes) -> str:
        """The text of a part of the body, for showing: of a character that is cut, a sign that it is."""
        return data.decode(self._of_body, errors="replace")

    @property
    def body_is_the_files_own(self) -> bool:
        """The bytes of `body` are those of the file after its mark."""
        return self._of_body == self.encoding

    @property
    def has_single_bytes(self) -> bool:
        """In `body`, one byte is one character."""
        return self._of_body != "utf-8"

    @property
    def _of_body(self) -> str:
        return self.encoding if self.encoding in _BYTE_BY_BYTE else "utf-8"


PLAIN = TextFile("utf-8", b"", b"")
"""What a new file is."""


def as_text(data: bytes) -> TextFile | None:
    """None for what is not text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], mark, encoding)
    if has_nul(data):
        wide = wide_encoding(data)
        return None if wide is None else _decoded(data, b"", wide)
    if _is_utf8(data):
        return TextFile("utf-8", b"", data)
    guess = likely_encoding(data) or _western(data)
    return None if guess is None else _decoded(data, b"", guess)


def has_nul(data: bytes) -> bool:
    """Near its beginning: it is binary, or its characters are wide."""
    return b"\0" in data[:_SNIFFED]


def _is_utf8(data: bytes) -> bool:
    """Looked at in pieces: the whole as text could take four times its bytes."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for at in range(0, len(data), _PIECE):
            decoder.decode(data[at : at + _PIECE])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _western(data: bytes) -> str | None:
    """None where it has as many control characters as no text has."""
    sample = data[:_SNIFFED]
    if len(sample.translate(None, delete=_NO_CONTROLS)) * _MOST_CONTROLS > len(sample):
        return None
    used = data.translate(None, delete=bytes(set(range(256)) - set(_WINDOWS_ONLY)))
    return "cp1252" if used and is_exact(used, "cp1252") else "latin-1"


def _decoded(rest: bytes, mark: bytes, encoding: str) -> TextFile | None:
    if encoding == "latin-1":
        return TextFile(encoding, mark, rest)
    try:
        text = rest.decode(encoding)
    except UnicodeDecodeError:
        return None
    return TextFile(encoding, mark, rest if encoding in _BYTE_BY_BYTE else text.encode("utf-8"))
