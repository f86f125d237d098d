"""Folders of tools: whose they are, trust, order, and what changes between turns."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import folder_world
from folder_world import FolderWorld, names_of, said, says, status_of
from handrail.contract.calls import Failed
from handrail.contract.events import NoticeGiven
from handrail.contract.provider import Condition
from handrail.errors import UsageError
from handrail.policy import Mode
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.origin import Layer
from handrail.testing import MemoryJournal
from neutral_calls import calls, write

THEIRS = ".handrail/tools"


@pytest.fixture
def world(tmp_path: Path) -> FolderWorld:
    return folder_world.made(tmp_path)


async def test_a_workspaces_tools_are_unused_until_the_whole_folder_is_trusted(world: FolderWorld) -> None:
    world.put(world.theirs, {"a.py": says("a"), "_shared.py": "x = 1\n"})
    async with world.session() as session:
        assert names_of(session) == []
        assert status_of(session, THEIRS).condition is Condition.UNTRUSTED
    (waiting,) = world.settings().waiting
    assert (waiting.key.path, waiting.key.kind, waiting.name) == (THEIRS, "tools", THEIRS)
    assert says("a") in waiting.text
    assert "_shared.py" in waiting.text
    assert waiting.would == ("a.py: runs it in this process, and offers the tools that it defines",)
    world.trust_all()
    settings = world.settings()
    assert not settings.waiting
    assert waiting.key in settings.trusted
    async with world.session() as session:
        assert await said(session, "a") == "a"


@pytest.mark.parametrize("changed", ["a.py", "b.py", "_shared.py", "data/ports.csv"])
async def test_any_change_in_a_trusted_folder_needs_trust_again(world: FolderWorld, changed: str) -> None:
    world.put(world.theirs, {"a.py": says("a"), "_shared.py": "x = 1\n"})
    world.trust_all()
    world.put((world.theirs / changed).parent, {Path(changed).name: says("changed")})
    async with world.session() as session:
        assert names_of(session) == []
        assert status_of(session, THEIRS).condition is Condition.UNTRUSTED


async def test_what_is_loaded_is_what_was_trusted_whatever_stands_there_by_then(world: FolderWorld) -> None:
    world.put(world.theirs, {"a.py": says("trusted")})
    world.trust_all()
    settings = world.settings()
    world.put(world.theirs, {"a.py": says("hostile"), "b.py": says("hostile")})
    async with world.session(settings) as session:
        assert names_of(session) == ["a"]
        turn = await session.run(calls(("a", {})))
        assert turn.calls[0].result.text == "trusted"
        assert names_of(session) == []  # the turn ended with another look


async def test_a_change_between_turns_takes_a_workspaces_tools_away_until_it_is_trusted(world: FolderWorld) -> None:
    world.put(world.theirs, {"a.py": says("a")})
    world.trust_all()
    notices: list[str] = []
    async with world.session() as session:
        session.subscribe(lambda event: notices.append(event.message) if isinstance(event, NoticeGiven) else None)
        world.put(world.theirs, {"a.py": says("other")})
        await session.refresh()
        assert names_of(session) == []
        (notice,) = notices
        assert notice.startswith(f"{THEIRS} has changed, so none of its tools is there any more")
        (gone,) = (await session.run(calls(("a", {})))).calls
        assert isinstance(gone, Failed)
        assert "a is no longer available" in gone.fault.message
        world.trust_all()
        assert await said_after_refresh(session, "a") == "other"


async def said_after_refresh(session: Session, name: str) -> str:
    await session.refresh()
    return await said(session, name)


async def test_own_tools_are_loaded_anew_when_they_change_and_go_when_they_are_removed(world: FolderWorld) -> None:
    counter = (
        "from handrail import tool\ncount = 0\n@tool\ndef counted() -> int:\n"
        '    """Count."""\n    global count\n    count += 1\n    return count\n'
    )
    world.put(world.mine, {"a.py": says("a"), "b.py": says("b"), "n.py": counter})
    async with world.session() as session:
        assert await said(session, "n") == "1"
        world.put(world.mine, {"a.py": says("other"), "c.py": says("c")})
        (world.mine / "b.py").unlink()
        await session.refresh()
        assert names_of(session) == ["a", "c", "n"]
        assert await said(session, "a") == "other"
        assert await said(session, "n") == "2", "a file that did not change keeps its state"
        world.put(world.mine, {"a.py": "1 / 0\n"})
        await session.refresh()
        assert names_of(session) == ["c", "n"]
        assert status_of(session, str(world.mine)).problems == (
            f"{world.mine}/a.py:1: ZeroDivisionError: division by zero",
        )
        world.put(world.mine, {"a.py": says("mended")})
        assert await said_after_refresh(session, "a") == "mended"


async def test_a_folder_that_appears_while_the_session_runs_is_seen(world: FolderWorld) -> None:
    async with world.session() as session:
        assert session.sources() == ()
        world.put(world.mine, {"a.py": says("a")})
        world.put(world.theirs, {"b.py": says("b")})
        await session.refresh()
        assert names_of(session) == ["a"]
        assert status_of(session, THEIRS).condition is Condition.UNTRUSTED


async def test_what_the_person_has_keeps_its_name_before_what_came_with_the_workspace(world: FolderWorld) -> None:
    for folder, text in ((world.theirs, "theirs"), (world.mine, "mine"), (world.given, "given")):
        world.put(folder, {"tide.py": says(text), f"{text}.py": says(text)})
    world.trust_all()
    async with world.session(world.settings(tools=[world.given])) as session:
        assert names_of(session) == ["given", "tide", "mine", "theirs"]
        assert await said(session, "tide") == "given"


@pytest.mark.parametrize("how", ["flag", "variable", "config"])
async def test_a_folder_may_be_named_in_any_layer_of_the_persons_own(world: FolderWorld, how: str) -> None:
    world.put(world.given, {"a.py": says("a")})
    if how == "flag":
        settings = world.settings(tools=[world.given])
    elif how == "variable":
        settings = world.settings({"HANDRAIL_TOOLS": str(world.given)})
    else:
        world.put(world.root / "user", {"config.toml": f'tools = ["{world.given}"]\n'})
        settings = world.settings()
    async with world.session(settings) as session:
        assert await said(session, "a") == "a"


def test_a_workspace_names_no_folders_trusted_or_not(world: FolderWorld) -> None:
    world.put(world.given, {"a.py": says("a")})
    world.put(world.workspace / ".handrail", {"config.toml": f'tools = ["{world.given}"]\n'})
    world.trust_all()
    settings = world.settings()
    assert [folder.place.place.origin.layer for folder in settings.tool_folders if folder.is_there] == []
    assert "tools can't be set there" in settings.problems[0]


def test_a_folder_on_the_command_line_that_is_none_is_an_error_and_elsewhere_a_problem(world: FolderWorld) -> None:
    with pytest.raises(UsageError, match=r"--tools .*gone is not a folder; name one that exists"):
        world.settings(tools=[world.root / "gone"])
    settings = world.settings({"HANDRAIL_TOOLS": str(world.root / "gone")})
    assert settings.problems == (f"{world.root}/gone is not a folder; no tools come from it",)


@pytest.mark.skipif(os.name == "nt", reason="owners and modes of files are POSIX")
async def test_a_file_of_the_persons_own_that_others_can_write_is_left_out(world: FolderWorld) -> None:
    world.put(world.mine, {"a.py": says("a"), "b.py": says("b")})
    (world.mine / "a.py").chmod(0o666)
    async with world.session() as session:
        assert names_of(session) == ["b"]
        (problem,) = status_of(session, str(world.mine)).problems
        assert "a.py can be written by others" in problem
        assert problem.endswith("until then its tools are left out")


@pytest.mark.parametrize("kind", ["folder", "file"])
async def test_links_out_of_the_workspace_are_not_followed(world: FolderWorld, kind: str) -> None:
    world.put(world.given, {"a.py": says("a")})
    if kind == "folder":
        (world.workspace / ".handrail").mkdir()
        world.theirs.symlink_to(world.given)
    else:
        world.put(world.theirs, {"b.py": says("b")})
        (world.theirs / "a.py").symlink_to(world.given / "a.py")
    settings = world.settings()
    assert not settings.waiting
    assert len(settings.problems) == 1
    async with world.session(settings) as session:
        assert names_of(session) == []
        assert status_of(session, THEIRS).condition is Condition.FAILED


async def test_writes_into_a_folder_that_holds_without_trust_are_asked_about_in_every_mode(world: FolderWorld) -> None:
    inside = world.workspace / "given"
    world.put(inside, {"a.py": says("a")})
    settings = world.settings(tools=[inside])
    parts = Parts(journal=MemoryJournal())
    async with Session.open(world.workspace, mode=Mode.BYPASS, settings=settings, parts=parts) as session:
        (denied,) = (await session.run(calls(write("given/b.py", says("b"))), on_ask="reject")).calls
        assert not (inside / "b.py").exists()
        assert type(denied).__name__ == "Rejected"
        assert "a" in names_of(session)


def test_a_folder_that_the_person_names_is_theirs_where_it_lies_in_the_workspace_too(world: FolderWorld) -> None:
    world.put(world.theirs, {"a.py": says("a")})
    settings = world.settings(tools=[world.theirs])
    assert not settings.waiting
    (folder,) = [folder for folder in settings.tool_folders if folder.is_there]
    assert (folder.place.place.origin.layer, len(folder.files)) == (Layer.FLAG, 1)
