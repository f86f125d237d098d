"""JSON without halves of surrogate pairs, which is what JavaScript makes of a text that is cut within an emoji: the
parser of pydantic refuses a whole message for one.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

import httpx2

_HALF = rb"\\u[dD][89a-fA-F][\da-fA-F]{2}"
_PAIR = rb"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}"
_PIECES = re.compile(rb"(?:[^\\]++|\\[^u]|\\u(?![dD][89a-fA-F])|" + _PAIR + rb")++|(" + _HALF + rb")")
"""All that stands between two halves, at once; or, as the group, a half. Backslashes stand in JSON's strings alone."""
_BEGUN = re.compile(rb"\\(?:u(?:[\da-fA-F]{0,3}|[dD][89abAB][\da-fA-F]{2}(?:\\(?:u[\da-fA-F]{0,3})?)?)?)?\Z")
"""An escape whose end may be yet to come."""
_MOST_BEGUN = 11
"""Bytes of one."""


class Halves:
    """JSON in pieces, however they are cut: gives each with `?` where a half stood. Holds back a few bytes at most."""

    def __init__(self) -> None:
        self._begun = b""

    def add(self, piece: bytes) -> bytes:
        if b"\\" not in piece and not self._begun:
            return piece
        given = self._begun + piece
        end = _begun_at(given)
        self._begun = given[end:]
        return without_halves(given[:end])

    def rest(self) -> bytes:
        """What was held back, once no more comes."""
        begun, self._begun = self._begun, b""
        return without_halves(begun)


def without_halves(json: bytes) -> bytes:
    return _PIECES.sub(lambda found: b"?" if found[1] else found[0], json)


def _begun_at(given: bytes) -> int:
    """Where the escape begins that may go on; the end where none does."""
    found = _BEGUN.search(given, max(0, len(given) - _MOST_BEGUN))
    while found is not None:
        start = found.start()
        before = start - len(given[:start].rstrip(b"\\"))
        if before % 2 == 0:
            return start
        found = _BEGUN.search(given, start + 1)  # the backslash is itself what another one escapes
    return len(given)


class MendedStream(httpx2.AsyncByteStream):
    """The body of a response as it comes."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        halves = Halves()
        async for piece in self._response.aiter_bytes():
            if mended := halves.add(piece):
                yield mended
        if rest := halves.rest():
            yield rest

    async def aclose(self) -> None:
        await self._response.aclose()
