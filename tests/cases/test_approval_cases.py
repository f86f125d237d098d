"""Faults that people reported of remembered approvals, and how another product keeps them: a test for each.

A case that has no test here and is not decided otherwise fails.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import pytest

from corpus_files import cases
from handrail.contract.calls import AwaitingApproval, Completed, Rejected
from handrail.contract.confirmation import Always, GrantOption
from handrail.contract.events import NoticeGiven
from handrail.runtime.grant_store import USER_FILE
from handrail.session import Session
from handrail.settings.places import journal_file, state_folder
from neutral_calls import Named, calls, kinds, read, write

CASES = cases("permission_faults", "permissions/approvals") | cases(
    "gemini_behaviour", "policy-update", "policy-persist"
)

DECIDED_OTHERWISE = {
    "gm-policy-update-290": "an approval for good is a grant for what was offered: it never changes the mode",
}

T = TypeVar("T", bound=Callable[..., Any])
Choose = Callable[[AwaitingApproval], Always]


def case(*ids: str) -> Callable[[T], T]:
    """Says which cases a test is for."""

    def mark(test: T) -> T:
        test.cases = ids
        return test

    return mark


def always(scope: str) -> Choose:
    return lambda call: Always(next(offer for offer in call.offers if offer.scope == scope))


async def run(folder: Path, *named: Named, on_ask: Any = "reject", mode: str = "default") -> list[type]:
    """In a session of its own, as after a restart."""
    async with Session.open(folder, mode=mode) as session:
        return kinds(await session.run(calls(*named), on_ask=on_ask))


def test_every_case_is_accounted_for_once() -> None:
    tested = [id for test in globals().values() for id in getattr(test, "cases", ())]
    known = [*tested, *DECIDED_OTHERWISE]
    assert sorted(known) == sorted(CASES)


@case("cc-037")
@pytest.mark.parametrize("scope", ["project", "user"])
async def test_an_approval_for_good_holds_after_a_restart(tmp_path: Path, scope: str) -> None:
    assert await run(tmp_path, write("a.txt"), on_ask=always(scope)) == [Completed]
    (tmp_path / "a.txt").unlink()
    assert await run(tmp_path, write("a.txt")) == [Completed]


@case("cc-038")
async def test_one_more_grant_leaves_the_others_alone(tmp_path: Path) -> None:
    await run(tmp_path, write("a.txt"), on_ask=always("project"))
    odd = ("g-later", 0.0, "project", None, '{"written": "by a later version"}', None)
    with closing(sqlite3.connect(journal_file(state_folder(), tmp_path))) as connection, connection:
        connection.execute("INSERT INTO grants VALUES (?, ?, ?, ?, ?, ?)", odd)
    await run(tmp_path, write("b.txt"), on_ask=always("project"))
    with closing(sqlite3.connect(journal_file(state_folder(), tmp_path))) as connection:
        rows = connection.execute("SELECT * FROM grants").fetchall()
    assert odd in rows
    assert len(rows) == 3


@case("cc-039")
async def test_every_offer_says_how_long_it_holds_and_holds_so_long(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    work = tmp_path / "work"
    work.mkdir()
    offered: list[GrantOption] = []

    def note(call: AwaitingApproval) -> Always:
        offered.extend(call.offers)
        return always("project")(call)

    target = str(outside / "a.txt")
    assert await run(work, write(target), on_ask=note) == [Completed]
    (outside / "a.txt").unlink()
    assert await run(work, write(target)) == [Completed]
    words = {"session": "session", "project": "in this project", "user": "every project"}
    assert all(words[offer.scope] in offer.label for offer in offered)


@case("cc-042")
async def test_a_second_call_of_the_kind_is_silent(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\n")
    asked: list[AwaitingApproval] = []

    def once(call: AwaitingApproval) -> Always:
        asked.append(call)
        return always("session")(call)

    async with Session.open(tmp_path) as session:
        for _ in range(2):
            assert kinds(await session.run(calls(read(".env")), on_ask=once)) == [Completed]
    assert len(asked) == 1


@case("gm-policy-update-287")
async def test_a_grant_for_a_file_tool_is_never_for_all_files(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\n")
    (tmp_path / ".env.local").write_text("B=2\n")
    offered: list[GrantOption] = []

    def note(call: AwaitingApproval) -> Always:
        offered.extend(call.offers)
        return Always(call.offers[0])

    async with Session.open(tmp_path) as session:
        await session.run(calls(read(".env")), on_ask=note)
        assert kinds(await session.run(calls(read(".env.local")), on_ask="reject")) == [Rejected]
    assert offered
    assert all(offer.reads or offer.writes or offer.arguments for offer in offered)


@case("gm-policy-update-288")
async def test_what_was_granted_in_default_mode_holds_in_wider_modes_and_not_in_plan_mode(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\n")
    await run(tmp_path, read(".env"), on_ask=always("project"))
    for mode in ("default", "accept-edits", "sandboxed", "bypass"):
        assert await run(tmp_path, read(".env"), mode=mode) == [Completed]
    assert await run(tmp_path, read(".env"), mode="plan") == [Rejected]


@case("gm-policy-update-289")
async def test_what_was_granted_in_plan_mode_holds_in_every_mode(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\n")
    await run(tmp_path, read(".env"), on_ask=always("project"), mode="plan")
    for mode in ("plan", "default", "accept-edits", "bypass"):
        assert await run(tmp_path, read(".env"), mode=mode) == [Completed]


@case("gm-policy-persist-294")
async def test_a_damaged_file_of_grants_is_told_of_left_alone_and_grants_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("HANDRAIL_STATE", str(state))
    (work := tmp_path / "work").mkdir()
    await run(work, write("a.txt"), on_ask=always("user"))
    (state / USER_FILE).write_text("damaged " * 400)
    (work / "a.txt").unlink()
    told: list[str] = []
    async with Session.open(work) as session:
        session.subscribe(lambda event: told.append(event.message) if isinstance(event, NoticeGiven) else None)
        turn = await session.run(calls(write("a.txt")), on_ask="park")
        assert len(turn.pending) == 1
    assert (state / USER_FILE).read_text() == "damaged " * 400
