"""Faults that people reported of permissions, and how another product judges: each with its whole kind.

The rows are in TOML files beside this one. A case that has neither a row nor a place in the lists below fails, and so
does one that has both.
"""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from policy_world import TOOLS, World, make_world

from accounts import accounted, case
from call_harness import Person, opened, settled
from corpus_files import cases
from handrail.contract.calls import Completed, Rejected
from handrail.contract.confirmation import Reject
from handrail.contract.decision import Outcome
from handrail.errors import RuleError
from handrail.policy import Caller, Facts, Mode, Policy, decide, offers, rules_from
from handrail.tools import builtin_tools

CASES = (
    cases("permission_faults", "permissions/bypass", "permissions/matching", "modes")
    | cases("reported_faults", "shell_policy")
    | cases("gemini_behaviour", "policy-*", "shell-substitution")
)

_DIALECT = "Gemini CLI's dialect of rules"

WAITING = {
    "cc-033": "Windows",
    "gm-policy-rules-090": _DIALECT,
    "gm-policy-rules-091": _DIALECT,
    "gm-policy-rules-094": _DIALECT,
    "gm-policy-rules-097": _DIALECT,
    "gm-policy-rules-099": _DIALECT,
    "gm-policy-rules-101": _DIALECT,
    "gm-policy-rules-102": _DIALECT,
    "gm-policy-mcp-112": _DIALECT,
    "gm-policy-checker-116": _DIALECT,
    "gm-policy-checker-117": _DIALECT,
    "gm-policy-checker-119": _DIALECT,
    "gm-policy-priority-277": _DIALECT,
    "gm-policy-priority-279": _DIALECT,
    "gm-policy-priority-282": _DIALECT,
    "gm-policy-toml-262": _DIALECT,
    "gm-policy-toml-265": _DIALECT,
    "gm-policy-toml-267": _DIALECT,
    "gm-policy-toml-268": _DIALECT,
    "gm-policy-toml-269": _DIALECT,
    "gm-policy-toml-270": _DIALECT,
    "gm-policy-toml-271": _DIALECT,
    "gm-policy-toml-273": _DIALECT,
    "gm-policy-toml-274": _DIALECT,
}
"""What a case waits for."""

TESTED_ELSEWHERE = {
    "cc-043": "tests/cases/test_subagent_cases.py",
    "cc-044": "tests/cases/test_subagent_cases.py",
    "cc-045": "tests/cases/test_subagent_cases.py",
    **dict.fromkeys(
        (f"gm-policy-bundled-{number}" for number in (128, 129, 132, 133, 135, 142)),
        "tests/cases/test_mode_tool_cases.py",
    ),
    "gm-policy-bundled-140": "tests/cases/test_subagent_cases.py",
    "gm-policy-bundled-141": "tests/cases/test_subagent_cases.py",
    "SH19": "tests/runtime/test_repository.py",
    "gm-policy-update-287": "tests/cases/test_approval_cases.py",
    "gm-policy-update-288": "tests/cases/test_approval_cases.py",
    "gm-policy-update-289": "tests/cases/test_approval_cases.py",
    "gm-policy-update-290": "tests/cases/test_approval_cases.py",
    "gm-policy-persist-294": "tests/cases/test_approval_cases.py",
}

FILES = ("permission_cases.toml", "shell_cases.toml", "gemini_policy_cases.toml")
LONG = "x" * 10_001


@dataclass(frozen=True)
class Row:
    """One call, and what must be decided about it."""

    case: dict[str, Any]
    call: str | dict[str, Any]
    outcome: Outcome

    @property
    def ids(self) -> list[str]:
        """Of the cases that it is for."""
        return self.case["id"] if isinstance(self.case["id"], list) else [self.case["id"]]

    def __str__(self) -> str:
        return f"{self.ids[0]}-{self.outcome.value}-{self.call}"


TABLES = [case for name in FILES for case in tomllib.loads(Path(__file__).with_name(name).read_text("utf-8"))["case"]]
ROWS = [Row(table, call, outcome) for table in TABLES for outcome in Outcome for call in table.get(outcome.value, ())]
REFUSED = [table["refused"] for table in TABLES if "refused" in table]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    folder = tmp_path_factory.mktemp("cases").resolve()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tempfile, "tempdir", str(folder / "temporary"))
        yield make_world(folder)


def test_every_case_is_accounted_for_once() -> None:
    in_rows = {id for row in ROWS for id in row.ids}
    assert accounted(globals(), in_rows, WAITING, TESTED_ELSEWHERE) == sorted(CASES)


