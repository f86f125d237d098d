"""Makes calls in a session of its own, and prints what the last one declared: `effects_child.py WORKSPACE CALLS`.

`CALLS` is a JSON array of `{"tool", "arguments"}`. While the last one's tool runs, and at no other time, what this
process and its children do lies between two looks at a path that is nowhere: whoever traces it finds the run by them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from typing import Any

from handrail.catalog.later import itself
from handrail.contract.basics import CallId
from handrail.contract.calls import AwaitingApproval, CallRequest, Executing, ObjectArguments
from handrail.contract.confirmation import Answer, Once, QuestionConfirmation, Reply
from handrail.contract.effects import Effects, PathEffect
from handrail.contract.tool import Tool
from handrail.policy import Mode
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import MemoryJournal
from handrail.tools import builtin_tools

BEGIN, END = "/the-run-begins", "/the-run-ends"


class Agreeing:
    surface = "test"

    async def answer(self, call: AwaitingApproval) -> Answer:
        return Reply("yes") if isinstance(call.confirmation, QuestionConfirmation) else Once()


def marked(tool: Tool[Any]) -> None:
    run = tool.execute

    async def execute(params: Any, context: Any) -> Any:
        look(BEGIN)
        try:
            return await run(params, context)
        finally:
            look(END)

    tool.execute = execute  # type: ignore[method-assign]


def look(path: str) -> None:
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_RDONLY))


async def main(workspace: str, calls: list[dict[str, Any]]) -> None:
    tools, journal = tuple(map(itself, builtin_tools())), MemoryJournal()
    parts = Parts(tools=tools, journal=journal, asker=Agreeing())
    async with Session.open(workspace, mode=Mode.BYPASS, parts=parts) as session:
        for number, call in enumerate(calls):
            if number == len(calls) - 1:
                marked(next(tool for tool in tools if tool.name == call["tool"]))
            request = CallRequest(CallId(f"c{number}"), call["tool"], ObjectArguments(call["arguments"]))
            state = await session.submit(request).settled
        declared = [
            state.effects
            for _, state in journal.states
            if isinstance(state, Executing) and state.request.id == request.id
        ]
    print(json.dumps({"state": type(state).__name__, "text": state.result.text, "declared": shown(declared)}))


def shown(declared: list[Effects]) -> dict[str, Any] | None:
    """None where it never ran."""
    if not declared:
        return None
    effects = declared[-1]
    return {
        "certainty": effects.certainty,
        "reads": [path(effect) for effect in effects.reads],
        "writes": [path(effect) for effect in effects.writes],
        "connects": sorted(effects.connects),
    }


def path(effect: PathEffect) -> dict[str, Any]:
    return {"path": str(effect.resolved), "scope": effect.scope, "spares_secrets": effect.spares_secrets}


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], json.loads(sys.argv[2])))
