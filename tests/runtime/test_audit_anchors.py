from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from journal_states import EVERY_STATE, call

from handrail.contract.basics import Instant, SessionId
from handrail.errors import UsageError
from handrail.runtime.audit import heads, verify
from handrail.runtime.chain import Anchor, StoredEvent, first_link
from handrail.runtime.journal import SqliteJournal

ONE, OTHER, EMPTY = SessionId("session-1"), SessionId("of: two"), SessionId("session-3")


@pytest.fixture
async def path(tmp_path):
    file = tmp_path / "journal.sqlite"
    for session, states in ((ONE, EVERY_STATE.values()), (OTHER, [call(1), call(2)]), (EMPTY, [])):
        journal = await SqliteJournal.open(file, session, workspace=Path("/home/ada"), started=Instant(1.0))
        for state in states:
            journal.append(state)
        await journal.close()
    return file


def change(path, script):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)


def flaws_by_session(path, anchors):
    return {
        finding.session: [(flaw.sequence, flaw.kind) for flaw in finding.flaws]
        for finding in verify(path, None, anchors)
    }


def written_anew(path, session):
    """The whole chain of a session again, with other content and right hashes."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        started, workspace = connection.execute(
            "SELECT started, workspace FROM sessions WHERE id = ?", (session,)
        ).fetchone()
        previous = first_link(session, started, workspace)
        columns = "session, sequence, epoch, at, call, parent, state, body"
        query = f"SELECT {columns} FROM events WHERE session = ? ORDER BY sequence"
        for row in connection.execute(query, (session,)).fetchall():
            event = StoredEvent(*row[:3], Instant(row[3] + 1), *row[4:])
            connection.execute(
                "UPDATE events SET at = ?, previous = ?, hash = ? WHERE session = ? AND sequence = ?",
                (event.at, previous, event.hash(previous), session, event.sequence),
            )
            previous = event.hash(previous)


def test_a_head_names_each_session_and_its_last_event(path):
    assert [(anchor.session, anchor.sequence) for anchor in heads(path)] == [(OTHER, 2), (ONE, 9), (EMPTY, 0)]
    assert heads(path, ONE) == [anchor for anchor in heads(path) if anchor.session == ONE]


def test_an_anchor_is_read_as_it_is_written(path):
    assert [Anchor.parse(str(anchor)) for anchor in heads(path)] == heads(path)


@pytest.mark.parametrize("text", ["", "session-1", "a:b:c", ":1:f", "s:1:", "s:-1:f"])
def test_what_is_no_anchor_is_refused(text):
    with pytest.raises(UsageError, match="is no anchor; give a line as 'handrail audit head' prints it"):
        Anchor.parse(text)


def test_an_untouched_journal_agrees_with_its_anchors(path):
    findings = verify(path, None, heads(path))
    assert [finding.flaws for finding in findings] == [(), (), ()]
    assert all(finding.anchored for finding in findings)


async def test_what_was_written_after_an_anchor_is_no_flaw(path):
    anchors = heads(path)
    journal = await SqliteJournal.open(path, ONE, workspace=Path("/home/ada"), started=Instant(1.0))
    journal.append(call(9))
    await journal.close()
    assert flaws_by_session(path, anchors)[ONE] == []


CUT = {
    "the last one": ("DELETE FROM events WHERE sequence = 9", [(9, "truncated")]),
    "the last three": ("DELETE FROM events WHERE sequence > 6", [(7, "truncated")]),
    "all events": ("DELETE FROM events WHERE session = 'session-1'", [(1, "truncated")]),
    "the session": (
        "DELETE FROM events WHERE session = 'session-1'; DELETE FROM sessions WHERE id = 'session-1'",
        [(0, "missing")],
    ),
}


@pytest.mark.parametrize(("script", "found"), CUT.values(), ids=CUT)
def test_what_was_cut_off_shows_with_an_anchor_alone(path, script, found):
    anchors = heads(path)
    change(path, script)
    assert flaws_by_session(path, []).get(ONE, []) == []
    assert flaws_by_session(path, anchors)[ONE] == found


def test_a_chain_that_was_written_anew_shows_with_an_anchor_alone(path):
    anchors = heads(path)
    written_anew(path, ONE)
    assert flaws_by_session(path, []) == {ONE: [], OTHER: [], EMPTY: []}
    assert flaws_by_session(path, anchors) == {ONE: [(9, "changed")], OTHER: [], EMPTY: []}


def test_a_session_row_that_is_gone_shows_without_an_anchor(path):
    change(path, "DELETE FROM sessions WHERE id = 'session-1'")
    assert flaws_by_session(path, [])[ONE] == [(0, "missing")]


def test_deleted_payloads_are_counted_and_are_no_flaw(path):
    change(path, "DELETE FROM payloads WHERE sequence IN (1, 5)")
    assert {finding.session: finding.payloads_gone for finding in verify(path)} == {ONE: 2, OTHER: 1, EMPTY: 0}
    assert flaws_by_session(path, heads(path)) == {ONE: [], OTHER: [], EMPTY: []}
