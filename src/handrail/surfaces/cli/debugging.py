"""`handrail --debug`: where an error came from, for whoever mends it. Without it an error is a line for people."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

import click


class Debugging:
    """Whether tracebacks are wanted: known only once the command line was read."""

    def __init__(self) -> None:
        self.wanted = False

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Prints the traceback of what leaves the block, if that is wanted; it goes on its way."""
        try:
            yield
        except Exception:
            if self.wanted:
                traceback.print_exc()
            raise


def ask_to_see(context: click.Context, parameter: click.Parameter, given: bool) -> None:
    """The callback of the option."""
    if given and isinstance(context.obj, Debugging):
        context.obj.wanted = True
