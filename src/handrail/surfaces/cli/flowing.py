"""Takes secrets out of a text that is shown in parts, as it comes. Pure.

Of all shapes of secrets a private key alone has several lines (RFC 7468; RFC 1421 for the headers of one that is
encrypted), so its lines may come in several parts, of which only the first shows what it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from handrail.settings.redaction import Redactor

_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----\s*$")
_ENDS = re.compile(r"\s*-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----")
_WITHIN = re.compile(r"\s*+(?:[A-Za-z0-9+/=]*+|[A-Za-z-]++: .*|(?:`{3,}|~{3,})\w*+)\s*+")
"""A line of a key, a header or nothing; or the fence around it, which each part of a long block has. Each sign is
looked at once, however many blanks there are."""


class Flowing:
    """One text. Words behind a key that never ends are shown again."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._in_key = False

    def text(self, part: str) -> str | None:
        """The next lines without secrets; None where all of them belong to a key of which the beginning was shown."""
        shown, self._in_key = self._told(part)
        return shown

    def ahead(self, part: str) -> str:
        """Lines that will come again, as they would be shown now."""
        return self._told(part)[0] or ""

    def _told(self, part: str) -> tuple[str | None, bool]:
        lines = part.split("\n")
        if self._in_key:
            within = _length_of_key(lines)
            if within == len(lines):
                return None, True
            lines = lines[within + bool(_ENDS.match(lines[within])) :]
        return (self._redactor.text("\n".join(lines)) if lines else None), _is_open(lines)


def _length_of_key(lines: Sequence[str]) -> int:
    return next((place for place, line in enumerate(lines) if not _WITHIN.fullmatch(line)), len(lines))


def _is_open(lines: Sequence[str]) -> bool:
    """A key begins in them, and does not end."""
    begins = next((place for place in reversed(range(len(lines))) if _BEGINS.search(lines[place])), None)
    return begins is not None and _length_of_key(lines[begins + 1 :]) == len(lines) - begins - 1
