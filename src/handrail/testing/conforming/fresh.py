"""Builds what a tool says of itself again, in new processes that hash otherwise.

A set that is written into a schema comes out in another order in each process; then no provider's cache
of the prompt holds.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from handrail.contract.launching import Launcher, LaunchSpec
from handrail.contract.tool import Tool
from handrail.errors import LauncherError

HASH_SEEDS = (1, 2, 3)
"""Of the new processes. Two names of one set keep their order in all of them one time in eight."""
_PATIENCE = 60.0
"""Seconds for a process to import the tool."""
_PROGRAM = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from handrail.testing.conforming.fresh_process import main; main(*sys.argv[2:])"
)


async def freshly_said(tool: Tool[Any], launcher: Launcher) -> set[str]:
    """What `stable.said_of` gives for the tool in the new processes. Raises LookupError where it can't be built."""
    place = _place_of(tool)
    if place is None:
        raise LookupError("it was made in a function, where another process can't find it")
    return set(await asyncio.gather(*(_said_under(seed, *place, launcher) for seed in HASH_SEEDS)))


def _place_of(tool: Tool[Any]) -> tuple[str, str] | None:
    """Module and name of the tool itself, or of its class where that takes no arguments."""
    cls = type(tool)
    if not vars(tool) and _found(cls.__module__, cls.__qualname__) is cls:
        return cls.__module__, cls.__qualname__
    for name, module in list(sys.modules.items()):
        for attribute, value in list(getattr(module, "__dict__", {}).items()):
            if value is tool:
                return name, attribute
    return None


def _found(module: str, name: str) -> object:
    found: object = sys.modules.get(module)
    for step in name.split("."):
        found = getattr(found, step, None)
    return found


async def _said_under(seed: int, module: str, name: str, launcher: Launcher) -> str:
    argv = (sys.executable, "-c", _PROGRAM, json.dumps([str(place) for place in sys.path]), module, name)
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    try:
        ended = await launcher.run(LaunchSpec(argv, Path.cwd(), environment, timeout=_PATIENCE))
    except LauncherError as error:
        raise LookupError(str(error)) from error
    lines = (ended.head + ended.tail).decode(errors="replace").splitlines()
    if ended.exit_code != 0 or not lines:
        raise LookupError(f"a new process can't import it: {lines[-1] if lines else ended.ending}")
    return lines[-1]
