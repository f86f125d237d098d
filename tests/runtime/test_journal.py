from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path

import pytest
from journal_states import EVERY_STATE, call

from handrail.contract.basics import Instant, SessionId
from handrail.errors import JournalError
from handrail.runtime.audit import verify_chain
from handrail.runtime.journal import LINE_LIMIT, SqliteJournal
from handrail.runtime.journal_store import SessionStore
from handrail.runtime.value_rows import KeptTogether, KeptValue, values_of

CHILD = Path(__file__).with_name("journal_child.py")
SESSION = SessionId("session-1")
NOBODY = 65534


@pytest.fixture
def path(tmp_path):
    return tmp_path / "journal.sqlite"


async def opened(path, session=SESSION, **options):
    return await SqliteJournal.open(path, session, workspace=Path("/home/ada/project"), started=Instant(1.0), **options)


async def write(path, calls, session=SESSION):
    journal = await opened(path, session)
    for number in range(calls):
        journal.append(call(number))
    await journal.close()


def read(path, query, *values):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, values).fetchall()


def change(path, script):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def stored_calls(path, session=SESSION):
    return [row[0] for row in read(path, "SELECT call FROM events WHERE session = ? ORDER BY sequence", session)]


def look_until_stored(path):
    return any(stored_calls(path) for _ in range(100_000))


async def test_values_that_no_event_follows_are_written_all_the_same(path, monkeypatch):
    """A talk without calls has no events, and a process that is killed leaves it."""
    written, loop, write_all = asyncio.Event(), asyncio.get_running_loop(), SessionStore.write

    def write_and_tell(store, states):
        write_all(store, states)
        loop.call_soon_threadsafe(written.set)

    monkeypatch.setattr(SessionStore, "write", write_and_tell)
    journal = await opened(path)
    journal.keep_values(KeptTogether((KeptValue("a", "1"), KeptValue("b", "2"))))
    async with asyncio.timeout(60):
        await written.wait()
    assert values_of(path, SESSION) == {"a": 1, "b": 2}
    await journal.close()


async def test_a_tool_in_a_thread_of_its_own_may_keep_values(path):
    journal = await opened(path)
    asyncio.get_running_loop().set_debug(True)  # which tells of what is not made for other threads
    await asyncio.to_thread(journal.keep_values, KeptTogether((KeptValue("a", "1"),)))
    await journal.close()
    assert values_of(path, SESSION) == {"a": 1}


async def test_events_stand_in_the_order_in_which_they_were_appended(path):
    await write(path, 2_500)
    assert stored_calls(path) == [f"call-{number}" for number in range(2_500)]
    assert [row[0] for row in read(path, "SELECT sequence FROM events ORDER BY rowid")] == list(range(1, 2_501))


async def test_every_state_can_be_written_and_its_chain_is_whole(path):
    journal = await opened(path)
    for state in EVERY_STATE.values():
        await journal.durable(journal.append(state))
    await journal.close()
    assert [row[0] for row in read(path, "SELECT state FROM events ORDER BY sequence")] == [
        state.__name__ for state in EVERY_STATE
    ]
    assert verify_chain(path, SESSION) == []


async def test_what_is_durable_can_be_read_by_others_at_once(path):
    journal = await opened(path)
    await journal.durable(journal.append(call(1)))
    assert stored_calls(path) == ["call-1"]
    await journal.close()


async def test_what_nobody_waits_for_is_written_all_the_same(path):
    journal = await opened(path)
    journal.append(call(1))
    assert await asyncio.to_thread(look_until_stored, path)
    await journal.close()


async def test_calls_that_wait_together_share_a_transaction(path):
    journal = await opened(path)
    commits = 0
    with closing(sqlite3.connect(path)) as watching:
        version = watching.execute("PRAGMA data_version").fetchone()

        async def one_call(number):
            nonlocal commits, version
            await journal.durable(journal.append(call(number)))
            seen = watching.execute("PRAGMA data_version").fetchone()
            commits += seen != version
            version = seen

        await asyncio.gather(*(one_call(number) for number in range(100)))
    await journal.close()
    assert len(stored_calls(path)) == 100
    assert commits < 50


async def test_a_number_that_is_safe_already_is_answered_at_once(path):
    journal = await opened(path)
    sequence = journal.append(call(1))
    await journal.durable(sequence)
    await journal.durable(sequence)
    await journal.close()
    await journal.durable(sequence)


async def test_a_number_that_was_never_appended_is_refused(path):
    journal = await opened(path)
    with pytest.raises(ValueError, match="nothing was appended as number 1"):
        await journal.durable(1)
    await journal.close()


