"""The conversation that is struck by faults: thirty calls of every kind, the tools they name, and who answers.

Whatever leaves a trace leaves the mark of its call, a line of its own that is in the file before the tool returns:
tools of the script in `marks.log`, an edit in `tides.txt`. So what was done twice shows.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from handrail.contract.basics import CallId, JsonObject
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Answer, EditArguments, Once, QuestionConfirmation, Reject, Reply
from handrail.contract.context import RunContext
from handrail.contract.effects import Claims, PathClaim
from handrail.contract.results import FollowUp, ToolResult
from handrail.contract.tool import Tool
from handrail.errors import ToolFailed
from handrail.policy import Rule, rules_from
from handrail.testing import FakeTool
from servers.script import Turn, Use, numbered, says

LOG, TIDES = "marks.log", "tides.txt"
TIDES_BEFORE = "Brest 06:12\nend\n"
_LEAVE_NONE = frozenset({"look", "hands_out", "asks", "client"})
_MARK = re.compile(r"mark-[\d.]+")


def call(tool: str, number: int, **more: Any) -> Use:
    return Use(tool, {"mark": f"mark-{number:02}", **more})


def shell(command: str) -> Use:
    return Use("shell", {"command": command})


def edit(number: int) -> Use:
    return Use("edit_file", {"file_path": TIDES, "old_string": "end\n", "new_string": f"mark-{number:02}\nend\n"})


SCRIPT: tuple[Turn, ...] = tuple(
    numbered(
        [
            says(
                "I look, and note what I see.",
                call("look", 1),
                call("note", 2),
                call("note", 3),
                call("look", 4),
                call("anything", 5),
                thinking="First see what is there.",
            ),
            says(
                "",
                call("asked", 6),
                call("asked", 7, answer="no"),
                call("asked", 8, answer="edit"),
                call("forbidden", 9),
                call("note", 10),
            ),
            says(
                "Now with real files.",
                Use("read_file", {"file_path": TIDES}),
                edit(12),
                shell(f"echo mark-13 >> {LOG}"),
                shell(f"cat {TIDES}"),
                edit(15),
            ),
            says(
                "",
                call("hands_out", 16, calls=["note", "look"]),
                call("hands_out", 17, calls=["asked", "note"], answer="no"),
                call("asks", 18),
                call("look", 19),
            ),
            says(
                "",
                call("client", 20),
                call("fails", 21),
                call("no_such_tool", 22),
                Use("shell", {"cmd": "echo mark-23"}),
                call("hands_on", 24),
            ),
            says(
                "",
                call("finishes", 25),
                call("endless", 26),
                call("once", 27),
                call("once", 28),
                call("note", 29, text="x" * 20_000),
                call("look", 30),
            ),
        ]
    )
)
STREAMED = frozenset((1, 2, 4, 6))
"""Turns, from 1, that come as streams: their calls begin while the model still speaks."""
RULES: list[Rule] = rules_from([{"decision": "deny", "tool": "forbidden"}])


def attempted(number: int, attempt: int) -> Turn:
    """What the model says when it is asked for a turn once more: the same under the same ids, as some servers do, but
    with marks of its own, `mark-103` for `mark-03`, for what a broken response came to stands."""
    turn = SCRIPT[number - 1]
    if attempt == 1:
        return turn

    def again(arguments: Mapping[str, Any]) -> Any:
        return json.loads(json.dumps(arguments).replace("mark-", f"mark-{attempt - 1}"))

    return replace(turn, uses=tuple(replace(use, arguments=again(use.arguments)) for use in turn.uses))


class Marks:
    """Leaves the marks. `left` is told of each."""

    def __init__(self, workspace: Path, left: Callable[[], None]) -> None:
        self._descriptor = os.open(workspace / LOG, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        self._left = left

    async def leave(self, given: Mapping[str, Any], context: RunContext) -> str:
        os.write(self._descriptor, f"{given['mark']}\n".encode())
        self._left()
        return f"left {given['mark']}"


def tools(marks: Marks, stopped: Callable[[CallId], Awaitable[None]]) -> list[Tool[Any]]:
    """Those that the script names beside the built-in ones. `stopped` returns when a call has been told to stop."""

    async def look(given: Mapping[str, Any], context: RunContext) -> str:
        return f"seen by {given['mark']}"

    async def fails(given: Mapping[str, Any], context: RunContext) -> str:
        await marks.leave(given, context)
        raise ToolFailed("The tide is out. Leave it.")

    async def hands_out(given: Mapping[str, Any], context: RunContext) -> str:
        mark = given["mark"]
        asked = [(tool, {**given, "mark": f"{mark}.{place}"}) for place, tool in enumerate(given["calls"], 1)]
        return "; ".join([(await context.calls.call(tool, arguments)).text for tool, arguments in asked])

    async def asks(given: Mapping[str, Any], context: RunContext) -> str:
        return f"The reply: {await context.questions.ask(QuestionConfirmation('A question', 'Which port?'))}"

    async def hands_on(given: Mapping[str, Any], context: RunContext) -> ToolResult:
        said = await marks.leave(given, context)
        return replace(ToolResult.of_text(said), follow_up=FollowUp("note", {"mark": f"{given['mark']}.1"}))

    async def finishes(given: Mapping[str, Any], context: RunContext) -> str:
        said = await marks.leave(given, context)
        await stopped(context.call)
        return said

    async def endless(given: Mapping[str, Any], context: RunContext) -> str:
        await marks.leave(given, context)
        await stopped(context.call)
        return await asyncio.get_running_loop().create_future()

    writes = Claims(writes=(PathClaim(LOG),))
    finishing = FakeTool("finishes", finishes, claims=writes)
    finishing.on_cancel = "finish"
    return [
        FakeTool("look", look, claims=Claims(reads=(PathClaim(TIDES),))),
        FakeTool("note", marks.leave, claims=writes),
        FakeTool("anything", marks.leave, claims=Claims.unknown()),
        FakeTool("asked", marks.leave, claims=writes, needs_approval=True),
        FakeTool("once", marks.leave, claims=writes, needs_approval="once"),
        FakeTool("forbidden", marks.leave, claims=writes),
        FakeTool("fails", fails, claims=writes),
        FakeTool("hands_out", hands_out, makes_calls=True),
        FakeTool("asks", asks, makes_calls=True),
        FakeTool("hands_on", hands_on, claims=writes, makes_calls=True),
        FakeTool("client", client_side=True),
        FakeTool("endless", endless, claims=writes),
        finishing,
    ]


def person(asked: AwaitingApproval) -> Answer:
    given = asked.invocation.arguments
    if isinstance(asked.confirmation, QuestionConfirmation):
        return Reply("Brest")
    match given.get("answer"):
        case "no":
            return Reject("not that one")
        case "edit":
            return EditArguments({"mark": given["mark"]})
        case _:
            return Once()


def marks_left(workspace: Path) -> Counter[str]:
    """How often each call left its mark."""
    texts = [path.read_text() for path in (workspace / LOG, workspace / TIDES) if path.exists()]
    return Counter(line for text in texts for line in text.splitlines() if _MARK.fullmatch(line))


def mark_of(tool: str, arguments: JsonObject) -> str:
    """The mark that a call leaves when it runs; empty for one that leaves none."""
    found = _MARK.search(" ".join(value for value in arguments.values() if isinstance(value, str)))
    return found.group() if found and tool not in _LEAVE_NONE else ""
