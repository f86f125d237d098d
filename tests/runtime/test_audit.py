from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from journal_states import COMPLETED, EXECUTING, PENDING, call

from handrail.contract.basics import Instant, SessionId
from handrail.errors import JournalError
from handrail.runtime.audit import verify_chain
from handrail.runtime.chain import StoredEvent
from handrail.runtime.journal import SqliteJournal

SESSION = SessionId("session-1")

TAMPERED = {
    "a body": ("UPDATE events SET body = replace(body, 't', 'u') WHERE sequence = 3", [(3, "changed")]),
    "a time": ("UPDATE events SET at = at + 1 WHERE sequence = 3", [(3, "changed")]),
    "a state": ("UPDATE events SET state = 'Approved' WHERE sequence = 6", [(6, "changed")]),
    "a call": ("UPDATE events SET call = 'other' WHERE sequence = 1", [(1, "changed")]),
    "a hash": ("UPDATE events SET hash = 'f' WHERE sequence = 3", [(3, "changed")]),
    "a previous hash": ("UPDATE events SET previous = 'f' WHERE sequence = 3", [(3, "changed")]),
    "two bodies": ("UPDATE events SET body = '{}' WHERE sequence IN (2, 5)", [(2, "changed"), (5, "changed")]),
    "one gone": ("DELETE FROM events WHERE sequence = 3", [(3, "missing")]),
    "the first gone": ("DELETE FROM events WHERE sequence = 1", [(1, "missing")]),
    "one gone and the next changed": (
        "DELETE FROM events WHERE sequence = 3; UPDATE events SET body = '{}' WHERE sequence = 4",
        [(3, "missing"), (4, "changed")],
    ),
    "several gone": ("DELETE FROM events WHERE sequence IN (3, 4, 6)", [(3, "missing"), (6, "missing")]),
    "two in each other's place": (
        "UPDATE events SET sequence = 99 WHERE sequence = 3; UPDATE events SET sequence = 3 WHERE sequence = 4;"
        "UPDATE events SET sequence = 4 WHERE sequence = 99",
        [(3, "reordered"), (4, "reordered")],
    ),
    "one moved to the end": ("UPDATE events SET sequence = 99 WHERE sequence = 3", [(99, "reordered")]),
    "one copied": (
        "INSERT INTO events SELECT session, 9, epoch, at, call, parent, state, body, previous, hash FROM events "
        "WHERE sequence = 3",
        [(9, "changed")],
    ),
    "the session's start": ("UPDATE sessions SET started = 0", [(0, "changed")]),
    "the session's workspace": ("UPDATE sessions SET workspace = '/elsewhere'", [(0, "changed")]),
    "a payload": ("UPDATE payloads SET content = '{}' WHERE sequence = 2", [(2, "changed")]),
    "a payload's salt": ("UPDATE payloads SET salt = x'00' WHERE sequence = 2", [(2, "changed")]),
}


@pytest.fixture
async def path(tmp_path):
    file = tmp_path / "journal.sqlite"
    journal = await SqliteJournal.open(file, SESSION, workspace=Path("/home/ada"), started=Instant(1.0))
    for state in [call(1), call(2), call(3), call(4), PENDING, EXECUTING, COMPLETED, call(8)]:
        journal.append(state)
    await journal.close()
    return file


def change(path, script):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def test_an_untouched_journal_has_no_flaw(path):
    assert verify_chain(path, SESSION) == []


@pytest.mark.parametrize(("script", "found"), TAMPERED.values(), ids=TAMPERED)
def test_tampering_is_found_and_named(path, script, found):
    change(path, script)
    flaws = verify_chain(path, SESSION)
    assert [(flaw.sequence, flaw.kind) for flaw in flaws] == found
    for flaw in flaws:
        assert (str(flaw.sequence) if flaw.sequence else "session's own row") in flaw.message


def test_a_change_that_was_hashed_again_is_found_by_the_next_event(path):
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        *columns, previous, _ = connection.execute(
            "SELECT session, sequence, epoch, at, call, parent, state, body, previous, hash FROM events "
            "WHERE sequence = 6"
        ).fetchone()
        forged = replace(StoredEvent(*columns), body='{"name":"harmless"}')
        connection.execute(
            "UPDATE events SET body = ?, hash = ? WHERE sequence = 6", (forged.body, forged.hash(previous))
        )
    flaws = verify_chain(path, SESSION)
    assert [flaw.message for flaw in flaws] == ["event 6 was changed: event 7 was chained to other content"]


def test_a_long_gap_is_one_flaw(path):
    change(path, "UPDATE events SET sequence = 1000000000 WHERE sequence = 8; DELETE FROM events WHERE sequence = 7")
    assert verify_chain(path, SESSION)[0].message == "events 7 to 999999999 are missing"


def test_payloads_may_be_deleted(path):
    change(path, "DELETE FROM payloads")
    assert verify_chain(path, SESSION) == []


def test_verifying_changes_nothing(path):
    before = path.read_bytes()
    verify_chain(path, SESSION)
    assert path.read_bytes() == before


def test_a_session_that_is_not_there_is_named(path):
    with pytest.raises(JournalError, match=r"journal\.sqlite holds no session other"):
        verify_chain(path, SessionId("other"))


def test_a_journal_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(JournalError, match="it can't be opened"):
        verify_chain(tmp_path / "none.sqlite", SESSION)
    assert list(tmp_path.iterdir()) == []
