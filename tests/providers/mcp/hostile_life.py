"""One session with a hostile server, in a process of its own so that its memory can be measured.

Prints, as JSON, the most memory it had, how the server stood, what became of a call of it, and whether another call
went well meanwhile. Arguments: the folder, the script of the server, the seconds that it
has for a call, and its address and transport where it has one.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from mcp_world import World, called, text_of, tool, until

from handrail.contract.calls import Completed
from handrail.contract.provider import Condition
from handrail.settings.mcp.server import Http


def most_memory() -> int:
    """Bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


async def life(folder: Path, script: dict[str, Any], within: float, at: Http | None) -> dict[str, Any]:
    if at is not None:
        import_module("handrail.providers.mcp.http")  # what it takes by itself is not the server's doing
    world = World(folder)
    fine = world.config("fine", {"tools": [tool("one")]})
    bad = world.config("bad", script, start_within=60, call_within=within)
    bad = bad if at is None else replace(bad, transport=at)
    async with world.session(fine) as session:
        await until(session, lambda status: status.condition is Condition.READY)
        await called(session, "mcp_fine_one")
    before = most_memory()
    async with world.session(fine, bad) as session:
        await until(session, lambda status: status.condition is Condition.READY, "fine")
        status = await until(session, lambda status: status.condition is not Condition.STARTING, "bad")
        offered = [shown.name for shown in session.menu().tools if shown.name.startswith("mcp_bad")]
        outcomes = []
        for name in offered[:3]:
            state = await called(session, name)
            outcomes.append((type(state).__name__, text_of(state)[:200] + text_of(state)[-400:]))
        own = await called(session, "own")
        fine_state = await called(session, "mcp_fine_one")
        return {
            "grown": most_memory() - before,
            "condition": status.condition,
            "detail": status.detail,
            "problems": len(status.problems),
            "offered": len(offered),
            "outcomes": outcomes,
            "usable": isinstance(own, Completed) and isinstance(fine_state, Completed),
        }


if __name__ == "__main__":
    folder, script = Path(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text())
    at = Http(sys.argv[4], kind="sse" if sys.argv[5] == "sse" else "http") if sys.argv[4:] else None
    print(json.dumps(asyncio.run(life(folder, script, float(sys.argv[3]), at))))