async def test_a_waiter_that_is_cancelled_takes_nobody_along(path):
    journal = await opened(path)
    first = asyncio.ensure_future(journal.durable(journal.append(call(1))))
    second = asyncio.ensure_future(journal.durable(journal.append(call(2))))
    await asyncio.sleep(0)
    first.cancel()
    await second
    await journal.close()
    assert stored_calls(path) == ["call-1", "call-2"]


async def test_closing_twice_and_writing_after_it_do_no_harm(path):
    journal = await opened(path)
    await asyncio.gather(journal.close(), journal.close())
    with pytest.raises(JournalError, match="after the journal was closed"):
        await journal.durable(journal.append(call(1)))
    assert stored_calls(path) == []


async def test_a_session_goes_on_where_it_stood(path):
    await write(path, 3)
    journal = await opened(path)
    assert journal.append(call(3)) == 4
    await journal.close()
    assert verify_chain(path, SESSION) == []
    assert read(path, "SELECT epoch, count(*) FROM events GROUP BY epoch") == [(1, 3), (2, 1)]


async def test_a_session_that_was_taken_over_writes_nothing_more(path):
    old = await opened(path)
    await old.durable(old.append(call(1)))
    new = await opened(path, take_over=True)
    with pytest.raises(JournalError, match=r"session-1 .* was taken over by another process"):
        await old.durable(old.append(call(2)))
    await new.durable(new.append(call(3)))
    await new.close()
    await old.close()
    assert stored_calls(path) == ["call-1", "call-3"]
    assert verify_chain(path, SESSION) == []


async def test_a_session_that_is_open_can_not_be_opened_again(path):
    first = await opened(path)
    with pytest.raises(JournalError, match=f"session-1 is held by process {os.getpid()}"):
        await opened(path)
    await first.durable(first.append(call(1)))
    await first.close()
    await write(path, 1)
    assert stored_calls(path) == ["call-1", "call-0"]


async def test_a_full_line_holds_new_calls_back_until_it_is_written(path):
    journal = await opened(path)
    await journal.room()
    for number in range(LINE_LIMIT):
        journal.append(call(number))
    await journal.room()
    assert len(stored_calls(path)) == LINE_LIMIT
    await journal.close()


async def test_a_line_that_can_not_be_written_holds_nobody_back(path):
    journal = await opened(path, page_limit=30)
    for number in range(LINE_LIMIT):
        journal.append(call(number))
    await journal.room()
    with pytest.raises(JournalError, match="disk is full"):
        await journal.durable(journal.append(call(0)))
    await journal.close()
    await journal.room()


async def test_a_damaged_file_fails_with_what_to_do_and_nothing_is_acknowledged(path):
    await write(path, 2_000)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (size - 4096))
    with pytest.raises(JournalError, match=r"journal\.sqlite failed: .*; it is damaged; move it away, with its -wal"):
        await opened(path)


async def test_sessions_of_one_process_share_a_file(path):
    journals = await asyncio.gather(*(opened(path, SessionId(f"s{n}")) for n in range(5)))
    for number in range(20):
        await asyncio.gather(*(journal.durable(journal.append(call(number))) for journal in journals))
    await asyncio.gather(*(journal.close() for journal in journals))
    for n in range(5):
        assert len(stored_calls(path, f"s{n}")) == 20
        assert verify_chain(path, SessionId(f"s{n}")) == []


