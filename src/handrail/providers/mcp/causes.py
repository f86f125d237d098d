"""What is at the bottom of a group of errors: task groups wrap even a single one."""

from __future__ import annotations

from collections.abc import Iterator


def causes(error: BaseException) -> Iterator[BaseException]:
    """The errors that a group holds, at any depth; of any other error itself."""
    if isinstance(error, BaseExceptionGroup):
        for each in error.exceptions:
            yield from causes(each)
    else:
        yield error
