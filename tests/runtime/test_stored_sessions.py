from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from journal_states import AWAITING, COMPLETED, EVERY_STATE, PENDING, SECRET, call

from handrail.contract.basics import CallId, Instant, SessionId
from handrail.runtime import stored_sessions as stored_sessions_module
from handrail.runtime.audit import heads, verify
from handrail.runtime.histories import exported_events
from handrail.runtime.journal import SqliteJournal
from handrail.runtime.journal_file import connect
from handrail.runtime.spilling import SpillFolder, spill_folder
from handrail.runtime.stored_sessions import prune, stored_sessions
from handrail.runtime.turn_rows import KeptTurn
from handrail.wire import decode

DONE, WAITING, NEW = SessionId("done"), SessionId("waiting"), SessionId("new")
WORDS = "words that only the model said"
LONG_AGO, NOW = Instant(1_000.0), Instant(2_000.0)


async def opened(path, session):
    return await SqliteJournal.open(path, session, workspace=Path("/home/ada"), started=Instant(1.0))


@pytest.fixture
async def path(tmp_path):
    """Events at about 100 to 105 seconds; the new session's at 3,000."""
    file = tmp_path / "journal.sqlite"
    for session, states in (
        (DONE, [PENDING, AWAITING, COMPLETED]),
        (WAITING, [PENDING, AWAITING]),
        (NEW, [call(3_000)]),
    ):
        journal = await opened(file, session)
        journal.keep_turn(KeptTurn("turn-1", 1, (), decode({"choices": [{"message": {"content": WORDS}}]})))
        for state in states:
            journal.append(state)
        await journal.close()
    return file


def pruned(path, before=LONG_AGO, *, whole=False, unfinished=False, dry_run=False):
    return prune(path, before, whole=whole, unfinished=unfinished, dry_run=dry_run)


def bytes_of(path):
    return b"".join(file.read_bytes() for file in path.parent.glob("journal.sqlite*") if file.is_file())


def count(path, table, session):
    column = "id" if table == "sessions" else "session"
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"SELECT count(*) FROM {table} WHERE {column} = ?", (session,)).fetchone()[0]


def test_a_session_is_told_with_its_calls_and_what_they_wait_for(path):
    told = {session.id: session for session in stored_sessions(path)}
    assert {id: (s.calls, s.waiting, s.unfinished, s.last, s.holder) for id, s in told.items()} == {
        DONE: (1, 0, 0, 104.5, None),
        WAITING: (1, 1, 1, 101.0, None),
        NEW: (1, 0, 1, 3_000.0, None),
    }
    assert told[DONE].payloads == 3
    assert told[DONE].payload_size > len(SECRET)


async def test_a_session_that_is_open_is_told_with_its_process(path):
    journal = await opened(path, DONE)
    assert {session.id: session.holder is not None for session in stored_sessions(path)} == {
        DONE: True,
        WAITING: False,
        NEW: False,
    }
    await journal.close()


def test_pruning_deletes_what_is_exact_and_the_chain_stays_whole(path):
    anchors = heads(path)
    done = pruned(path)
    assert [session.id for session in done.sessions] == [DONE]
    assert [session.id for session in done.spared] == [WAITING]
    assert done.wiped
    assert (count(path, "payloads", DONE), count(path, "payloads", WAITING), count(path, "payloads", NEW)) == (0, 2, 1)
    assert all(not finding.flaws for finding in verify(path, None, anchors))
    assert [event["payload"] for event in exported_events(path, DONE, payloads=True)] == [None, None, None]


def test_nothing_of_what_was_pruned_is_left_in_any_of_the_files(path):
    assert SECRET.encode() in bytes_of(path)
    assert WORDS.encode() in bytes_of(path)
    assert pruned(path, NOW, unfinished=True).wiped
    pruned(path, Instant(9_000.0), unfinished=True)
    left = bytes_of(path)
    assert WORDS.encode() not in left
    # The tests' calls carry the secret in their arguments, confirmations and results, unmarked: events show a view.
    with closing(sqlite3.connect(path)) as connection:
        bodies = "".join(body for (body,) in connection.execute("SELECT body FROM events"))
    assert left.count(SECRET.encode()) == bodies.count(SECRET)


def test_results_that_were_kept_in_files_go_too(path):
    kept = [SpillFolder(spill_folder(path.parent, session)).keep(CallId("c"), "long") for session in (DONE, NEW)]
    pruned(path)
    assert [file.exists() for file in kept] == [False, True]


def test_a_file_gets_smaller_when_much_is_pruned(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE payloads SET content = ? WHERE session = 'done'", ("x" * 5_000_000,))
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = path.stat().st_size
    pruned(path)
    assert path.stat().st_size < before / 10


def test_whole_sessions_go_when_that_is_wanted(path):
    anchors = heads(path)
    pruned(path, whole=True)
    assert [session.id for session in stored_sessions(path)] == [NEW, WAITING]
    for table in ("sessions", "events", "payloads", "turns", "approvals"):
        assert count(path, table, DONE) == 0
        assert table == "approvals" or count(path, table, WAITING) > 0
    wrong = {finding.session for finding in verify(path, None, anchors) if finding.flaws}
    assert wrong == {DONE}


def test_a_dry_run_changes_nothing(path):
    before = path.read_bytes()
    assert [session.id for session in pruned(path, unfinished=True, dry_run=True).sessions] == [DONE, WAITING]
    assert path.read_bytes() == before


async def test_a_session_that_is_open_is_spared(path):
    journal = await opened(path, DONE)
    assert [session.id for session in pruned(path).spared] == [DONE, WAITING]
    await journal.close()
    assert [session.id for session in pruned(path).sessions] == [DONE]


def test_a_reader_that_keeps_old_pages_alive_is_told(path, monkeypatch):
    monkeypatch.setattr(stored_sessions_module, "connect", partial(connect, busy_seconds=0.1))
    with closing(sqlite3.connect(path, isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM payloads").fetchone()
        assert not pruned(path).wiped
    assert pruned(path).wiped


def test_an_exported_event_can_be_verified_from_its_export_alone(path):
    events = [json.loads(json.dumps(event)) for event in exported_events(path, DONE, payloads=False)]
    assert "payload" not in events[0]
    assert [event["previous"] for event in events[1:]] == [event["hash"] for event in events[:-1]]


async def test_every_state_can_be_exported(tmp_path):
    path = tmp_path / "journal.sqlite"
    journal = await opened(path, DONE)
    for state in EVERY_STATE.values():
        journal.append(state)
    await journal.close()
    exported = list(exported_events(path, DONE, payloads=True))
    assert [event["state"] for event in exported] == [state.__name__ for state in EVERY_STATE]
