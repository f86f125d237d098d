"""Texts of shell, nested and damaged at random: what a rule denies is never allowed, nor what nobody knows.

HANDRAIL_FUZZ is how many texts each law is tried with.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from confinement import missing
from found_texts import FOUND
from hypothesis import HealthCheck, given, settings
from marked_shell import MarkedShell
from policy_world import ShellTool
from shell_texts import MARKER, any_texts, running

from handrail.contract.context import Workspace
from handrail.contract.decision import Decision, Outcome
from handrail.policy import Mode, Policy, decide, rules_from
from handrail.runtime.resolver import Resolver

fuzzed = settings(
    max_examples=int(os.environ.get("HANDRAIL_FUZZ", "200")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)

UNKNOWN = Policy()
"""Nothing allows the marker."""
DENIED = [
    Policy(mode, rules_from([{"command": f"{MARKER} *", "decision": "deny"}, {"tool": "shell", "decision": "allow"}]))
    for mode in (Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.BYPASS)
]
"""A rule denies it, and all else is allowed."""


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> MarkedShell:
    return MarkedShell.make(tmp_path_factory.mktemp("shell").resolve())


@pytest.fixture(scope="module")
def bash(shell: MarkedShell) -> MarkedShell:
    if why := missing():
        pytest.skip(why)
    return shell


def decisions(shell: MarkedShell, text: str, policies: list[Policy]) -> list[Decision]:
    resolver = Resolver(Workspace(shell.work), Path("/home/somebody"), None)
    facts = asyncio.run(resolver.facts(ShellTool().bind({"command": text})))
    return [decide(facts, policy) for policy in policies]


def allowed(shell: MarkedShell, text: str, policies: list[Policy]) -> list[str]:
    return [d.reason for d in decisions(shell, text, policies) if d.outcome is Outcome.ALLOW]


@fuzzed
@given(text=running())
def test_a_command_that_is_denied_is_allowed_in_no_text_that_runs_it(shell: MarkedShell, text: str) -> None:
    assert allowed(shell, text, DENIED) == []


@fuzzed
@given(text=running())
def test_a_command_that_nobody_knows_is_allowed_in_no_text_that_runs_it(shell: MarkedShell, text: str) -> None:
    assert allowed(shell, text, [UNKNOWN]) == []


@fuzzed
@given(text=any_texts())
def test_what_bash_really_runs_or_changes_was_not_allowed(bash: MarkedShell, text: str) -> None:
    effect = bash.run(text)
    if effect.marked:
        assert allowed(bash, text, DENIED) == []
    if effect.changed:
        assert allowed(bash, text, [UNKNOWN]) == []


@pytest.mark.parametrize("text", [text for _, text in FOUND], ids=[why for why, _ in FOUND])
def test_what_was_found_is_allowed_no_more(shell: MarkedShell, text: str) -> None:
    assert allowed(shell, text, [*DENIED, UNKNOWN]) == []
