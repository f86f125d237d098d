from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from journal_states import call

from handrail.contract.basics import Instant, SessionId
from handrail.errors import JournalError
from handrail.runtime import journal_schema
from handrail.runtime.audit import verify
from handrail.runtime.chain import StoredEvent, first_link
from handrail.runtime.journal import SqliteJournal
from handrail.runtime.journal_file import connect, connect_for_reading
from handrail.runtime.journal_schema import VERSION, bring_up_to_date
from handrail.runtime.stored_sessions import stored_sessions

SESSION = SessionId("session-1")
WORKSPACE = "/home/ada/project"

VERSION_1 = """
CREATE TABLE schema_versions (version INTEGER PRIMARY KEY, changes TEXT NOT NULL);
CREATE TABLE sessions (id TEXT PRIMARY KEY, started REAL NOT NULL, workspace TEXT NOT NULL, epoch INTEGER NOT NULL);
CREATE TABLE events (
    session TEXT NOT NULL REFERENCES sessions (id), sequence INTEGER NOT NULL, epoch INTEGER NOT NULL,
    at REAL NOT NULL, call TEXT NOT NULL, parent TEXT, state TEXT NOT NULL, body TEXT NOT NULL,
    previous TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (session, sequence)
);
CREATE TABLE payloads (
    session TEXT NOT NULL, call TEXT NOT NULL, kind TEXT NOT NULL, sequence INTEGER NOT NULL,
    salt BLOB NOT NULL, content TEXT NOT NULL, PRIMARY KEY (session, call, kind, sequence)
);
INSERT INTO schema_versions VALUES (1, 'The first.');
PRAGMA user_version = 1;
"""


VERSION_2 = f"""{VERSION_1}
CREATE TABLE approvals (
    id TEXT PRIMARY KEY, session TEXT NOT NULL REFERENCES sessions (id), call TEXT NOT NULL,
    sequence INTEGER NOT NULL, kind TEXT NOT NULL, asked REAL NOT NULL, expires REAL, shown TEXT NOT NULL,
    body TEXT NOT NULL, state TEXT NOT NULL, answer TEXT, answered REAL, answerer TEXT
);
CREATE INDEX open_approvals ON approvals (session, asked) WHERE state = 'open';
CREATE INDEX answered_approvals ON approvals (session) WHERE state = 'answered';
CREATE TABLE grants (
    id TEXT PRIMARY KEY, created REAL NOT NULL, scope TEXT NOT NULL, session TEXT, body TEXT NOT NULL, revoked REAL
);
CREATE TABLE turns (
    session TEXT NOT NULL REFERENCES sessions (id), id TEXT NOT NULL, place INTEGER NOT NULL, body TEXT NOT NULL,
    salt BLOB, content TEXT, PRIMARY KEY (session, id)
);
INSERT INTO schema_versions VALUES (2, 'The second.');
PRAGMA user_version = 2;
"""


OPEN = """
import sys
from pathlib import Path
from handrail.runtime.journal_file import connect
connect(Path(sys.argv[1]))
"""


def old_journal(path: Path, tables: str) -> None:
    """A file as an older version left it, with one event."""
    event = StoredEvent(SESSION, 1, 1, Instant(2.0), "c", None, "Pending", '{"name":"t"}')
    previous = first_link(SESSION, Instant(1.0), WORKSPACE)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(tables)
        connection.execute("INSERT INTO sessions VALUES (?, 1.0, ?, 1)", (SESSION, WORKSPACE))
        row = (*event.columns, previous, event.hash(previous))
        connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


OLDER = {1: VERSION_1, 2: VERSION_2}


@pytest.fixture(params=sorted(OLDER))
def version(request):
    return request.param


@pytest.fixture
def path(version, tmp_path):
    file = tmp_path / "journal.sqlite"
    old_journal(file, OLDER[version])
    return file


def tables(path: Path) -> dict[str, str]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        return {name: " ".join(line.split("--")[0] for line in sql.splitlines()) for name, sql in rows}


def words(definition: str) -> list[str]:
    return definition.replace("(", " ( ").replace(")", " ) ").replace(",", " , ").split()


def test_every_older_version_is_tested():
    assert sorted(OLDER) == list(range(1, VERSION))


def test_an_old_journal_becomes_what_a_new_one_is(path, tmp_path):
    connect(path).close()
    connect(tmp_path / "new.sqlite").close()
    old, new = tables(path), tables(tmp_path / "new.sqlite")
    assert {name: words(sql) for name, sql in old.items()} == {name: words(sql) for name, sql in new.items()}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        versions = [row[0] for row in connection.execute("SELECT version FROM schema_versions ORDER BY version")]
    assert versions == list(range(1, VERSION + 1))


async def test_a_session_of_an_old_journal_goes_on(path):
    journal = await SqliteJournal.open(path, SESSION, workspace=Path(WORKSPACE), started=Instant(9.0))
    assert journal.append(call(1)) == 2
    await journal.close()
    (finding,) = verify(path)
    assert (finding.events, finding.flaws) == (2, ())


def test_an_old_journal_can_be_read_without_being_changed(path, version):
    (finding,) = verify(path)
    assert finding.flaws == ()
    (session,) = stored_sessions(path)
    assert session.calls == 1
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (version,)


def test_what_an_old_journal_does_not_have_is_said(path, version):
    with pytest.raises(JournalError, match=rf"older Handrail \(version {version} of its tables\), which kept no such"):
        connect_for_reading(path)


def test_a_change_of_version_that_fails_changes_nothing(path, version, monkeypatch):
    before = tables(path)
    broken = journal_schema._Version("Breaks.", ("CREATE TABLE half (a)", "CREATE TABLE half (a)"))
    monkeypatch.setattr(journal_schema, "_VERSIONS", (*journal_schema._VERSIONS[:version], broken))
    with pytest.raises(JournalError, match="table half already exists"):
        connect(path)
    assert tables(path) == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (version,)


def test_a_full_disk_leaves_an_old_journal_as_it_was(path):
    before = tables(path)
    with pytest.raises(JournalError, match="disk is full"):
        connect(path, page_limit=1)
    assert tables(path) == before


def test_processes_that_open_an_old_journal_at_once_change_it_once(path):
    children = [subprocess.Popen([sys.executable, "-c", OPEN, os.fspath(path)]) for _ in range(4)]
    assert [child.wait() for child in children] == [0, 0, 0, 0]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM schema_versions").fetchone() == (VERSION,)


def test_bringing_up_to_date_again_changes_nothing(path):
    with closing(connect(path)) as connection:
        before = tables(path)
        bring_up_to_date(connection)
    assert tables(path) == before
