"""Remembered approvals: what they answer, where they are kept, who sees them."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from standing import Place

from handrail.contract.basics import Instant, SessionId
from handrail.contract.calls import AwaitingApproval, Completed, Rejected
from handrail.contract.confirmation import Always, EditArguments, GrantOption, Once, Reject
from handrail.errors import JournalError, UsageError
from handrail.policy.grants import Grant
from handrail.policy.modes import Mode
from handrail.runtime.grant_store import USER_FILE, GrantStore, grant_id
from handrail.runtime.journal_file import connect
from handrail.settings.places import state_folder
from handrail.testing import FakeTool
from neutral_calls import calls, kinds, write

SESSION = SessionId("s1")


def always(scope: str) -> Any:
    """A person who chooses the first offer of this scope, and may be asked only once."""
    asked: list[AwaitingApproval] = []

    def answer(call: AwaitingApproval) -> Always:
        asked.append(call)
        return Always(next(offer for offer in call.offers if offer.scope == scope))

    answer.asked = asked  # type: ignore[attr-defined]
    return answer


def never(call: AwaitingApproval) -> Reject:
    raise AssertionError(f"asked about {call.invocation.arguments}")


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def store(tmp_path: Path):
    journal, state = tmp_path / "journal.sqlite", tmp_path / "state"
    state.mkdir()
    connect(journal).close()
    with closing(GrantStore(journal, state)) as store:
        yield store


def option(scope: Any = "project", tool: str = "write_file", **more: Any) -> GrantOption:
    return GrantOption(f"{tool} in this {scope}", scope, tool, ("mode:default",), **more)


@pytest.mark.parametrize("scope", ["session", "project", "user"])
async def test_a_second_call_that_a_grant_covers_is_silent(place: Place, scope: str) -> None:
    person = always(scope)
    async with place.session() as session:
        first = await session.run(calls(write("a.txt", "1")), on_ask=person)
        (place.folder / "a.txt").unlink()
        second = await session.run(calls(write("a.txt", "2")), on_ask=never)
    assert kinds(first) + kinds(second) == [Completed, Completed]
    assert str(first.calls[0].decision.source) == "person:callback"
    assert str(second.calls[0].decision.source).startswith("grant:g-")
    assert len(person.asked) == 1


@pytest.mark.parametrize(("scope", "silent"), [("session", False), ("project", True), ("user", True)])
async def test_a_grant_outlives_its_session_where_its_scope_says_so(place: Place, scope: str, silent: bool) -> None:
    async with place.session() as session:
        await session.run(calls(write("a.txt", "1")), on_ask=always(scope))
    (place.folder / "a.txt").unlink()
    async with place.session() as session:
        turn = await session.run(calls(write("a.txt", "2")), on_ask="reject")
    assert kinds(turn) == [Completed if silent else Rejected]


async def test_a_session_keeps_its_grants_when_it_is_taken_up_again(place: Place) -> None:
    async with place.session() as session:
        await session.run(calls(write("a.txt", "1")), on_ask=always("session"))
        (place.folder / "a.txt").unlink()
    async with place.session(session.id) as again:
        await again.take_up()
        turn = await again.run(calls(write("a.txt", "2")), on_ask=never)
    assert kinds(turn) == [Completed]


async def test_a_grant_answers_nothing_wider_than_what_was_offered(place: Place) -> None:
    async with place.session() as session:
        await session.run(calls(write("a.txt", "1")), on_ask=always("session"))
        turn = await session.run(calls(write("b.txt", "1"), write(".git/config", "1")), on_ask="reject")
    assert kinds(turn) == [Rejected, Rejected]


async def test_whoever_waits_for_what_is_granted_meanwhile_goes_on(place: Place) -> None:
    async with place.session() as session:
        turns = [await session.run(calls(write("a.txt", str(n))), on_ask="park") for n in range(2)]
        question = turns[0].pending[0]
        first = await session.resume(turns[0], {question.approval: Always(question.offers[0])})
        second = await session.resume(turns[1])
        while second.waiting:
            await anext(session.events())
            second = await session.resume(second)
    assert kinds(first) == [Completed]
    assert str(second.calls[0].decision.source).startswith("grant:")
    assert place.open_questions() == []


async def test_a_yes_to_one_call_holds_when_another_grant_is_given_before_it_starts(place: Place) -> None:
    slow = asyncio.Event()

    async def wait(given: Any, context: Any) -> str:
        await slow.wait()
        return "ok"

    place.tools = [FakeTool("slow", wait, needs_approval=True), FakeTool("quick", needs_approval=True)]
    async with place.session(at_once=1) as session:
        parked = await session.run(calls(("slow", {}), ("quick", {}), ("quick", {"n": 2})), on_ask="park")
        one, two, three = parked.pending
        session.answer(one.approval, Once(), "here")
        session.answer(two.approval, Once(), "here")
        session.answer(three.approval, Always(three.offers[0]), "here")
        slow.set()
        turn = await session.resume(parked)
        while turn.waiting:
            await anext(session.events())
            turn = await session.resume(turn)
    assert [str(call.decision.source) for call in turn.calls[:2]] == ["person:here", "person:here"]
    assert kinds(turn) == [Completed] * 3


async def test_a_grant_from_another_process_is_noticed(place: Place) -> None:
    async with place.session() as session, place.session() as other:
        parked = await session.run(calls(write("a.txt", "1")), on_ask="park")
        await other.run(calls(write("a.txt", "1")), on_ask=always("project"))
        (place.folder / "a.txt").unlink()
        turn = await session.resume(parked)
        while turn.waiting:
            await anext(session.events())
            turn = await session.resume(turn)
    # What would be written was shown as a new file, and is one again.
    assert str(turn.calls[0].decision.source).startswith("grant:")


async def test_a_revoked_grant_answers_nothing_any_more(place: Place) -> None:
    async with place.session() as session:
        await session.run(calls(write("a.txt", "1")), on_ask=always("project"))
    with closing(GrantStore(place.journal, state_folder())) as store:
        (kept,) = [stored for stored in store.all() if stored.grant.option.scope == "project"]
        store.revoke(kept.grant.id, Instant(1.0))
        with pytest.raises(UsageError, match="revoked before"):
            store.revoke(kept.grant.id, Instant(2.0))
    (place.folder / "a.txt").unlink()
    async with place.session() as session:
        turn = await session.run(calls(write("a.txt", "2")), on_ask="reject")
    assert kinds(turn) == [Rejected]


def once() -> FakeTool:
    return FakeTool("deploy", needs_approval="once")


@pytest.mark.parametrize("on_ask", ["callback", "park"])
async def test_a_tool_approved_once_is_asked_about_once_with_several_calls_in_flight(
    tmp_path: Path, on_ask: str
) -> None:
    tool, asked = once(), []
    place = Place(tmp_path, [tool])
    three = calls(("deploy", {"n": 1}), ("deploy", {"n": 2}), ("deploy", {"n": 3}))

    async def yes(call: AwaitingApproval) -> Once:
        asked.append(call)
        return Once()

    async with place.session() as session:
        if on_ask == "park":
            turn = await session.run(three, on_ask="park")
            assert len(turn.pending) == 3
            turn = await session.resume(turn, {turn.pending[1].approval: Once()})
            while turn.waiting:
                await anext(session.events())
                turn = await session.resume(turn)
        else:
            turn = await session.run(three, on_ask=yes)
            assert len(asked) == 1
        later = await session.run(calls(("deploy", {"n": 4})), on_ask=never)
    assert kinds(turn) + kinds(later) == [Completed] * 4
    assert len(tool.calls) == 4


async def test_a_no_to_a_tool_approved_once_settles_those_in_flight_and_is_not_remembered(tmp_path: Path) -> None:
    tool, answers = once(), iter([Reject("not today"), Once()])
    place = Place(tmp_path, [tool])
    async with place.session() as session:
        turn = await session.run(calls(("deploy", {"n": 1}), ("deploy", {"n": 2})), on_ask=lambda _: next(answers))
        assert kinds(turn) == [Rejected, Rejected]
        assert all("not today" in call.result.text for call in turn.calls)
        turn = await session.run(calls(("deploy", {"n": 3})), on_ask=lambda _: next(answers))
    assert kinds(turn) == [Completed]


async def test_an_edit_of_one_call_asks_about_the_others_of_its_tool(tmp_path: Path) -> None:
    tool, asked = once(), []

    def edit_first(call: AwaitingApproval) -> Once | EditArguments:
        asked.append(call.invocation.arguments)
        return EditArguments({"n": 9}) if len(asked) == 1 else Once()

    place = Place(tmp_path, [tool])
    async with place.session() as session:
        turn = await session.run(calls(("deploy", {"n": 1}), ("deploy", {"n": 2})), on_ask=edit_first)
    assert kinds(turn) == [Completed, Completed]
    assert len(asked) == 2
    assert {given["n"] for given in tool.calls} == {2, 9}


async def test_once_is_asked_anew_in_another_session(tmp_path: Path) -> None:
    place = Place(tmp_path, [once()])
    async with place.session() as session:
        await session.run(calls(("deploy", {})), on_ask=lambda _: Once())
    async with place.session() as session:
        turn = await session.run(calls(("deploy", {})), on_ask="reject")
    assert kinds(turn) == [Rejected]


async def test_an_ask_rule_is_no_once_question_and_its_yes_is_for_one_call(tmp_path: Path) -> None:
    place = Place(tmp_path, [FakeTool("deploy", needs_approval=True)], {"mode": Mode.BYPASS})
    async with place.session() as session:
        await session.run(calls(("deploy", {})), on_ask=lambda _: Once())
        turn = await session.run(calls(("deploy", {})), on_ask="reject")
    assert kinds(turn) == [Rejected]


def test_each_grant_is_added_alone_and_the_others_stay(store: GrantStore) -> None:
    for number, scope in enumerate(["project", "user", "session", "project"]):
        store.add(Grant(f"g-{number}", option(scope)), SESSION, Instant(number))
    assert [grant.id for grant in store.in_force(SESSION)] == ["g-0", "g-1", "g-2", "g-3"]
    assert [grant.id for grant in store.in_force(SessionId("s2"))] == ["g-0", "g-1", "g-3"]
    store.revoke("g-0", Instant(9.0))
    assert [grant.id for grant in store.in_force(SESSION)] == ["g-1", "g-2", "g-3"]
    assert [stored.revoked for stored in store.all()] == [9.0, None, None, None]


def test_a_change_by_another_connection_is_seen_by_the_version(store: GrantStore, tmp_path: Path) -> None:
    before = store.version()
    with closing(GrantStore(tmp_path / "journal.sqlite", tmp_path / "state")) as other:
        other.add(Grant("g-1", option()), SESSION, Instant(1.0))
        assert store.version() != before
        before = store.version()
        other.add(Grant("g-2", option("user")), SESSION, Instant(1.0))
        assert store.version() != before


def test_grants_of_the_user_are_in_a_file_of_their_own_that_nobody_else_reads(
    store: GrantStore, tmp_path: Path
) -> None:
    store.add(Grant("g-1", option("user")), SESSION, Instant(1.0))
    assert stat.S_IMODE((tmp_path / "state" / USER_FILE).stat().st_mode) == 0o600
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as connection:
        assert connection.execute("SELECT count(*) FROM grants").fetchone() == (0,)


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"id": "g-1", "label": "l", "scope": "world", "tool": "t"}'])
def test_what_is_no_grant_grants_nothing_and_harms_no_other(store: GrantStore, tmp_path: Path, body: str) -> None:
    store.add(Grant("g-1", option()), SESSION, Instant(1.0))
    with closing(sqlite3.connect(tmp_path / "journal.sqlite")) as connection, connection:
        connection.execute("INSERT INTO grants VALUES ('odd', 0, 'project', NULL, ?, NULL)", (body,))
    assert [grant.id for grant in store.in_force(SESSION)] == ["g-1"]


def test_an_unknown_grant_is_not_revoked(store: GrantStore) -> None:
    with pytest.raises(UsageError, match="there is no grant"):
        store.revoke("g-1", Instant(1.0))


def test_a_damaged_file_of_the_user_is_said_and_left_alone(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    connect(journal).close()
    damaged = tmp_path / USER_FILE
    damaged.write_text("not a database, but somebody's file " * 40)
    with closing(GrantStore(journal, tmp_path)) as store, pytest.raises(JournalError, match="not a journal"):
        store.in_force(SESSION)
    assert damaged.read_text().startswith("not a database")


async def answered_from_outside(place: Place, scope: str) -> tuple[SessionId, str]:
    """A session that is left with a question, which then gets a yes for good; with the grant's id."""
    async with place.session() as session:
        await session.run(calls(write("a.txt", "1")), on_ask="park")
    (question,) = place.open_questions()
    assert question.shown is not None
    place.answer(question.id, Always(next(offer for offer in question.shown.offers if offer.scope == scope)))
    return session.id, grant_id(question.id)


