"""The `mcp` SDK, loaded when the first server is to be connected: it takes more than a second."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module

_SESSION = "handrail.providers.mcp.connection"
"""The module here that needs all of it."""


async def loaded() -> None:
    """Returns once the SDK can be imported without a wait. Servers that start together wait for one load."""
    await asyncio.get_running_loop().run_in_executor(_loader(), import_module, _SESSION)


@cache
def _loader() -> ThreadPoolExecutor:
    """One thread of its own: those that files are read in stay free."""
    return ThreadPoolExecutor(1, "mcp-sdk")
