from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from policy_world import World

from handrail.contract.decision import Outcome
from handrail.policy.shell.powershell.calls import calls_in
from handrail.policy.shell.reading import read_powershell


@pytest.fixture(autouse=True)
def no_parser(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "tree_sitter_powershell", None)
    calls_in.cache_clear()  # of texts that were read with it
    yield
    calls_in.cache_clear()


@pytest.mark.parametrize("script", ["Get-ChildItem", "Get-Content a.txt | Select-String x", "1 + 1"])
def test_all_powershell_is_asked_about_and_the_reason_names_the_extra(world: World, script: str) -> None:
    decision = world.shell(f"pwsh -NoProfile -Command '{script}'")
    assert decision.outcome is Outcome.ASK
    assert "handrail[powershell]" in decision.reason
    assert "handrail[powershell]" in read_powershell(script, "/workspace", "/home/user").opaque


@pytest.mark.parametrize("script", ["rm x", "gl; rm x", "gci | % { rm $_ }", "& rm x", "[IO.File]::Delete(1)"])
def test_a_rule_that_denies_a_command_is_not_passed_by(world: World, script: str) -> None:
    rules: list[dict[str, object]] = [{"decision": "deny", "command": "rm *"}, {"decision": "allow", "tool": "*"}]
    assert world.shell(f"pwsh -c '{script}'", "bypass", rules).outcome is not Outcome.ALLOW


def test_no_rule_on_commands_allows_any_of_it(world: World) -> None:
    rules: list[dict[str, object]] = [{"decision": "allow", "command": "Get-ChildItem *"}]
    assert world.shell("pwsh -c Get-ChildItem", "default", rules).outcome is Outcome.ASK


def test_other_shells_are_judged_as_ever(world: World) -> None:
    assert world.shell("ls | head -5").outcome is Outcome.ALLOW
