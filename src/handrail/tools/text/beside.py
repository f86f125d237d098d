"""Works out a change in a thread: in a file of many megabytes that takes seconds, which no other call should wait."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


async def beside_the_loop(plan: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Of pure work alone: whoever is cancelled does not wait for its end. Raises what the work raises."""
    import asyncio  # as long to load as all the tools together, and whoever only lists them needs none of it

    return await asyncio.to_thread(plan, *args, **kwargs)
