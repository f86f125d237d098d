"""A file's bytes as text, in a way that gives the same bytes back.

Known for sure are the byte order marks and valid UTF-8. Anything else without NUL bytes is taken as
Latin-1, in which every byte is a character, so nothing is lost.
"""

from __future__ import annotations

import codecs

from handrail.contract.values import value

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SNIFFED = 8192
"""Bytes in which a NUL shows that a file is binary; what git and ripgrep look at is about as much."""


class Unencodable(ValueError):
    """The text has a character that the file's encoding lacks; the argument is the character."""


@value
class TextFile:
    """`body` is the text without its byte order mark: as UTF-8, or for Latin-1 the file's own bytes."""

    encoding: str
    mark: bytes
    body: bytes

    @property
    def name(self) -> str:
        """For messages."""
        return self.encoding.upper() + (" with a byte order mark" if self.mark else "")

    @property
    def text(self) -> str:
        return self.body.decode(self._of_body)

    def encode(self, text: str) -> bytes:
        """Text in the encoding of `body`. Raises Unencodable."""
        try:
            return text.encode(self._of_body)
        except UnicodeEncodeError as error:
            raise Unencodable(text[error.start]) from None

    def to_file(self, body: bytes) -> bytes:
        """The bytes of a file of the same encoding and mark with another body."""
        if self.encoding in ("utf-8", "latin-1"):
            return self.mark + body
        return self.mark + body.decode("utf-8").encode(self.encoding)

    @property
    def _of_body(self) -> str:
        return "latin-1" if self.encoding == "latin-1" else "utf-8"


PLAIN = TextFile("utf-8", b"", b"")
"""What a new file is."""


def as_text(data: bytes) -> TextFile | None:
    """None for what is not text."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], mark, encoding)
    if b"\0" in data[:_SNIFFED]:
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return TextFile("latin-1", b"", data)
    return TextFile("utf-8", b"", data)


def _marked(rest: bytes, mark: bytes, encoding: str) -> TextFile | None:
    try:
        text = rest.decode(encoding)
    except UnicodeDecodeError:
        return None
    return TextFile(encoding, mark, rest if encoding == "utf-8" else text.encode("utf-8"))
