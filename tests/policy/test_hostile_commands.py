"""Ways around a deny rule, each with what must become of it: the table `hostile_commands.toml`. Nothing is run."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from policy_world import World

from handrail.contract.decision import Outcome

ALLOWS = ({"tool": "*"}, {"tool": "shell"}, {"command": "*"})


@dataclass(frozen=True)
class Row:
    rule: dict[str, object]
    kind: str
    command: str

    def __str__(self) -> str:
        return f"{self.kind}-{next(iter(self.rule.values()))}-{self.command}"


ROWS = [
    Row(table["rule"], kind, command)
    for table in tomllib.loads(Path(__file__).with_name("hostile_commands.toml").read_text("utf-8"))["under"]
    for kind in ("denied", "asked", "free")
    for command in table[kind]
]


@pytest.mark.parametrize("row", [row for row in ROWS if row.kind != "free"], ids=str)
def test_no_spelling_gets_past_a_deny_under_an_allow_of_everything(world: World, row: Row) -> None:
    outcomes = {}
    for allow in ALLOWS:
        for mode in ("default", "bypass"):
            rules: list[dict[str, object]] = [{"decision": "deny", **row.rule}, {"decision": "allow", **allow}]
            decision = world.shell(row.command, mode, rules)
            outcomes[str(allow), mode] = decision.outcome
            assert decision.outcome is not Outcome.ALLOW, (allow, mode, decision.reason)
    assert set(outcomes.values()) == {Outcome.DENY if row.kind == "denied" else Outcome.ASK}, outcomes


@pytest.mark.parametrize("row", [row for row in ROWS if row.kind == "free"], ids=str)
def test_an_ordinary_command_is_not_taken_for_a_denied_one(world: World, row: Row) -> None:
    rules: list[dict[str, object]] = [{"decision": "deny", **row.rule}, {"decision": "allow", "tool": "*"}]
    decision = world.shell(row.command, "bypass", rules)
    assert decision.outcome is Outcome.ALLOW, decision.reason
