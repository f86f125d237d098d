"""The `mcp` SDK, loaded when the first server is to be connected: it takes more than a second. And the thread that
does this, which also does what else takes long and needs no loop.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib import import_module
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_SESSION = "handrail.providers.mcp.connection"
"""The module here that needs all of it."""

_THREAD = "handrail mcp"


async def loaded() -> None:
    """Returns once the SDK can be imported without a wait. Servers that start together wait for one load.

    What the SDK logs is for programs that listen: without one, Python would print it, servers' words and all.
    """
    _log_of_sdk()
    await aside(import_module, _SESSION)


async def aside(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Work for servers, off the loop: one piece at a time, in the order in which it was asked for."""
    return await asyncio.get_running_loop().run_in_executor(_thread(), partial(work, *given, **named))


def give_up() -> None:
    """Ends a load that goes on, at the next of the SDK's modules: a process that ends would wait for all of them.

    For a process that does nothing more: what was loaded by halves can't be loaded again.
    """
    if _thread.cache_info().currsize:
        sys.meta_path.insert(0, _NoMore())
        _thread().shutdown(wait=False, cancel_futures=True)


class _GivenUp(BaseException):
    """No ImportError: modules go on without what they can do without."""


class _NoMore:
    """Asked first for every module that is not loaded yet: lets the thread here import none."""

    def find_spec(self, fullname: str, path: object, target: object = None, /) -> None:
        if threading.current_thread().name.startswith(_THREAD):
            raise _GivenUp


@cache
def _log_of_sdk() -> None:
    logging.getLogger("mcp").addHandler(logging.NullHandler())


@cache
def _thread() -> ThreadPoolExecutor:
    """One of its own: those that files are read in stay free."""
    return ThreadPoolExecutor(1, _THREAD)
