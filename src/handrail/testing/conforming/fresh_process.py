"""What runs in a new process for `fresh`: finds a tool, and prints what it says of itself."""

from __future__ import annotations

import sys
from importlib import import_module
from operator import attrgetter

from handrail.testing.conforming.stable import said_of


def main(module: str, name: str) -> None:
    found = attrgetter(name)(import_module(module))
    tool = found() if isinstance(found, type) else found
    sys.stdout.write(f"\n{said_of(tool)}\n")