@pytest.mark.parametrize("path", sorted(set(TESTED_ELSEWHERE.values())))
def test_what_is_tested_elsewhere_is_there(path: str) -> None:
    assert (Path(__file__).parents[2] / path).is_file()


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_call_is_decided_as_its_case_says(world: World, row: Row) -> None:
    mode, rules = Mode(row.case.get("mode", "default")), rules_from(_filled(world, row.case.get("rules", [])))
    decision = decide(_facts(world, row), Policy(mode, rules))
    assert decision.outcome is row.outcome, f"{row.case['why']}: {decision.reason}"
    assert decision.reason.endswith(".")


@case("cc-015")
async def test_a_file_of_variables_in_the_workspace_reaches_no_command(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FROM_DOTENV=told\n")
    rules = rules_from([{"path": ".env", "decision": "deny"}])
    async with opened(tmp_path, *builtin_tools(), rules=rules) as session:
        state = await settled(session, "shell", {"command": "echo [$FROM_DOTENV]"})
    assert isinstance(state, Completed)
    assert "[]" in state.result.text
    assert "FROM_DOTENV" not in os.environ


@case("cc-017")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("write_file", {"file_path": "made", "content": "x"}), ("shell", {"command": "touch made"})],
)
async def test_what_a_person_rejects_never_runs(tmp_path: Path, tool: str, arguments: dict[str, Any]) -> None:
    async with opened(tmp_path, *builtin_tools(), mode="default", asker=Person(Reject())) as session:
        assert isinstance(await settled(session, tool, arguments), Rejected)
    assert list(tmp_path.iterdir()) == []


OFFERED = [
    ("NODE_ENV=test pnpm exec playwright test a.spec.ts", ("pnpm exec playwright test *",)),
    ("cd src && git add f && git commit -m x", ("git add *", "git commit *")),
]
NEVER_OFFERED = re.compile(r"(?:|python3? (?:-c )?\*|(?:ba)?sh (?:-l?c )?\*|env \*|sudo \*|xargs \*|\*)")
CODE = [
    "python -c 'print(1)'",
    "bash -lc 'x'",
    "sh -c 'x; y'",
    "env x",
    "sudo x",
    "echo x | xargs rm",
    "python3 <<< 'x'",
]


@case("SH41", "cc-023")
@pytest.mark.parametrize(("command", "patterns"), OFFERED)
def test_each_part_that_needs_it_is_offered_by_its_action(
    world: World, command: str, patterns: tuple[str, ...]
) -> None:
    facts = world.facts("shell", command=command)
    assert patterns in [option.commands for option in offers(facts, Policy(), decide(facts, Policy()))]


@pytest.mark.parametrize("command", CODE)
def test_nothing_is_offered_that_would_allow_any_code(world: World, command: str) -> None:
    facts = world.facts("shell", command=command)
    offered = offers(facts, Policy(), decide(facts, Policy()))
    assert not [text for option in offered for text in option.commands if NEVER_OFFERED.fullmatch(text)]


@case("cc-034")
def test_a_grant_outside_the_workspace_is_offered_by_its_absolute_path(world: World) -> None:
    facts = world.facts("read_file", file_path="../outside/b.txt")
    offered = offers(facts, Policy(), decide(facts, Policy()))
    assert offered
    for option in offered:
        assert str(world.outside) in option.label
        assert f"//{world.outside}" not in option.label


@pytest.mark.parametrize("refused", REFUSED, ids=lambda refused: refused["says"])
def test_a_rule_that_can_only_be_a_mistake_is_refused(refused: dict[str, Any]) -> None:
    with pytest.raises(RuleError, match=re.escape(refused["says"])):
        rules_from([refused["rule"]])


def _facts(world: World, row: Row) -> Facts:
    call = {"tool": "shell", "command": row.call} if isinstance(row.call, str) else dict(row.call)
    tool, server, said = call.pop("tool"), call.pop("server", ""), call.pop("annotations", {})
    caller = Caller(row.case.get("subagent", ""), interactive=row.case.get("interactive", True))
    if tool in TOOLS:
        return replace(world.facts(tool, **_filled(world, call)), caller=caller)
    # A tool of a server: it declares nothing.
    facts = world.facts("mystery")
    return replace(facts, tool=tool, names=(tool,), server=server, annotations=tuple(said.items()), caller=caller)


def _filled(world: World, value: Any) -> Any:
    """With the folders of this world in all texts."""
    if isinstance(value, str):
        return world.filled(value).replace("{long}", LONG)
    if isinstance(value, dict):
        return {key: _filled(world, inner) for key, inner in value.items()}
    return [_filled(world, inner) for inner in value] if isinstance(value, list) else value