def times_kept(place: Place, id: str) -> int:
    """The user's grants of all workspaces are in one file: so that of one question alone."""
    with closing(GrantStore(place.journal, state_folder())) as store:
        return [stored.grant.id for stored in store.all()].count(id)


@pytest.mark.parametrize("scope", ["session", "project", "user"])
async def test_a_yes_for_good_to_a_dead_session_is_a_grant_at_once_and_only_once(place: Place, scope: str) -> None:
    left, id = await answered_from_outside(place, scope)
    assert times_kept(place, id) == 1
    if scope != "session":
        async with place.session() as other:
            turn = await other.run(calls(write("a.txt", "2")), on_ask=never)
        assert str(turn.calls[0].decision.source) == f"grant:{id}"
        (place.folder / "a.txt").unlink()
    async with place.session(left) as again:
        (turn,) = await again.take_up(on_ask="reject")
    assert kinds(turn) == [Completed]
    assert times_kept(place, id) == 1


@pytest.mark.parametrize("scope", ["session", "project", "user"])
async def test_a_grant_that_was_revoked_before_its_session_goes_on_stays_revoked(place: Place, scope: str) -> None:
    left, id = await answered_from_outside(place, scope)
    with closing(GrantStore(place.journal, state_folder())) as store:
        store.revoke(id, Instant(2.0))
    async with place.session(left) as again:
        (turn,) = await again.take_up(on_ask="reject")
        assert kinds(turn) == [Completed]  # this one had its yes
        turn = await again.run(calls(write("a.txt", "2")), on_ask="reject")
    assert kinds(turn) == [Rejected]
    assert times_kept(place, id) == 1


async def test_a_yes_for_good_to_a_living_session_is_a_yes_of_that_person(place: Place) -> None:
    async with place.session() as session:
        parked = await session.run(calls(write("a.txt", "1")), on_ask="park")
        (question,) = place.open_questions()
        assert question.shown is not None
        await asyncio.to_thread(place.answer, question.id, Always(question.shown.offers[0]))
        turn = await session.resume(parked)
        while turn.waiting:
            await anext(session.events())
            turn = await session.resume(turn)
    assert str(turn.calls[0].decision.source) == "person:cli"
    assert times_kept(place, grant_id(question.id)) == 1


async def test_a_refused_yes_for_good_gives_no_grant(place: Place) -> None:
    async with place.session() as session:
        await session.run(calls(write("a.txt", "1")), on_ask="park")
    (question,) = place.open_questions()
    assert question.shown is not None
    place.answer(question.id, Reject("no"))
    for offer in question.shown.offers:
        with pytest.raises(UsageError, match="was answered before"):
            place.answer(question.id, Always(offer))
    assert times_kept(place, grant_id(question.id)) == 0
