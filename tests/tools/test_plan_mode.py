"""Plan mode: entered freely, left by a person's yes alone, with one file that may be written meanwhile."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from call_harness import Person, opened, settled
from handrail.contract.calls import Completed, Failed, Rejected, SettledState
from handrail.contract.confirmation import EditArguments, Once, PlanConfirmation, Reject, Reply
from handrail.contract.events import NoticeGiven
from handrail.contract.ports import Unanswered
from handrail.errors import UsageError
from handrail.runtime.askers import LeftOpen, Nobody
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.settings.load import load_settings
from handrail.settings.places import STATE_VARIABLE
from handrail.surfaces.cli.asking import YesToAll
from handrail.tools import builtin_tools
from handrail.wire import Wire
from neutral_calls import Named, calls, write

PLAN = "1. Cut the port.\n2. Test.\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    return tmp_path / "ws"


@dataclass
class Planning:
    session: Session
    root: Path
    _calls: int = 0

    @property
    def file(self) -> str:
        return f".handrail/plans/{self.session.id}.md"

    @property
    def on_disk(self) -> Path:
        return self.root / self.file

    async def call(self, name: str, **arguments: Any) -> SettledState:
        self._calls += 1
        return await settled(self.session, name, arguments, f"c{self._calls}")

    async def edit(self, path: str = "a.txt") -> SettledState:
        return await self.call("write_file", file_path=path, content="x")

    async def plan(self) -> None:
        assert isinstance(await self.call("enter_plan_mode"), Completed)
        assert isinstance(await self.call("write_file", file_path=self.file, content=PLAN), Completed)


@asynccontextmanager
async def planning(root: Path, *answers: Any, mode: str = "default", asker: Any = None) -> AsyncIterator[Planning]:
    async with opened(root, *builtin_tools(), mode=mode, asker=asker or Person(*answers)) as session:
        yield Planning(session, root)


async def test_plan_mode_lets_the_plan_be_written_and_nothing_else(root: Path) -> None:
    async with planning(root, mode="bypass") as at:
        entered = await at.call("enter_plan_mode", reason="a new port")
        assert at.file in entered.result.text
        assert entered.result.data == {"plan_file": at.file}
        assert isinstance(await at.edit(), Rejected)
        assert isinstance(await at.edit(".handrail/plans/other.md"), Rejected)
        assert isinstance(await at.call("shell", command="touch b"), Rejected)
        assert isinstance(await at.call("shell", command="ls"), Completed)
        assert isinstance(await at.edit(at.file), Completed)
        assert at.on_disk.read_text() == "x"
        assert "already" in (await at.call("enter_plan_mode")).result.text
        assert not (root / "a.txt").exists()


async def test_a_yes_goes_back_to_the_mode_before(root: Path) -> None:
    person = Person(Once())
    async with planning(root, mode="accept-edits", asker=person) as at:
        await at.plan()
        left = await at.call("exit_plan_mode")
        assert left.result.data == {"plan_file": at.file, "mode": "accept-edits", "plan": PLAN}
        assert isinstance(await at.edit(), Completed)
    shown = person.asked[0].confirmation
    modes = ("accept-edits", "default")
    assert shown == PlanConfirmation("A plan to approve", PLAN, at.on_disk, modes)


@pytest.mark.parametrize(
    ("before", "offered"),
    [
        ("plan", ("default", "accept-edits")),
        ("default", ("default", "accept-edits")),
        ("accept-edits", ("accept-edits", "default")),
        ("sandboxed", ("sandboxed", "default", "accept-edits")),
        ("bypass", ("bypass", "default", "accept-edits")),
    ],
)
async def test_a_person_chooses_among_modes_no_looser_than_what_they_had_once_allowed(
    root: Path, before: str, offered: tuple[str, ...]
) -> None:
    person = Person(Once())
    async with planning(root, mode=before, asker=person) as at:
        await at.plan()
        assert (await at.call("exit_plan_mode")).result.data["mode"] == offered[0]
    assert isinstance(person.asked[0].confirmation, PlanConfirmation)
    assert person.asked[0].confirmation.next_modes == offered


async def test_a_reply_chooses_the_mode_to_go_on_in(root: Path) -> None:
    async with planning(root, Reply("accept-edits")) as at:
        await at.plan()
        assert (await at.call("exit_plan_mode")).result.data["mode"] == "accept-edits"
        assert isinstance(await at.edit(), Completed)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Reject("Test first"), "Test first"),
        (Reject(), "no"),
        (Reply("bypass"), "The person said: bypass"),
        (Reply("looks fine, but later"), "looks fine, but later"),
        (Reply({"mode": "default"}), "not approved yet"),
        (Unanswered.NOBODY, "Nobody could be asked"),
    ],
    ids=repr,
)
async def test_whatever_is_no_yes_leaves_the_session_in_plan_mode(root: Path, answer: Any, said: str) -> None:
    async with planning(root, answer) as at:
        await at.plan()
        refused = await at.call("exit_plan_mode")
        assert isinstance(refused, Failed)
        assert said in refused.fault.message
        assert isinstance(await at.edit(), Rejected)


@pytest.mark.parametrize("asker", [YesToAll(), Nobody()], ids=["yes to all", "nobody"])
async def test_only_a_person_approves_a_plan(root: Path, asker: Any) -> None:
    async with planning(root, asker=asker) as at:
        await at.plan()
        assert isinstance(await at.call("exit_plan_mode"), Failed)
        assert isinstance(await at.edit(), Rejected)


async def test_a_plan_is_not_changed_in_the_answer_to_it(root: Path) -> None:
    async with planning(root, asker=LeftOpen()) as at:
        await at.plan()
        turn = await at.session.run(calls(("exit_plan_mode", {})), Wire.NEUTRAL)
        (open_,) = at.session.pending()
        with pytest.raises(UsageError, match="this is a plan"):
            at.session.answer(open_.approval, EditArguments({}), "test")
        done = await at.session.resume(turn, {open_.approval: Once()})
        assert [type(state) for state in done.calls] == [Completed]


@pytest.mark.parametrize(
    ("content", "said"),
    [(None, "There is no plan yet. Write it to"), (" \n", "is empty"), ("x" * 100_001, "Shorten it")],
    ids=["none", "empty", "long"],
)
async def test_there_must_be_a_plan_to_approve(root: Path, content: str | None, said: str) -> None:
    async with planning(root) as at:
        await at.call("enter_plan_mode")
        if content is not None:
            await at.call("write_file", file_path=at.file, content=content)
        assert said in (await at.call("exit_plan_mode")).fault.message


async def test_outside_plan_mode_there_is_nothing_to_leave(root: Path) -> None:
    async with planning(root) as at:
        assert "not in plan mode" in (await at.call("exit_plan_mode")).fault.message


async def test_a_plan_written_in_the_same_response_is_the_one_that_is_shown(root: Path) -> None:
    person = Person(Once())
    async with planning(root, mode="plan", asker=person) as at:
        asked: list[Named] = [write(at.file, PLAN), ("exit_plan_mode", {})]
        turn = await at.session.run(calls(*asked), Wire.NEUTRAL)
        assert [type(state) for state in turn.calls] == [Completed, Completed]
    assert person.asked[0].confirmation.plan == PLAN


async def test_a_call_that_waits_for_an_answer_is_looked_at_again_when_plan_mode_begins(root: Path) -> None:
    async with planning(root, asker=LeftOpen()) as at:
        turn = await at.session.run(calls(write("a.txt")), Wire.NEUTRAL)
        (open_,) = at.session.pending()
        await at.call("enter_plan_mode")
        done = await at.session.resume(turn)
        assert [type(state) for state in done.calls] == [Rejected]
        assert not at.session.answer(open_.approval, Once(), "test")
    assert not (root / "a.txt").exists()


async def test_people_are_told_of_each_change_of_mode(root: Path) -> None:
    async with planning(root, Once()) as at:
        told: list[str] = []
        at.session.subscribe(lambda event: told.append(event.message) if isinstance(event, NoticeGiven) else None)
        await at.plan()
        await at.call("exit_plan_mode")
    assert told == ["The session is in plan mode now.", "The session is in default mode now."]


async def test_a_session_that_was_left_in_plan_mode_is_taken_up_in_it(root: Path) -> None:
    async with Session.open(root, mode="accept-edits", parts=Parts(asker=LeftOpen())) as session:
        await Planning(session, root).plan()
        turn = await session.run(calls(("exit_plan_mode", {})), Wire.NEUTRAL)
        assert turn.waiting
    loose = load_settings(root, {"HANDRAIL_MODE": "accept-edits"})
    async with Session.open(root, session=session.id, settings=loose, parts=Parts(asker=LeftOpen())) as again:
        (parked,) = await again.take_up()
        at = Planning(again, root, 10)
        assert isinstance(await at.edit(), Rejected)
        (open_,) = again.pending()
        done = await again.resume(parked, {open_.approval: Once()})
        assert [type(state) for state in done.calls] == [Completed]
        assert isinstance(await at.edit(), Completed)


@pytest.mark.parametrize("how", ["code", "flag"])
async def test_a_mode_that_is_said_when_a_session_is_taken_up_holds(root: Path, how: str) -> None:
    async with Session.open(root) as session:
        await Planning(session, root).plan()
    flagged = load_settings(root, {}, {"mode": "accept-edits"}) if how == "flag" else None
    mode = "accept-edits" if how == "code" else None
    async with Session.open(root, session=session.id, settings=flagged, mode=mode) as again:
        assert isinstance(await Planning(again, root, 10).edit(), Completed)


async def test_a_workspace_that_is_named_by_a_link_can_be_planned_in(root: Path) -> None:
    link = root.with_name("link")
    link.symlink_to(root)
    async with planning(link) as at:
        await at.plan()
    assert at.on_disk.read_text() == PLAN


def _folder_elsewhere(root: Path, elsewhere: Path, file: str) -> None:
    (root / ".handrail").mkdir()
    (root / ".handrail/plans").symlink_to(elsewhere)


def _file_elsewhere(root: Path, elsewhere: Path, file: str) -> None:
    (root / ".handrail/plans").mkdir(parents=True)
    (root / file).symlink_to(elsewhere / "x.md")


def _other_name(root: Path, elsewhere: Path, file: str) -> None:
    (root / ".handrail/plans").mkdir(parents=True)
    (root / "innocent").symlink_to(root / ".handrail/plans")


@pytest.mark.parametrize(
    ("trick", "path"),
    [(_folder_elsewhere, ""), (_file_elsewhere, ""), (_other_name, "innocent")],
    ids=["the folder is a link", "the file is a link", "a link to the folder"],
)
async def test_no_link_makes_another_file_the_plan(
    root: Path, trick: Callable[[Path, Path, str], None], path: str
) -> None:
    elsewhere = root / "src"
    elsewhere.mkdir()
    async with planning(root, mode="plan") as at:
        trick(root, elsewhere, at.file)
        named = f"{path}/{at.session.id}.md" if path else at.file
        assert isinstance(await at.edit(named), Rejected)
    assert os.listdir(elsewhere) == []


async def test_the_menu_in_plan_mode_still_has_what_writes_the_plan(root: Path) -> None:
    async with planning(root, mode="plan") as at:
        shown = {tool.name for tool in at.session.menu().tools}
    assert {"write_file", "edit_file", "exit_plan_mode"} <= shown
