"""Looks for a line in output as it comes, pieces of lines included: a prompt has no end of line."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable

from handrail.tools.text.terminal import as_shown

LONGEST_LINE = 64_000
"""Bytes of one line that are looked at; of a longer one, the last ones."""

_ENDS = re.compile(rb"\r\n|\n|\r(?!\Z)")
"""A carriage return ends a line too: progress is written so. One at the very end may be half of `\\r\\n`."""


class Scanner:
    """`found` becomes the first line that is wanted; None where none comes any more."""

    def __init__(self, wanted: Callable[[str], bool]) -> None:
        self.found: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._wanted = wanted
        self._rest = b""

    def feed(self, piece: bytes) -> None:
        *lines, rest = _ENDS.split(self._rest + piece)
        self._rest = rest[-LONGEST_LINE:]
        for line in (*lines, self._rest):
            if self.found.done():
                return
            text = as_shown(line.decode(errors="replace")).rstrip("\r")
            if text and self._wanted(text):
                self.found.set_result(text)

    def end(self) -> None:
        if not self.found.done():
            self.found.set_result(None)
