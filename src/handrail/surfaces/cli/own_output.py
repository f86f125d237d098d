"""Standard output for the command alone: what a tool's code prints there meanwhile becomes lines on stderr.

Tools of files and packages run in this process, and programs read what a command prints. So file descriptor 1 leads
elsewhere while a session is open: also for code that is not Python, and for children that inherit it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from threading import Thread
from typing import TextIO

from handrail.surfaces.cli import exits
from handrail.surfaces.cli.text import printable, wants_colour
from handrail.surfaces.cli.wrapping import output_columns

MOST_LINES = 100
"""That are told; of the rest the number is."""
LONGEST_LINE = 500
"""Characters of one that are told."""
ENDS_WITHIN = 0.5
"""Seconds that the end waits for the last words: a child that still holds the descriptor would keep it waiting."""
_PIECE = 65_536


class OwnOutput:
    """Where a command prints its results."""

    def __init__(self, stream: TextIO, *, colour: bool, columns: int) -> None:
        self.colour, self.columns = colour, columns
        self._stream = stream

    def line(self, text: str) -> None:
        """At once. Raises OSError where nobody takes it, and does so for each later one."""
        self._stream.write(f"{text}\n")
        self._stream.flush()


@contextmanager
def own_output() -> Iterator[OwnOutput]:
    """Within it, nothing but what goes through the OwnOutput is on stdout."""
    colour, columns, shared = wants_colour(), output_columns(), sys.stdout
    descriptor = _descriptor(shared)
    if descriptor is None or not isinstance(shared, TextIOWrapper):
        yield OwnOutput(shared, colour=colour, columns=columns)
        return
    shared.flush()
    kept = os.dup(descriptor)
    strays, entrance = os.pipe()
    os.dup2(entrance, descriptor, inheritable=True)
    os.close(entrance)
    telling = Thread(target=_Strays(exits.told).tell, args=(strays,), name="handrail-stray-output", daemon=True)
    telling.start()
    with os.fdopen(kept, "w", encoding=shared.encoding, errors=shared.errors) as stream:
        shared.reconfigure(line_buffering=True)
        try:
            yield OwnOutput(stream, colour=colour, columns=columns)
        finally:
            with suppress(OSError, ValueError):
                shared.flush()
            os.dup2(kept, descriptor, inheritable=True)
            telling.join(ENDS_WITHIN)


def _descriptor(stream: TextIO) -> int | None:
    """None for an object that somebody put in the place of stdout."""
    try:
        return stream.fileno()
    except (AttributeError, OSError, ValueError):
        return None


class _Strays:
    """What was printed, line by line, bounded."""

    def __init__(self, told: Callable[[str], None]) -> None:
        self._told = told
        self._line = b""
        self._cut = False
        """The rest of the line is passed over."""
        self._count = 0

    def tell(self, descriptor: int) -> None:
        """Reads until nobody can print there any more. Blocks."""
        with os.fdopen(descriptor, "rb", buffering=0) as source:
            while piece := source.read(_PIECE):
                *whole, rest = piece.split(b"\n")
                for part in whole:
                    self._add(part)
                    self._end()
                self._add(rest)
        if self._line or self._cut:
            self._end()
        if self._count > MOST_LINES:
            self._told(f"{self._count - MOST_LINES:,} more lines that tools printed are left out")

    def _add(self, part: bytes) -> None:
        most = 4 * LONGEST_LINE
        self._cut = self._cut or len(self._line) + len(part) > most
        self._line = (self._line + part)[:most]

    def _end(self) -> None:
        text = printable(self._line.decode("utf-8", "replace").rstrip("\r"))
        if self._cut or len(text) > LONGEST_LINE:
            text = f"{text[:LONGEST_LINE]}…"
        self._line, self._cut = b"", False
        if text.strip():
            self._count += 1
            if self._count <= MOST_LINES:
                self._told(f"a tool printed: {text}")
