"""CPU time of one search among deferred tools: the recorded real ones, and 2,000 made of them.

* schemas: those that were recorded (`../shared/corpus`, or `$HANDRAIL_CORPUS`), under names of their own when repeated.
* queries: the first words of each recorded tool's own description, as a model would ask; required words; names.
* a search is what the tool waits for: policy is asked of each tool that is found. The index is made before, and its
  time is printed by itself: it is made for the first search, beside the loop.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench._report import Aim, interpreter, line, milliseconds, note

from handrail.authoring.json_schema import schema_parameters
from handrail.catalog import Registry
from handrail.catalog.search.deferred import SessionDeferredTools
from handrail.policy import Policy, hidden_reason
from handrail.testing import FakeTool

COUNT = 2_000
QUERIES = 300
LIMIT = 0.005
"""Seconds of one query."""
AIM = Aim(1.0)


def records() -> list[dict[str, Any]]:
    beside = Path(__file__).resolve().parents[2] / "shared" / "corpus"
    path = Path(os.environ.get("HANDRAIL_CORPUS") or beside) / "tool_schemas.jsonl"
    return [json.loads(each) for each in path.read_text("utf-8").splitlines()] if path.is_file() else []


def tools(recorded: list[dict[str, Any]], count: int) -> SessionDeferredTools:
    registry = Registry()
    for number in range(count):
        record = recorded[number % len(recorded)]
        tool = FakeTool(f"{record['name'].replace('.', '_')[:56]}_{number}")
        tool.description, tool.defers_loading = record["description"], True
        tool.parameters = schema_parameters(record["inputSchema"], tool.name)
        registry.add(tool)
    policy = Policy()
    return SessionDeferredTools(registry, lambda tool: hidden_reason(tool, policy))


def queries(recorded: list[dict[str, Any]]) -> dict[str, list[str]]:
    descriptions = [record["description"] for record in recorded[:QUERIES]]
    return {
        "six words": [" ".join(text.split()[:6]) for text in descriptions],
        "thirty words": [" ".join(text.split()[:30]) for text in descriptions],
        "one must be in the name": [f"+get {' '.join(text.split()[:4])}" for text in descriptions],
        "the beginning of a word": [text.split()[0][:3] for text in descriptions],
    }


async def measured(deferred: SessionDeferredTools, asked: list[str]) -> list[float]:
    taken = []
    for query in asked:
        start = time.process_time()
        await deferred.search(query, 5)
        taken.append(time.process_time() - start)
    return taken


async def main() -> None:
    recorded = records()
    if not recorded:
        note("the recorded schemas are not there; set HANDRAIL_CORPUS")
        return
    note(interpreter())
    for count in (len(recorded), COUNT):
        deferred = tools(recorded, count)
        start = time.process_time()
        await deferred.search("first", 5)
        line(f"{count:,} schemas: the index, and one search", milliseconds(time.process_time() - start))
        for what, asked in queries(recorded).items():
            taken = sorted(await measured(deferred, asked))
            middle, slow = median(taken), taken[len(taken) * 99 // 100]
            cells = f"{middle * 1e3:.2f} ms", f"slowest of a hundred {slow * 1e3:.2f} ms", AIM.cell(slow / LIMIT)
            line(f"{count:,} schemas: {what}", *cells)


if __name__ == "__main__":
    asyncio.run(main())
