"""Reads a journal and says whether it is what was written. Changes nothing."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from handrail.contract.basics import SessionId
from handrail.errors import JournalError
from handrail.runtime.chain import Flaw, Link, StoredEvent, first_link, flaws
from handrail.runtime.journal_schema import connect_for_reading, in_words
from handrail.runtime.records import payload_digest

_EVENTS = """
SELECT session, sequence, epoch, at, call, parent, state, body, previous, hash
FROM events WHERE session = ? ORDER BY sequence
"""
_PAYLOADS = """
SELECT sequence, body, salt, content
FROM events JOIN payloads USING (session, call, sequence) WHERE session = ? ORDER BY sequence
"""


def verify_chain(path: Path, session: SessionId) -> list[Flaw]:
    """What is wrong with a session's events and payloads, by place; empty when nothing is.

    A payload that is gone is no flaw: payloads may be deleted. That the last events were cut off, or
    that all were written anew, doesn't show. Raises JournalError when there is no such session.
    """
    try:
        with closing(connect_for_reading(path)) as connection:
            begun = connection.execute("SELECT started, workspace FROM sessions WHERE id = ?", (session,)).fetchone()
            if begun is None:
                raise JournalError(f"the journal {path} holds no session {session}")
            links = [_link(row) for row in connection.execute(_EVENTS, (session,))]
            found = [*flaws(links, first_link(session, *begun)), *_changed_payloads(connection, session)]
    except sqlite3.Error as error:
        raise in_words(path, error) from error
    # One change can show in several ways: its own hash, the next event's, its payload's. One is enough.
    once = {(flaw.sequence, flaw.kind): flaw for flaw in reversed(found)}
    return sorted(once.values(), key=lambda flaw: flaw.sequence)


def _link(row: tuple[Any, ...]) -> Link:
    *columns, previous, stored = row
    event = StoredEvent(*columns)
    return Link(event.sequence, previous, stored, intact=event.hash(previous) == stored)


def _changed_payloads(connection: sqlite3.Connection, session: SessionId) -> Iterator[Flaw]:
    for sequence, body, salt, content in connection.execute(_PAYLOADS, (session,)):
        if _digest_in(body) != payload_digest(salt, content):
            yield Flaw(sequence, "changed", f"the payload of event {sequence} was changed: it does not give its hash")


def _digest_in(body: str) -> str | None:
    try:
        return str(json.loads(body)["payload"]["sha256"])
    except (ValueError, KeyError, TypeError):
        return None
