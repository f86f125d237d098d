"""CPU time of one decision under 10 to 10,000 rules, and of a shell command's facts against parsing alone.

* rules: 80 % name a literal command, 15 % a glob, 5 % an expression over arguments; no rule holds for the call, so
  that none can end the search early. Rules are loaded and indexed before; facts are looked up before.
* commands: those that agents were recorded to run (`../shared/corpus`, or `$HANDRAIL_CORPUS`), each once. Parsing alone
  is tree-sitter's reading of the text; taken apart, its simple commands are found too; wholly read, it is known what
  they do; looked up, so are their paths. A decision on facts at hand is what a call costs whose facts are cached.
"""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from bench._report import Aim, interpreter, line, microseconds, note

from handrail.contract.context import Workspace
from handrail.contract.tool import Tool
from handrail.policy import Facts, Policy, decide, rules_from
from handrail.policy.shell.folders import Folder
from handrail.policy.shell.parse import read
from handrail.policy.shell.reading import read_shell
from handrail.policy.shell.syntax import parse
from handrail.runtime.resolver import Resolver
from handrail.tools import builtin_tools

SIZES = (10, 1_000, 10_000)
ROUNDS = 9
DECISIONS = 200
COMMANDS = 1_000
MOST_TIMES_FEW = Aim(3)
MOST_TIMES_PARSING = Aim(3)
HOME = "/home/somebody"


def rules(count: int) -> Policy:
    """Rules that all miss."""
    mappings: list[dict[str, object]] = []
    for number in range(count):
        share = number % 20
        if share == 0:
            mappings.append({"tool": "fetch", "args": {"url": {"regex": f"^x{number}/"}}, "decision": "deny"})
        elif share <= 3:
            mappings.append({"tool": "shell", "command": f"tool{number}* run *", "decision": "ask"})
        else:
            mappings.append({"tool": "shell", "command": f"tool{number} run *", "decision": "deny"})
    return Policy(rules=rules_from(mappings))


def shell_tool() -> Tool[Any]:
    return next(tool for tool in builtin_tools() if tool.name == "shell")


def facts_of(command: str, folder: Path) -> Facts:
    resolver = Resolver(Workspace(folder), Path(HOME), None)
    return asyncio.run(resolver.facts(shell_tool().bind({"command": command})))


def seconds(work: Callable[[], object], times: int) -> float:
    """The median CPU time of one `work`."""
    samples = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for _ in range(times):
            work()
        samples.append((time.process_time() - start) / times)
    return median(samples)


def decisions() -> None:
    with tempfile.TemporaryDirectory() as folder:
        facts = facts_of("cd . && git commit -m 'a message' | tee log.txt", Path(folder))
    taken: dict[int, float] = {}
    for count in SIZES:
        policy = rules(count)
        decide(facts, policy)
        taken[count] = seconds(partial(decide, facts, policy), DECISIONS)
        line(f"a decision under {count:,} rules", microseconds(taken[count]))
    ratio = taken[SIZES[-1]] / taken[SIZES[0]]
    line(f"{SIZES[-1]:,} rules against {SIZES[0]}", MOST_TIMES_FEW.cell(ratio))


def commands() -> list[str]:
    beside = Path(__file__).resolve().parents[2] / "shared" / "corpus"
    file = Path(os.environ.get("HANDRAIL_CORPUS") or beside) / "agent_commands.jsonl"
    if not file.is_file():
        return []
    return [json.loads(text)["command"] for text in file.read_text("utf-8").splitlines()[:COMMANDS]]


def facts() -> None:
    recorded = commands()
    if not recorded:
        note("no recorded commands beside the repository: set HANDRAIL_CORPUS")
        return
    at, policy = (Folder("/workspace"),), Policy()
    resolver, shell = Resolver(Workspace(Path("/workspace")), Path(HOME), None), shell_tool()
    with asyncio.Runner() as runner:

        def look_up() -> list[Facts]:
            return [runner.run(resolver.facts(shell.bind({"command": text}))) for text in recorded]

        known = look_up()
        each = len(recorded)
        parsing = seconds(lambda: [parse(text.encode()) for text in recorded], 1) / each
        taking = seconds(lambda: [read(text, at, HOME) for text in recorded], 1) / each
        reading = seconds(lambda: [read_shell(text, "/workspace", HOME) for text in recorded], 1) / each
        deciding = seconds(lambda: [decide(facts, policy) for facts in known], 1) / each
        looking = seconds(look_up, 1) / each
    line(f"{each:,} recorded commands, parsing alone", microseconds(parsing))
    line("a decision, facts at hand", microseconds(deciding), MOST_TIMES_PARSING.cell(deciding / parsing))
    line("taken apart", microseconds(taking))
    line("wholly read, against taken apart", microseconds(reading), MOST_TIMES_PARSING.cell(reading / taking))
    line("facts looked up, nothing cached", microseconds(looking), f"{looking / parsing:.2f}x parsing alone")


def main() -> None:
    note(f"\nCPU time of decisions; median of {ROUNDS}; {interpreter()}")
    decisions()
    facts()


if __name__ == "__main__":
    main()
