"""Keeps the table of approvals in step with the events, in the same transaction. Used by the journal's writer.

    open ──► answered ──► settled     an answer came, here or from another process; the call went on
      ├────► expired                  nobody answered in time
      └────► withdrawn                the call went on without an answer: cancelled, or asked anew

A row holds no words of a call's arguments: what was shown stands in the event's payload, which may be deleted.
"""

from __future__ import annotations

import hashlib
import sqlite3
from typing import Any
from weakref import WeakKeyDictionary

from handrail.contract.basics import SessionId
from handrail.contract.calls import AwaitingApproval, CallState
from handrail.contract.tool import Tool
from handrail.runtime.answers import kind_of
from handrail.runtime.records import Record, canonical
from handrail.runtime.who import ProcessName

_ASKED = """
INSERT INTO approvals (id, session, call, sequence, kind, asked, expires, shown, body, state)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'open')
ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, shown = excluded.shown, body = excluded.body
"""
_WENT_ON = """
UPDATE approvals SET state = CASE state WHEN 'open' THEN 'withdrawn' ELSE 'settled' END
WHERE id = ? AND state IN ('open', 'answered')
"""
_UNSETTLED = """
SELECT call, id FROM approvals WHERE session = ?1 AND state = 'open'
UNION ALL SELECT call, id FROM approvals WHERE session = ?1 AND state = 'answered'
"""


class QuestionRows:
    """The questions of one session."""

    def __init__(self, connection: sqlite3.Connection, session: SessionId, asking: ProcessName) -> None:
        """`asking` is the process that holds the session: none of its children may answer."""
        self._connection = connection
        self._session = session
        self._asking = asking
        self._schemas: WeakKeyDictionary[Tool[Any], str] = WeakKeyDictionary()
        """The digests of schemas that stand in the file."""
        self._unsettled: dict[str, str] = dict(connection.execute(_UNSETTLED, (session,)))
        """Call → the question that is asked about it."""

    def keep(self, sequence: int, state: CallState, record: Record) -> None:
        """What an event means for the table."""
        if isinstance(state, AwaitingApproval):
            shown = record.payload.digest if record.payload else ""
            schema = self._kept_schema(state.invocation.tool)
            row = question_row(self._session, state, self._asking, record.call, sequence, shown, schema)
            self._connection.execute(_ASKED, row)
            self._unsettled[record.call] = state.approval
        elif record.call in self._unsettled:
            self._connection.execute(_WENT_ON, (self._unsettled.pop(record.call),))

    def _kept_schema(self, tool: Tool[Any]) -> str:
        """Of what the tool takes, kept once for all its questions: whoever edits a call may not have the tool."""
        digest = self._schemas.get(tool)
        if digest is None:
            digest = schema_digest(tool)
            content = canonical(tool.parameters.schema)
            self._connection.execute("INSERT OR IGNORE INTO schemas VALUES (?, ?)", (digest, content))
            self._schemas[tool] = digest
        return digest


def schema_digest(tool: Tool[Any]) -> str:
    """Names what the tool takes: SHA-256 of its schema, hexadecimal."""
    return hashlib.sha256(canonical(tool.parameters.schema).encode()).hexdigest()


def question_row(
    session: SessionId,
    call: AwaitingApproval,
    asking: ProcessName,
    id: str,
    sequence: int = 0,
    shown: str = "",
    schema: str = "",
) -> tuple[object, ...]:
    """The row's columns up to its body. `id` is the call's, as the events have it;
    `schema` the digest of its tool's schema."""
    body = {
        "name": call.request.name.encode("utf-8", "backslashreplace").decode(),
        "tool": call.invocation.tool.name,
        "source": str(call.decision.source),
        "needs_person": call.decision.needs_person,
        "process": {"pid": asking.pid, "started": asking.started},
        "schema": schema,
    }
    return (
        call.approval,
        session,
        id,
        sequence,
        kind_of(call),
        call.asked_at,
        call.expires_at,
        shown,
        canonical(body),
    )
