"""`handrail --debug`: where an error came from, for whoever mends it. Without it an error is a line for people."""

from __future__ import annotations

import traceback
from types import TracebackType

import click


class Debugging:
    """Whether tracebacks are wanted: known only once the command line was read."""

    def __init__(self) -> None:
        self.wanted = False

    def __enter__(self) -> Debugging:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Prints the traceback of what leaves the block, if that is wanted; it goes on its way."""
        if self.wanted and isinstance(error, Exception):
            traceback.print_exception(error)


def ask_to_see(context: click.Context, parameter: click.Parameter, given: bool) -> None:
    """The callback of the option."""
    if given and isinstance(context.obj, Debugging):
        context.obj.wanted = True
