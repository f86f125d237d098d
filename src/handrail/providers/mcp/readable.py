"""A server's JSON as pydantic's parser takes it. That one refuses a whole message for half of a surrogate pair, for an
integer of thousands of digits, and for what is nested too deeply: none of these may hide the tools, or be the end of
the call, of those beside it. Pure.
"""

from __future__ import annotations

import re

from handrail.providers.mcp.halves import without_halves
from handrail.providers.mcp.nesting import STRING, shallow
from handrail.wire.jsontext import LONGEST_INTEGER

_DIGITS = rb"\d{%d,}+" % (LONGEST_INTEGER + 1)
_MANY_DIGITS = re.compile(rb"(?<!\d)" + _DIGITS)
_PLAIN = rb'[^"\d-]++|' + STRING + rb"|-?+\d{1,%d}+(?!\d)|-(?!\d)" % LONGEST_INTEGER
_PIECES = re.compile(rb"(?:" + _PLAIN + rb"|-?+" + _DIGITS + rb"(?=[.eE]))++|(-?" + _DIGITS + rb")", re.DOTALL)
"""All that stands between two integers that are too long, at once; or, as the group, one of them."""


def readable(json: bytes) -> bytes:
    """Means the same, but for what the parser does not take: see `without_halves` and `shallow`; an integer that is
    too long is a text."""
    return shallow(_without_long_integers(without_halves(json)))


def _without_long_integers(json: bytes) -> bytes:
    if len(json) <= LONGEST_INTEGER or _MANY_DIGITS.search(json) is None:
        return json
    return _PIECES.sub(lambda found: b'"' + found[1] + b'"' if found[1] else found[0], json)
