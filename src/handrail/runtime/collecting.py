"""Garbage collection, left out where it would only cost."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Within it nothing looks for cyclic garbage: for a short time in which much is made, and all of it stays.

    Each full collection walks over everything that was made so far, so that many take more than their share. Not
    around an `await`: it holds for the whole process.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
