"""How a session was opened, kept in the journal's file: so that whoever takes it up goes on under the same settings."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from handrail.contract.basics import SessionId
from handrail.contract.values import value
from handrail.errors import JournalError
from handrail.runtime.journal_file import reading
from handrail.runtime.journal_schema import version_of
from handrail.runtime.recalled import check_session
from handrail.runtime.stored import decoded, encoded

_FIRST_VERSION = 3


@value
class HowOpened:
    """What the last process that opened the session was told, beside files of settings, which are read anew."""

    settings: Mapping[str, Any]
    """By name, as JSON: from the command line, variables or code; paths are absolute."""
    rules: int
    """How many rules code gave: they are not kept."""


NOTHING_SAID = HowOpened({}, 0)


def write_opening(connection: sqlite3.Connection, session: SessionId, opened: HowOpened) -> None:
    """Within the journal's transaction."""
    connection.execute("INSERT OR REPLACE INTO openings VALUES (?, ?)", (session, encoded(opened)))


def how_opened(path: Path, session: SessionId) -> HowOpened:
    """Nothing where an older version kept none. Raises JournalError, UnknownSession among them."""
    check_session(path, session)
    with reading(path, oldest=1) as connection:
        if version_of(connection) < _FIRST_VERSION:
            return NOTHING_SAID
        row = connection.execute("SELECT said FROM openings WHERE session = ?", (session,)).fetchone()
    try:
        return NOTHING_SAID if row is None else decoded(HowOpened, row[0])
    except ValueError as error:  # it may have been stricter than what holds without it
        raise JournalError(f"how session {session} was opened can't be read in the journal {path}: {error}") from error
