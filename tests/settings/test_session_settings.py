from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from settings_world import World

from handrail import Parts, Session, UsageError, rules_from
from handrail.settings.config_text import read_flags
from handrail.settings.in_code import SaidInCode
from handrail.settings.load import load_settings
from handrail.settings.origin import Layer
from handrail.testing import MemoryJournal

DENY = '[[rule]]\ntool = "write_file"\ndecision = "deny"\n'


async def outcome(workspace: Path, path: str = "b.txt", **options) -> str:
    """What is decided about a write, and by what."""
    call = {"id": "1", "name": "write_file", "arguments": {"file_path": path, "content": "x"}}
    async with Session.open(workspace, parts=Parts(journal=MemoryJournal()), **options) as session:
        turn = await session.run({"calls": [call]})
    decision = turn.calls[0].decision
    assert decision is not None
    return f"{decision.outcome} {decision.source}"


async def test_without_settings_no_file_is_read(world: World) -> None:
    world.write(Layer.PROJECT, DENY, "policy")
    assert await outcome(world.workspace, mode="accept-edits") == "allow mode:accept-edits"


async def test_settings_decide_where_code_says_nothing(world: World) -> None:
    world.write(Layer.USER, 'mode = "accept-edits"\n')
    settings = world.load()
    assert await outcome(world.workspace, settings=settings) == "allow mode:accept-edits"
    assert (await outcome(world.workspace, settings=settings, mode="plan")).startswith("deny mode:plan")


async def test_rules_of_settings_and_code_hold_at_once(world: World) -> None:
    world.write(Layer.USER, DENY, "policy")
    allow = rules_from([{"tool": "write_file", "decision": "allow"}])
    decided = await outcome(world.workspace, settings=world.load(), rules=allow)
    assert decided == f"deny rule:{world.file(Layer.USER, 'policy')}:1"


async def test_folders_of_settings_and_code_add_up(world: World, monkeypatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(world.root / "temporary"))
    for name in ("one", "two", "three"):
        (world.root / name).mkdir()
    world.write(Layer.USER, f'mode = "accept-edits"\nadd_dirs = ["{world.root}/one"]\n')
    decided = [
        await outcome(
            world.workspace, str(world.root / name / "b.txt"), settings=world.load(), added=[world.root / "two"]
        )
        for name in ("one", "two", "three")
    ]
    assert decided == ["allow mode:accept-edits", "allow mode:accept-edits", "deny mode:accept-edits"]


async def test_the_system_forbids_bypass_and_allow_rules_to_code_as_well(world: World) -> None:
    world.write(Layer.SYSTEM, "forbid_bypass = true\nforbid_lower_allows = true\n", "policy")
    allow = rules_from([{"tool": "write_file", "decision": "allow"}])
    decided = await outcome(world.workspace, settings=world.load(), rules=allow, mode="bypass")
    assert decided.startswith("deny mode:")


async def test_settings_of_another_workspace_are_refused(world: World) -> None:
    with pytest.raises(UsageError, match="were loaded for"):
        await outcome(world.root, settings=world.load())


@pytest.mark.parametrize(
    ("said", "parts", "expires"),
    [
        ("", Parts(), None),
        ("answer_within = 60", Parts(), 160.0),
        ('answer_within = "never"', Parts(), None),
        ("answer_within = 60", Parts(answer_within=5.0), 105.0),
    ],
    ids=["nobody says so", "settings", "settings, never", "code before settings"],
)
async def test_a_question_expires_as_settings_or_code_say(
    world: World, said: str, parts: Parts, expires: float | None
) -> None:
    world.write(Layer.USER, f"{said}\n")
    call = {"id": "1", "name": "write_file", "arguments": {"file_path": "a.txt", "content": "x"}}
    parts = replace(parts, journal=MemoryJournal(), clock=lambda: 100.0)
    async with Session.open(world.workspace, settings=world.load(), parts=parts) as session:
        turn = await session.run({"calls": [call]}, on_ask="park")
    assert turn.pending[0].expires_at == expires


def test_what_is_said_here_is_kept_and_what_files_say_is_not(world: World, monkeypatch) -> None:
    monkeypatch.chdir(world.root)
    world.write(Layer.USER, f'mode = "plan"\nat_once = 3\nadd_dirs = ["{world.root}"]\n')
    settings = load_settings(
        world.workspace,
        {"HANDRAIL_APPROVE": "none", "HANDRAIL_LIMITS": "shell=1"},
        {"add_dirs": [Path("work")]},
        world.folders,
    )
    said = SaidInCode("default", model="gpt-5", added=(world.root / "more",))
    assert said.kept(settings) == {
        "mode": "default",
        "approve": "none",
        "model": "gpt-5",
        "limits": {"shell": 1},
        "add_dirs": [str(world.root / "work"), str(world.root / "more")],
    }
    assert read_flags(said.kept(settings)).problems == ()
