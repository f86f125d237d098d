"""How this surface ends, and how it speaks beside its output."""

from __future__ import annotations

import sys

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
    """One line on stderr for each line of the message, so that output stays output."""
    for line in message.splitlines():
        sys.stderr.write(f"handrail: {line}\n")
