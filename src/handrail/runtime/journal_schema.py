"""The journal's tables, version by version, and how a file of an older version becomes one of this version.

A released version never changes: what is to be different is a new entry at the end of `_VERSIONS`.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import NamedTuple

from handrail.errors import JournalError


class _Version(NamedTuple):
    changes: str
    """One sentence, kept in the file for whoever opens it with other tools."""
    statements: tuple[str, ...]


_SESSIONS_AND_EVENTS = _Version(
    "Sessions, their chained events, and the payloads of events, which may be deleted.",
    (
        """
        CREATE TABLE schema_versions (
            version  INTEGER PRIMARY KEY,
            changes  TEXT NOT NULL
        )""",
        """
        CREATE TABLE sessions (
            id        TEXT PRIMARY KEY,
            started   REAL NOT NULL,       -- seconds since the Unix epoch
            workspace TEXT NOT NULL,
            epoch     INTEGER NOT NULL     -- goes up by one each time a process takes the session over
        )""",
        """
        CREATE TABLE events (
            session  TEXT NOT NULL REFERENCES sessions (id),
            sequence INTEGER NOT NULL,     -- from 1, without gaps
            epoch    INTEGER NOT NULL,     -- of the writer
            at       REAL NOT NULL,        -- when the state was entered
            call     TEXT NOT NULL,
            parent   TEXT,
            state    TEXT NOT NULL,
            body     TEXT NOT NULL,        -- JSON
            previous TEXT NOT NULL,        -- the hash of the event before, or of the session's row
            hash     TEXT NOT NULL,
            PRIMARY KEY (session, sequence)
        )""",
        """
        CREATE TABLE payloads (
            session  TEXT NOT NULL,
            call     TEXT NOT NULL,
            kind     TEXT NOT NULL,        -- arguments, confirmation, result
            sequence INTEGER NOT NULL,     -- the event whose body holds the hash of salt and content
            salt     BLOB NOT NULL,
            content  TEXT NOT NULL,        -- JSON
            PRIMARY KEY (session, call, kind, sequence)
        )""",
    ),
)

_APPROVALS_GRANTS_AND_TURNS = _Version(
    "Approvals that wait for an answer, grants that remember one, and turns, so that a conversation can go on.",
    (
        """
        CREATE TABLE approvals (
            id       TEXT PRIMARY KEY,
            session  TEXT NOT NULL REFERENCES sessions (id),
            call     TEXT NOT NULL,
            sequence INTEGER NOT NULL,     -- the AwaitingApproval event
            kind     TEXT NOT NULL,        -- tool, question, plan, elicitation
            asked    REAL NOT NULL,        -- seconds since the Unix epoch, as are the times below
            expires  REAL,                 -- null: never
            shown    TEXT NOT NULL,        -- SHA-256 of what a person was shown
            body     TEXT NOT NULL,        -- JSON: names, the rule that asked, the grants offered; redacted
            state    TEXT NOT NULL,        -- open, answered, settled, withdrawn, expired
            answer   TEXT,                 -- JSON
            answered REAL,
            answerer TEXT                  -- JSON: surface, user, terminal, ancestry
        )""",
        "CREATE INDEX open_approvals ON approvals (session, asked) WHERE state = 'open'",
        "CREATE INDEX answered_approvals ON approvals (session) WHERE state = 'answered'",
        """
        CREATE TABLE grants (
            id      TEXT PRIMARY KEY,
            created REAL NOT NULL,
            scope   TEXT NOT NULL,         -- session, project, user
            session TEXT,                  -- of a grant for one session
            body    TEXT NOT NULL,         -- JSON
            revoked REAL
        )""",
        """
        CREATE TABLE turns (
            session TEXT NOT NULL REFERENCES sessions (id),
            id      TEXT NOT NULL,
            place   INTEGER NOT NULL,      -- among the session's turns, from 1
            body    TEXT NOT NULL,         -- JSON: the wire, the calls' ids in order, the hash of salt and content
            salt    BLOB,                  -- null, as the content, when it was deleted
            content TEXT,                  -- JSON: the response as received
            PRIMARY KEY (session, id)
        )""",
    ),
)

_SCHEMAS_OPENINGS_AND_VALUES = _Version(
    "What tools that were asked about take, so that an edit can be checked; how sessions were opened; and what tools "
    "keep for a session: todos, tasks, the mode it plans in.",
    (
        """
        CREATE TABLE schemas (
            digest  TEXT PRIMARY KEY,      -- SHA-256 of the content; an approval's body names it
            content TEXT NOT NULL          -- JSON Schema
        )""",
        """
        CREATE TABLE openings (
            session TEXT PRIMARY KEY REFERENCES sessions (id),
            said    TEXT NOT NULL          -- JSON: settings that the command line, variables or code gave
        )""",
        """
        CREATE TABLE session_values (
            session TEXT NOT NULL REFERENCES sessions (id),
            name    TEXT NOT NULL,
            content TEXT NOT NULL,         -- JSON
            PRIMARY KEY (session, name)
        )""",
    ),
)

_VERSIONS = (_SESSIONS_AND_EVENTS, _APPROVALS_GRANTS_AND_TURNS, _SCHEMAS_OPENINGS_AND_VALUES)

VERSION = len(_VERSIONS)
"""Of the tables; kept in the file as `user_version`."""


def bring_up_to_date(connection: sqlite3.Connection) -> None:
    """Makes the tables of this version, from none or from an older version's: all of it, or nothing.

    Several processes may try at once: the first one does it. Raises sqlite3.Error.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        for number in range(version_of(connection) + 1, VERSION + 1):
            version = _VERSIONS[number - 1]
            for statement in version.statements:
                connection.execute(statement)
            connection.execute("INSERT INTO schema_versions VALUES (?, ?)", (number, version.changes))
        connection.execute(f"PRAGMA user_version = {VERSION:d}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def version_of(connection: sqlite3.Connection) -> int:
    """0 for a file that holds no journal."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of a journal that this Handrail knows. Raises JournalError for any other file."""
    version = version_of(connection)
    if version > VERSION:
        raise JournalError(
            f"the journal {path} was written by a newer Handrail (version {version} of its tables; this one knows "
            f"{VERSION}); use that one, or set HANDRAIL_STATE to another folder"
        )
    if version < 1:
        raise JournalError(f"{path} is not a journal of Handrail; move it away and start again")
    return version
