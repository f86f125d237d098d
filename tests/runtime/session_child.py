"""A process of its own with a session in a workspace, told line by line how many calls to run at once.

Argument: the workspace. Each call makes a file of its own in the folder `marks`, and fails where it is there; every
fourth one is asked about first. Questions of other sessions are approved here.
Prints the session's id; then, for each line of input, how each call ended, or why it did not run.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

from handrail.contract.basics import Instant, JsonObject, SessionId
from handrail.contract.calls import SettledState
from handrail.contract.confirmation import Once
from handrail.contract.effects import Claims, PathClaim
from handrail.errors import UsageError
from handrail.runtime.approval_store import ApprovalStore
from handrail.runtime.askers import Held
from handrail.runtime.parts import Parts
from handrail.runtime.who import answerer_here
from handrail.session import Session
from handrail.settings.places import journal_file, state_folder
from handrail.testing import FakeTool

ASKED_OF_EACH = 4
LOOK_SECONDS = 0.02


def approve_for_others(journal: Path, own: SessionId, ended: Event) -> None:
    with closing(ApprovalStore(journal)) as store:
        while not ended.wait(LOOK_SECONDS):
            for question in store.open_questions():
                if question.session != own:
                    with suppress(UsageError):  # a third process was first
                        store.answer(question.id, Once(), answerer_here("other"), Instant(time.time()))


def marking_tool(name: str, marks: Path, *, asked: bool) -> FakeTool:
    async def leave_mark(params: Mapping[str, Any], context: Any) -> str:
        with (marks / params["mark"]).open("x"):
            return "left"

    def claims(params: JsonObject) -> Claims:
        return Claims(writes=(PathClaim(str(marks / str(params["mark"]))),))

    return FakeTool(name, leave_mark, claims=claims, needs_approval=asked)


async def main(workspace: Path) -> None:
    marks = workspace / "marks"
    marks.mkdir(exist_ok=True)
    tools = [marking_tool("mark", marks, asked=False), marking_tool("ask_mark", marks, asked=True)]
    async with Session.open(workspace, mode="bypass", parts=Parts(tools=tools, asker=Held())) as session:
        ended = Event()
        approver = Thread(target=approve_for_others, args=(journal_file(state_folder(), workspace), session.id, ended))
        approver.start()
        print(session.id, flush=True)
        number = 0
        while line := await asyncio.to_thread(sys.stdin.readline):
            ids = range(number, number := number + int(line))
            calls = [
                {
                    "id": f"c{id}",
                    "name": "mark" if id % ASKED_OF_EACH else "ask_mark",
                    "arguments": {"mark": f"{os.getpid()}-{id}"},
                }
                for id in ids
            ]
            turn = await session.run({"calls": calls})
            settled = [state for state in turn.calls if isinstance(state, SettledState)]
            print("; ".join(state.fault.message if state.fault else "done" for state in settled), flush=True)
        ended.set()
        await asyncio.to_thread(approver.join)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