def child(path, session, calls, in_flight):
    command = [sys.executable, str(CHILD), str(path), session, str(calls), str(in_flight)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_that_start_at_once_share_a_file(path):
    children = [child(path, f"s{n}", 100, 5) for n in range(3)]
    for n, process in enumerate(children):
        acknowledged = [int(line) for line in process.communicate()[0].split()]
        assert process.returncode == 0
        assert sorted(acknowledged) == list(range(1, 101))
        assert verify_chain(path, SessionId(f"s{n}")) == []
    assert read(path, "SELECT count(*) FROM events") == [(300,)]


@pytest.mark.parametrize(("in_flight", "kill_after"), [(1, 1), (1, 25), (20, 1), (20, 50), (100, 333)])
async def test_a_killed_process_leaves_all_that_it_acknowledged(path, in_flight, kill_after):
    with child(path, SESSION, 1_000_000, in_flight) as process:
        acknowledged = [int(line) for line in islice(process.stdout, kill_after)]
        os.kill(process.pid, signal.SIGKILL)
        # What it had printed before it died counts too; its last line may be cut.
        acknowledged += [int(line) for line in process.stdout if line.endswith("\n")]
    stored = {row[0] for row in read(path, "SELECT sequence FROM events")}
    assert set(acknowledged) <= stored
    assert verify_chain(path, SESSION) == []
    await write(path, 1)
    assert verify_chain(path, SESSION) == []


async def test_a_full_disk_fails_everybody_who_waits_and_loses_nothing_acknowledged(path):
    journal = await opened(path, page_limit=30)
    acknowledged, told = 0, ""
    while not told:
        try:
            await journal.durable(journal.append(call(acknowledged)))
            acknowledged += 1
        except JournalError as error:
            told = str(error)
    assert "disk is full; free some space" in told
    later = [journal.durable(journal.append(call(number))) for number in range(3)]
    for outcome in await asyncio.gather(*later, return_exceptions=True):
        assert isinstance(outcome, JournalError)
    await journal.durable(acknowledged)
    await journal.close()
    assert acknowledged > 0
    assert len(stored_calls(path)) == acknowledged
    assert verify_chain(path, SESSION) == []


async def test_all_who_wait_for_one_failed_write_are_told(path):
    journal = await opened(path, page_limit=30)
    outcomes = await asyncio.gather(
        *(journal.durable(journal.append(call(number))) for number in range(1_000)), return_exceptions=True
    )
    await journal.close()
    assert isinstance(outcomes[-1], JournalError)
    assert {type(outcome) for outcome in outcomes} <= {JournalError, type(None)}
    assert len(stored_calls(path)) == outcomes.count(None)


async def test_a_failure_that_nobody_waited_for_is_told_on_closing(path):
    journal = await opened(path, page_limit=30)
    for number in range(1_000):
        journal.append(call(number))
    with pytest.raises(JournalError, match="disk is full"):
        await journal.close()
    await journal.close()


async def test_a_locked_file_fails_the_write_with_what_to_do(path):
    journal = await opened(path, busy_seconds=0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match=r"journal\.sqlite failed: database is locked; another process"):
            await journal.durable(journal.append(call(1)))
    await journal.close()
    assert stored_calls(path) == []


async def test_a_file_that_is_locked_for_a_while_is_waited_for(path):
    journal = await opened(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        waiting = asyncio.ensure_future(journal.durable(journal.append(call(1))))
        await asyncio.sleep(0)
        other.execute("ROLLBACK")
    await waiting
    await journal.close()


@contextmanager
def without_privileges():
    """Root may write in read-only folders; these tests are about those who may not."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


async def test_a_folder_that_is_read_only_is_named():
    with without_privileges(), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o500)
        with pytest.raises(JournalError, match=r"j\.sqlite can't be made: Permission denied; check the folder's"):
            await opened(folder / "j.sqlite")
        folder.chmod(0o700)


async def test_a_file_that_is_read_only_is_named():
    with without_privileges(), tempfile.TemporaryDirectory() as name:
        file = Path(name) / "j.sqlite"
        await write(file, 1)
        file.chmod(0o400)
        with pytest.raises(JournalError, match=r"j\.sqlite failed: .*readonly.*; it can't be written"):
            await opened(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is not a journal of Handrail"),
        (b"this is a text file, and a long one at that" * 100, "file is not a database; it is not a journal"),
    ],
    ids=["empty", "text"],
)
async def test_a_file_that_is_no_journal_is_left_alone(path, content, message):
    path.write_bytes(content)
    with pytest.raises(JournalError, match=message):
        await opened(path)
    assert path.read_bytes() == content


async def test_what_is_left_of_a_journal_that_is_gone_is_not_played_into_a_new_one(path):
    left_over = path.with_name("journal.sqlite-wal")
    left_over.write_bytes(b"frames")
    with pytest.raises(JournalError, match=r"journal\.sqlite-wal is left over from a journal that is gone; move it"):
        await opened(path)
    assert list(path.parent.iterdir()) == [left_over]


async def test_a_journal_of_a_newer_version_is_refused(path):
    await write(path, 1)
    change(path, "PRAGMA user_version = 9")
    with pytest.raises(JournalError, match=r"written by a newer Handrail \(version 9"):
        await opened(path)


async def test_a_journal_says_what_its_versions_are(path):
    await write(path, 0)
    versions = read(path, "SELECT version, changes FROM schema_versions")
    assert read(path, "PRAGMA user_version") == [(versions[-1][0],)]
    assert all(sentence.endswith(".") for _, sentence in versions)


async def test_only_the_owner_can_read_any_of_a_journals_files(path):
    journal = await opened(path)
    await journal.durable(journal.append(call(1)))
    files = sorted(file for file in path.parent.rglob("*") if file.is_file())
    names = [file.name for file in files if file.suffix != ".lock"]
    assert names == [f"journal.sqlite{end}" for end in ("", "-shm", "-wal")]
    assert len(files) == 4
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    await journal.close()


async def test_an_opening_that_is_cancelled_leaves_nothing_locked(path):
    opening = asyncio.ensure_future(opened(path))
    await asyncio.sleep(0)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    await write(path, 1)
    assert verify_chain(path, SESSION) == []
