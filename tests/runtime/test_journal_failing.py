"""Sessions whose journal can't be written any more: nothing starts unseen, and nothing acknowledged is lost."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from handrail.contract.basics import Instant, SessionId
from handrail.contract.calls import Completed, Failed, Interrupted, SettledState
from handrail.contract.effects import Claims, PathClaim
from handrail.runtime.journal import SqliteJournal
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import FakeTool

SESSION = SessionId("session-1")
AT_ONCE = 20
MOST_TURNS = 200


def lock(path: Path, stack: ExitStack) -> None:
    other = stack.enter_context(closing(sqlite3.connect(path, isolation_level=None)))
    other.execute("BEGIN IMMEDIATE")


def fill(path: Path, stack: ExitStack) -> None:
    """The page limit of the journal's own connection does it."""


def steal(path: Path, stack: ExitStack) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("UPDATE sessions SET epoch = epoch + 1")


def lose_a_table(path: Path, stack: ExitStack) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("ALTER TABLE payloads RENAME TO gone")


FAULTS: dict[str, tuple[Callable[[Path, ExitStack], None], dict[str, Any], str]] = {
    "full": (fill, {"page_limit": 120}, "disk is full; free some space and start again"),
    "locked": (lock, {"busy_seconds": 0.01}, "database is locked; another process keeps it locked"),
    "taken over": (steal, {}, "was taken over by another process"),
    "changed": (lose_a_table, {}, "no such table: "),
}


def stored(path: Path, state: str) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        return {call for (call,) in connection.execute("SELECT call FROM events WHERE state = ?", (state,))}


@pytest.mark.parametrize(("fault", "options", "said"), FAULTS.values(), ids=FAULTS)
async def test_no_call_with_effects_starts_and_nothing_reported_is_lost(tmp_path, fault, options, said):
    path, workspace = tmp_path / "journal.sqlite", tmp_path / "workspace"
    workspace.mkdir()

    async def leave_mark(params: Any, context: Any) -> str:
        (workspace / params["mark"]).touch()
        return "left"

    tool = FakeTool("mark", leave_mark, claims=lambda params: Claims(writes=(PathClaim(str(params["mark"])),)))
    journal = await SqliteJournal.open(path, SESSION, workspace=workspace, started=Instant(1.0), **options)
    results: dict[str, SettledState] = {}
    with ExitStack() as stack:
        async with Session.open(workspace, mode="bypass", parts=Parts(tools=[tool], journal=journal)) as session:

            async def turn(number: int) -> list[SettledState]:
                ids = [f"c{number}-{n}" for n in range(AT_ONCE)]
                calls = [{"id": id, "name": "mark", "arguments": {"mark": id}} for id in ids]
                settled = [
                    call for call in (await session.run({"calls": calls})).calls if isinstance(call, SettledState)
                ]
                assert len(settled) == AT_ONCE
                results.update({call.request.id: call for call in settled})
                return settled

            assert all(isinstance(call, Completed) for call in await turn(0))
            fault(path, stack)
            for number in range(1, MOST_TURNS):
                if not all(isinstance(call, Completed) for call in await turn(number)):
                    break
            after = await turn(MOST_TURNS)
    assert {type(call) for call in after} == {Failed}
    assert all(said in call.fault.message and "It was not started" in call.fault.message for call in after)
    started = {id for id, call in results.items() if isinstance(call, (Completed, Interrupted))}
    assert set(os.listdir(workspace)) == started
    if fault is not lose_a_table:
        assert started <= stored(path, "Executing")
        assert {id for id, call in results.items() if isinstance(call, Completed)} == stored(path, "Completed")
