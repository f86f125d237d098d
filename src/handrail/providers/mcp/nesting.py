"""JSON that is no deeper than what reads it takes: what lies deeper is cut out, so that one schema or one result that
has no end costs nothing that stands beside it. Pure.
"""

from __future__ import annotations

import re
from itertools import accumulate

MOST_LEVELS = 200
"""Brackets within each other, as many as pydantic's parser takes. Of the 402 schemas recorded from real servers the
deepest has 11."""
MOST_BRACKETS = 2_000_000
"""In one message that is cut; one of more is left to the parser, which refuses it."""
LEFT_OUT = f"[left out: deeper than {MOST_LEVELS} levels]"
"""Stands where something was cut. As a schema it is none; whoever reads one looks for it."""

STRING = rb'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)'
"""One without an end takes the rest: it is looked at once."""
_PLAIN = rb"(?:" + STRING + rb'|[^"\[\]{}]++)++'
_BETWEEN = re.compile(_PLAIN, re.DOTALL)
"""All between two brackets."""
_PIECES = re.compile(_PLAIN + rb"|[\[\]{}]", re.DOTALL)
_STEPS = [(byte in b"[{") - (byte in b"]}") for byte in range(256)]


def shallow(json: bytes) -> bytes:
    """The same, with `LEFT_OUT` as a text for each list or object that is deeper than `MOST_LEVELS`."""
    if json.count(b"[") + json.count(b"{") <= MOST_LEVELS:
        return json
    brackets = _BETWEEN.sub(b"", json)
    if len(brackets) > MOST_BRACKETS or max(accumulate(map(_STEPS.__getitem__, brackets)), default=0) <= MOST_LEVELS:
        return json
    return _cut(json)


def _cut(json: bytes) -> bytes:
    kept = bytearray()
    level = start = 0
    for piece in _PIECES.finditer(json):
        step = _STEPS[json[piece.start()]]
        if step > 0 and level == MOST_LEVELS:
            kept += json[start : piece.start()]
            kept += f'"{LEFT_OUT}"'.encode()
        elif step < 0 and level == MOST_LEVELS + 1:
            start = piece.end()
        level += step
    return bytes(kept if level > MOST_LEVELS else kept + json[start:])
