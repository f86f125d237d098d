from __future__ import annotations

import pytest
from policy_world import World

from handrail.contract.decision import FromMode
from handrail.policy import Mode, Policy, decide

CALLS: dict[str, tuple[str, dict[str, str]]] = {
    "session": ("noop", {}),
    "read": ("read_file", {"file_path": "a.txt"}),
    "secret": ("read_file", {"file_path": ".env"}),
    "write": ("write_file", {"file_path": "a.txt"}),
    "shell read": ("shell", {"command": "ls"}),
    "shell": ("shell", {"command": "make"}),
    "network": ("fetch", {}),
    "outside read": ("read_file", {"file_path": "{outside}/b.txt"}),
    "outside write": ("write_file", {"file_path": "{outside}/b.txt"}),
    "unknown": ("mystery", {}),
}

# The table of the design, in the order of CALLS.
TABLE = {
    "plan": "allow allow ask deny allow deny ask ask deny deny",
    "default": "allow allow ask ask allow ask ask ask ask ask",
    "accept-edits": "allow allow ask allow allow ask ask ask ask ask",
    "sandboxed": "allow allow ask ask allow ask ask ask ask ask",
    "bypass": "allow allow allow allow allow allow allow allow allow allow",
}

WITH_A_SANDBOX = "allow allow ask allow allow allow ask ask ask ask"

CELLS = [
    pytest.param(mode, column, outcome, id=f"{mode}: {column}")
    for mode, row in TABLE.items()
    for column, outcome in zip(CALLS, row.split(), strict=True)
]


@pytest.mark.parametrize(("mode", "column", "outcome"), CELLS)
def test_a_mode_decides_by_the_table_of_the_design(world: World, mode: str, column: str, outcome: str) -> None:
    tool, arguments = CALLS[column]
    decision = world.decide(tool, mode, **{name: world.filled(value) for name, value in arguments.items()})
    assert decision.outcome == outcome
    assert decision.source == FromMode(mode)
    assert f"{mode} mode" in decision.reason


@pytest.mark.parametrize(("column", "outcome"), list(zip(CALLS, WITH_A_SANDBOX.split(), strict=True)))
def test_sandboxed_has_a_row_of_its_own_once_a_sandbox_holds(world: World, column: str, outcome: str) -> None:
    tool, arguments = CALLS[column]
    facts = world.facts(tool, **{name: world.filled(value) for name, value in arguments.items()})
    decision = decide(facts, Policy(Mode.SANDBOXED, sandbox_holds=True))
    assert decision.outcome == outcome
    assert "no sandbox" not in decision.reason


@pytest.mark.parametrize("column", CALLS)
def test_sandboxed_without_a_sandbox_decides_as_default_and_says_so(world: World, column: str) -> None:
    tool, arguments = CALLS[column]
    filled = {name: world.filled(value) for name, value in arguments.items()}
    decision = world.decide(tool, "sandboxed", **filled)
    assert decision.outcome is world.decide(tool, "default", **filled).outcome
    assert "no sandbox is available yet, so this is decided as in default mode" in decision.reason
    assert str(decision.source) == "mode:sandboxed"


def test_the_strictest_column_of_a_call_decides(world: World) -> None:
    (world.outside / ".env").write_text("x")
    assert world.decide("write_file", "plan", file_path=".env").outcome == "deny"
    assert world.decide("write_file", "accept-edits", file_path=".env").outcome == "ask"
    assert world.decide("read_file", "default", file_path=str(world.outside / ".env")).outcome == "ask"


EDITS = [
    ("mkdir -p build/new/deep", "allow"),
    ("touch a.txt b.txt", "allow"),
    ("cp a.txt build", "allow"),
    ("cp -r src build/", "allow"),
    ("mv a.txt c.txt", "allow"),
    ("rm a.txt", "allow"),
    ("rm -rf build", "allow"),
    ("touch {temporary}/x", "allow"),
    ("touch {outside}/x", "ask"),
    ("cp a.txt {outside}", "ask"),
    ("cp {outside}/b.txt .", "ask"),
    ("cp a.txt ../outside/b.txt", "ask"),
    ("rm link_out/b.txt", "ask"),
    ("touch link_out/x", "ask"),
    ("cp .env build", "ask"),
    ("mv .env build/x", "ask"),
    ("rm .env", "ask"),
    ("cp link_env build/x", "ask"),
    ("touch .git/hooks/pre-commit", "ask"),
    ("rm -rf .git", "ask"),
    ("mkdir .vscode", "ask"),
    ("touch a.txt && ls", "allow"),
    ("touch a.txt && make", "ask"),
    ("mkdir -p build/sub && touch build/sub/x && rm -r build/sub", "allow"),
    ("touch a.txt > out", "allow"),
    ("touch a.txt > {outside}/out", "ask"),
    ("touch a.txt > .git/hooks/pre-commit", "ask"),
    ("LD_PRELOAD=./x.so touch a.txt", "ask"),
    ("X=1 touch a.txt", "ask"),
    ("touch *.txt", "ask"),
    ("touch $X", "ask"),
    ("touch a.txt &", "allow"),
    ("cp --target-directory=build a.txt", "ask"),
    ("cp -l a.txt b.txt", "ask"),
    ("rm --no-preserve-root a.txt", "ask"),
    ("chmod +x a.txt", "ask"),
    ("./touch a.txt", "ask"),
]


@pytest.mark.parametrize(("command", "outcome"), EDITS, ids=[command for command, _ in EDITS])
def test_accept_edits_lets_plain_file_commands_through_inside_the_workspace(
    world: World, command: str, outcome: str
) -> None:
    decision = world.shell(command, "accept-edits")
    assert decision.outcome == outcome, decision.reason
    assert world.shell(command, "default").outcome == "ask"


def test_a_copy_into_a_folder_whose_entry_leads_outside_is_asked_about(world: World) -> None:
    folder = world.root / "trap"
    folder.mkdir()
    (folder / "a.txt").symlink_to(world.outside / "b.txt")
    assert world.shell("cp a.txt trap", "accept-edits").outcome == "ask"


@pytest.mark.parametrize(
    ("command", "outcome"),
    [
        ("cp -r {root}/packed/. .", "ask"),
        ("cp -r packed/. .", "ask"),
        ("cp -a packed build", "ask"),
        ("cp -rT packed build", "ask"),
        ("cp -r packed/. {temporary}", "allow"),
        ("cp -r src build", "allow"),
        ("cp packed/a.txt .", "allow"),
    ],
)
def test_a_copy_of_a_tree_that_holds_something_protected_needs_a_person(
    world: World, command: str, outcome: str
) -> None:
    (world.root / "packed" / ".git" / "hooks").mkdir(parents=True, exist_ok=True)
    (world.root / "packed" / "a.txt").touch()
    decision = world.shell(command, "accept-edits")
    assert (decision.outcome, decision.needs_person) == (outcome, outcome == "ask"), decision.reason


def test_the_removal_of_a_tree_that_holds_something_protected_needs_a_person(world: World) -> None:
    (world.root / "vendored" / ".git").mkdir(parents=True)
    decision = world.shell("rm -rf vendored", "accept-edits")
    assert (decision.outcome, decision.needs_person) == ("ask", True)
