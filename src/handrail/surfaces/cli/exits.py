"""How this surface ends, and how it speaks beside its output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from handrail.surfaces.cli.text import printable

DONE = 0
FAULT = 1
USAGE = 2
WAITING = 3
LIMIT = 4
"""A limit that was set, or a hook, ended the work."""
MODEL = 5
"""The model could not be reached, or its answer not be read."""
INTERRUPTED = 130
BROKEN_PIPE = 141


def told(message: str) -> None:
    """One line on stderr for each line of the message, so that output stays output. It is made printable: errors name
    what files, servers and command lines hold."""
    with heard_or_not():
        for line in printable(message, keep_lines=True).splitlines():
            sys.stderr.write(f"handrail: {line}\n")


@contextmanager
def heard_or_not() -> Iterator[None]:
    """What is said on stderr is no result: where nobody takes it the work goes on, and the rest is said to nobody."""
    try:
        yield
    except OSError:
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
