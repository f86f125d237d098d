"""Sessions with a real journal that are left, as by a crash, and taken up again by another."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from handrail.contract.basics import Instant
from handrail.contract.confirmation import Answer
from handrail.contract.tool import Tool
from handrail.runtime.approval_store import ApprovalRecord, ApprovalStore
from handrail.runtime.parts import Parts
from handrail.runtime.who import Answerer
from handrail.session import Session
from handrail.settings.places import journal_file, state_folder

ADA = Answerer("cli", "ada")
BEN = Answerer("web", "ben")

_REWOUND = (
    "DELETE FROM events WHERE session = ?1 AND sequence > ?2",
    "DELETE FROM payloads WHERE session = ?1 AND sequence > ?2",
    "DELETE FROM approvals WHERE session = ?1 AND sequence > ?2",
    "UPDATE approvals SET state = 'open', answer = NULL, answered = NULL, answerer = NULL "
    "WHERE session = ?1 AND sequence = ?2",
)


@dataclass
class Place:
    """One workspace, its journal, and the sessions in it."""

    folder: Path
    tools: Sequence[Tool[Any]] = ()
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def journal(self) -> Path:
        return journal_file(state_folder(), self.folder)

    @asynccontextmanager
    async def session(self, session: str = "", **parts: Any) -> AsyncIterator[Session]:
        made = Parts(tools=self.tools or None, **parts)
        async with Session.open(self.folder, session=session, parts=made, **self.options) as opened:
            yield opened

    def store(self) -> closing[ApprovalStore]:
        """As another process opens it."""
        return closing(ApprovalStore(self.journal))

    def answer(self, approval: str, answer: Answer, by: Answerer = ADA, fingerprint: str = "") -> ApprovalRecord:
        with self.store() as store:
            return store.answer(approval, answer, by, Instant(1.0), fingerprint)

    def open_questions(self) -> list[ApprovalRecord]:
        with self.store() as store:
            return store.open_questions()

    def find(self, approval: str) -> ApprovalRecord:
        with self.store() as store:
            return store.find(approval)

    def states(self, session: str) -> list[tuple[int, str, str]]:
        """Every event's number, call and state."""
        with closing(sqlite3.connect(self.journal)) as connection:
            query = "SELECT sequence, call, state FROM events WHERE session = ? ORDER BY sequence"
            return connection.execute(query, (session,)).fetchall()

    def rewind(self, session: str, call: str, state: str) -> None:
        """The journal as if the process had died right after a call's last event of that state was written."""
        last = max(number for number, *event in self.states(session) if event == [call, state])
        with closing(sqlite3.connect(self.journal)) as connection, connection:
            for statement in _REWOUND:
                connection.execute(statement, (session, last))

    def break_off(self, session: str) -> None:
        """As if the process had died while its responses were still streams: what they came to is not kept."""
        with closing(sqlite3.connect(self.journal)) as connection, connection:
            connection.execute("DELETE FROM turns WHERE session = ?", (session,))

    def forget(self, session: str, kind: str = "%") -> None:
        """Deletes payloads, as pruning does."""
        with closing(sqlite3.connect(self.journal)) as connection, connection:
            connection.execute("DELETE FROM payloads WHERE session = ? AND kind LIKE ?", (session, kind))
