"""Every recorded command that default mode allows is run where nothing can be written or reached, and tries neither.

A seeded sample of them; all with HANDRAIL_WHOLE_CORPUS=1.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path, PurePath

import pytest
from confinement import HOME, lay_out, missing, run_confined
from policy_world import ShellTool

from corpus_files import corpus
from handrail.contract.context import Workspace
from handrail.contract.decision import Outcome
from handrail.policy import Facts, Policy, decide
from handrail.runtime.resolver import Resolver

RECORDED_IN = Path("/testbed")
"""The workspace that the commands were recorded in."""

SAMPLE = 400
SEED = 20_26
WORKERS = 2


@pytest.fixture(scope="module")
def confined() -> None:
    if why := missing():
        pytest.skip(why)


@pytest.fixture(scope="module")
def chosen() -> dict[str, Facts]:
    """What is known of so many commands that default mode allows, by their text."""
    commands = list(dict.fromkeys(record["command"] for record in corpus("agent_commands")))
    random.Random(SEED).shuffle(commands)
    whole = os.environ.get("HANDRAIL_WHOLE_CORPUS") == "1"
    found = asyncio.run(_allowed(commands, len(commands) if whole else SAMPLE))
    assert len(found) >= SAMPLE
    return found


async def _allowed(commands: list[str], most: int) -> dict[str, Facts]:
    resolver, policy = Resolver(Workspace(RECORDED_IN), Path(HOME), None), Policy()
    found: dict[str, Facts] = {}
    for command in commands:
        known = await resolver.facts(ShellTool().bind({"command": command}))
        if decide(known, policy).outcome is Outcome.ALLOW:
            found[command] = known
        if len(found) == most:
            break
    return found


@pytest.fixture(scope="module")
def sample(chosen: dict[str, Facts], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with whatever the commands name."""
    folder = tmp_path_factory.mktemp("sample")
    named = {PurePath(path) for facts in chosen.values() for path in _paths(facts)}
    above = {parent for path in named for parent in path.parents}
    files = [path for path in named - above if path.suffix]
    lay_out(folder, ["README.md", *map(str, files)], map(str, named.difference(files)))
    return folder


def _paths(facts: Facts) -> Iterator[str]:
    """Relative to the workspace, as far as they lie in it and are no patterns."""
    for path in facts.paths:
        named = PurePath(path.named)
        if named.is_relative_to(RECORDED_IN) and named != RECORDED_IN and ".git" not in named.parts:
            yield str(named.relative_to(RECORDED_IN))


def test_no_command_that_is_allowed_tries_to_write_or_to_connect(confined: None, chosen: dict, sample: Path) -> None:
    run = partial(run_confined, sample=sample, at=str(RECORDED_IN))
    with ThreadPoolExecutor(WORKERS) as pool:
        trials = dict(zip(chosen, pool.map(run, chosen), strict=True))
    late = [command for command, trial in trials.items() if not trial.ended]
    print(f"{len(trials)} allowed commands ran confined; {len(late)} were stopped: {late}")
    assert {command: trial.attempts for command, trial in trials.items() if trial.attempts} == {}


ATTEMPTS = [
    ("a file made", "touch x"),
    ("a file made in the temporary folder", "echo x > /tmp/x"),
    ("a file overwritten", "echo x > README.md"),
    ("a file opened for both", "cat <> README.md"),
    ("a file removed", "rm -f README.md"),
    ("a folder made", "mkdir new"),
    ("a link made", "ln -s README.md link"),
    ("a file renamed", "mv README.md other"),
    ("rights changed", "chmod a+x README.md"),
    ("a write in a child of a child", "bash -c 'bash -c \"echo x > y; true\"; true'; true"),
    ("a write whose failure nobody sees", "touch x 2>/dev/null || true"),
    ("a write in the background", "touch x & wait"),
    ("a connection", "cat < /dev/tcp/192.0.2.1/80"),
    ("a name looked up", "getent ahosts example.org"),
]


@pytest.mark.parametrize("command", [command for _, command in ATTEMPTS], ids=[why for why, _ in ATTEMPTS])
def test_an_attempt_is_seen(confined: None, tmp_path: Path, command: str) -> None:
    lay_out(tmp_path, ["README.md"], [])
    assert run_confined(command, tmp_path, str(RECORDED_IN)).attempts


@pytest.mark.parametrize("command", ["cat README.md", "git status && git log -p", "ls > /dev/null 2>&1", "whoami; id"])
def test_what_only_reads_makes_no_attempt(confined: None, tmp_path: Path, command: str) -> None:
    lay_out(tmp_path, ["README.md"], [])
    assert run_confined(command, tmp_path, str(RECORDED_IN)).attempts == ()
