"""CPU time of one no-op call through the whole runtime, against the bare limit and three frameworks.

The shape is the same on all sides: one answer of a model with n calls of one async tool that takes a text
and a whole number and returns "ok"; the turn ends when all n results are there as messages. Sessions,
agents and graphs are built before. All sides run in this process, in turns; nothing is subtracted.

* ours: `Session.run` of the response: decoded, validated, decided, journaled in memory, run, encoded.
* limit: pydantic checks the arguments, one task runs the tool, `json.dumps` writes the result. Nothing else.
* peers: see `_peers`. They check no permission and keep no journal; two of them call their model once more.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from statistics import median
from typing import Any

from bench._peers import ARGUMENTS, ARGUMENTS_TEXT, Turn, peers
from bench._report import Aim, cpu_seconds, interpreter, line, microseconds, note
from pydantic import BaseModel, TypeAdapter

from handrail import __version__
from handrail.contract.calls import Completed
from handrail.contract.results import ToolResult
from handrail.contract.tool import Kind, Tool
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import MemoryJournal

FEW, MANY = 10, 1_000
SIZES = (1, FEW, MANY)
ROUNDS = 7
CALLS_IN_A_SAMPLE = 30
"""A sample is as many turns as hold this many calls, one at least."""

LIMIT = "limit"

OF_LIMIT = Aim(4)
OF_BEST_PEER = Aim(4, "at least")
OF_FEW = Aim(1.5)


class Params(BaseModel):
    text: str
    count: int


class Noop(Tool[Params]):
    """Does nothing, and touches nothing."""

    name, kind = "noop", Kind.READ

    async def run(self, params: Params) -> ToolResult:
        return ToolResult.of_text("ok")


def chat_response(ids: list[str]) -> dict[str, Any]:
    function = {"name": "noop", "arguments": ARGUMENTS_TEXT}
    calls = [{"id": id, "type": "function", "function": function} for id in ids]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    return {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}


def neutral_response(ids: list[str]) -> dict[str, Any]:
    return {"calls": [{"id": id, "name": "noop", "arguments": ARGUMENTS} for id in ids]}


RESPONSES: Mapping[str, Callable[[list[str]], dict[str, Any]]] = {
    "openai-chat": chat_response,
    "neutral": neutral_response,
}


@asynccontextmanager
async def ours(wire: str, calls: int, turns: int) -> AsyncIterator[Turn]:
    """A turn in an open session. Ids are new in each turn, as a provider's are."""
    responses = iter([RESPONSES[wire]([f"call_{turn}_{i}" for i in range(calls)]) for turn in range(turns)])
    with tempfile.TemporaryDirectory() as folder:
        async with Session.open(folder, parts=Parts(tools=[Noop()], journal=MemoryJournal())) as session:

            async def turn() -> int:
                turn = await session.run(next(responses))
                return sum(isinstance(call, Completed) for call in turn.calls) if turn.messages else 0

            yield turn


def bare_limit(calls: int) -> Turn:
    check = TypeAdapter(Params).validate_json

    async def noop(params: Params) -> str:
        return "ok"

    async def call(id: str) -> str:
        content = await noop(check(ARGUMENTS_TEXT))
        return json.dumps({"role": "tool", "tool_call_id": id, "content": content})

    async def turn() -> int:
        return len(await asyncio.gather(*[asyncio.create_task(call(f"call_{i}")) for i in range(calls)]))

    return turn


async def costs(calls: int) -> dict[str, float]:
    """Seconds of CPU time per call, for each side that is installed: the median of all rounds."""
    turns = max(1, CALLS_IN_A_SAMPLE // calls)
    async with AsyncExitStack() as stack:
        sides: dict[str, Turn] = {LIMIT: bare_limit(calls)}
        for wire in RESPONSES:
            sides[wire] = await stack.enter_async_context(ours(wire, calls, ROUNDS * (turns + 1)))
        sides |= {name: build(calls) for name, build in peers().items() if build is not None}
        samples: dict[str, list[float]] = {name: [] for name in sides}
        for _ in range(ROUNDS):
            for name, turn in sides.items():
                samples[name].append(await cpu_seconds(counted(name, turn, calls), turns))
        return {name: median(taken) / calls for name, taken in samples.items()}


def counted(name: str, turn: Turn, calls: int) -> Turn:
    """The turn, and a look at whether it did what it is measured for."""

    async def checked() -> int:
        results = await turn()
        if results != calls:
            raise RuntimeError(f"{name} gave {results} results for {calls} calls")
        return results

    return checked


def report(calls: int, cost: Mapping[str, float]) -> None:
    limit = cost[LIMIT]
    for wire in RESPONSES:
        own = cost[wire]
        ratio = OF_LIMIT.cell(own / limit) if calls == MANY else f"{own / limit:.2f}x"
        cells = [f"ours {microseconds(own)}", f"limit {microseconds(limit)}", ratio]
        for peer in peers():
            known = f"{microseconds(cost[peer])} ({cost[peer] / own:.1f}x ours)" if peer in cost else "not installed"
            cells.append(f"{peer} {known}")
        line(f"no-op call, n={calls}, {wire}", *cells)


def report_aims(cost: Mapping[int, Mapping[str, float]]) -> None:
    many, few = cost[MANY], cost[FEW]
    installed = [peer for peer in peers() if peer in many]
    for wire in RESPONSES:
        line(f"n={MANY} against n={FEW}, {wire}", OF_FEW.cell(many[wire] / few[wire]))
        if installed:
            best = min(installed, key=lambda peer: many[peer])
            ratio = OF_BEST_PEER.cell(many[best] / many[wire])
            line(f"cheaper than the best peer, {wire}", ratio, f"({best}, n={MANY})")


async def main() -> None:
    note(f"CPU time per no-op call; median of {ROUNDS}, one run, one process; {interpreter()}; handrail {__version__}")
    note("One answer of a model with n calls in flight, until all results are there; more in bench/overhead.py")
    cost = {}
    for calls in SIZES:
        cost[calls] = await costs(calls)
        report(calls, cost[calls])
    report_aims(cost)


if __name__ == "__main__":
    asyncio.run(main())
