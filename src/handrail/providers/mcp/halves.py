"""JSON without halves of surrogate pairs, which is what JavaScript makes of a text that is cut within an emoji: the
parser of pydantic refuses a whole message for one. Pure.
"""

from __future__ import annotations

import re

_HALF = rb"\\u[dD][89a-fA-F][\da-fA-F]{2}"
_PAIR = rb"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}"
_PIECES = re.compile(rb"(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])|" + _PAIR + rb")++|(" + _HALF + rb")")
"""All that stands between two halves, at once; or, as the group, a half. Backslashes stand in JSON's strings alone."""


def without_halves(json: bytes) -> bytes:
    """With `?` where a half stood."""
    return _PIECES.sub(lambda found: b"?" if found[1] else found[0], json) if b"\\u" in json else json
