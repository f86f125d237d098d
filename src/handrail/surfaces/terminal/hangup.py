"""A terminal that has gone away: its window was closed, or the connection broke. The session still has to be closed."""

from __future__ import annotations

import errno
import os
import sys


def is_gone(error: BaseException | None) -> bool:
    """Whether that is how it shows that the terminal has gone away."""
    return isinstance(error, EOFError) or (isinstance(error, OSError) and error.errno == errno.EIO)


def show_nothing_more() -> None:
    """What is still written for the person, who does not see it any more, goes nowhere and fails nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(nowhere, stream.fileno())
    os.close(nowhere)
