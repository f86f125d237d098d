"""The `mcp` SDK, loaded when the first server is to be connected: it takes more than a second. And the thread that
does this, which also does what else takes long and needs no loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from importlib import import_module
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_SESSION = "handrail.providers.mcp.connection"
"""The module here that needs all of it."""


async def loaded() -> None:
    """Returns once the SDK can be imported without a wait. Servers that start together wait for one load.

    What the SDK logs is for programs that listen: without one, Python would print it, servers' words and all.
    """
    _log_of_sdk()
    await aside(import_module, _SESSION)


async def aside(work: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
    """Work for servers, off the loop: one piece at a time, in the order in which it was asked for."""
    return await asyncio.get_running_loop().run_in_executor(_thread(), partial(work, *given, **named))


@cache
def _log_of_sdk() -> None:
    logging.getLogger("mcp").addHandler(logging.NullHandler())


@cache
def _thread() -> ThreadPoolExecutor:
    """One of its own: those that files are read in stay free."""
    return ThreadPoolExecutor(1, "mcp")
