from __future__ import annotations

import asyncio
import hashlib
import tomllib
from pathlib import Path

import pytest
from policy_world import ShellTool

from corpus_files import corpus
from handrail.contract.context import Workspace
from handrail.contract.decision import Decision, Outcome
from handrail.policy import Policy, decide
from handrail.runtime.resolver import Resolver

LABELLED = tomllib.loads(Path(__file__).with_name("labelled_commands.toml").read_text())
RECORDED_IN = Path("/testbed")
"""The workspace that the commands were recorded in."""

ASKED_AT_MOST = 0.03
"""Of the commands that only read, how many may be asked about."""


@pytest.fixture(scope="module")
def decisions() -> dict[str, list[tuple[str, Decision]]]:
    records = corpus("agent_commands")
    resolver, policy = Resolver(Workspace(RECORDED_IN), Path("/home/somebody"), None), Policy()
    found: dict[str, list[tuple[str, Decision]]] = {}
    for label, entries in LABELLED.items():
        found[label] = []
        for entry in entries:
            place, _, digest = entry.partition(":")
            command = records[int(place)]["command"]
            assert hashlib.sha256(command.encode()).hexdigest().startswith(digest), f"{place} is another command now"
            facts = asyncio.run(resolver.facts(ShellTool().bind({"command": command})))
            found[label].append((command, decide(facts, policy)))
    return found


def test_commands_that_only_read_are_seldom_asked_about(decisions):
    asked = [(command, d.reason) for command, d in decisions["read_only"] if d.outcome is not Outcome.ALLOW]
    assert len(asked) <= ASKED_AT_MOST * len(decisions["read_only"]), asked


def test_no_other_command_is_allowed(decisions):
    allowed = [command for command, decision in decisions["other"] if decision.outcome is Outcome.ALLOW]
    assert allowed == []


def test_there_are_three_hundred_labels(decisions):
    assert sum(map(len, decisions.values())) == 300
