"""The table of approvals, read and answered: by the session that asks, and by any other process.

The table is the judge of who was first: an answer counts when its transaction finds the question open.
Synchronous, and used by one thread at a time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from handrail.contract.basics import ApprovalId, CallId, Instant, JsonObject, SessionId
from handrail.contract.calls import AwaitingApproval
from handrail.contract.confirmation import Always, Answer, Confirmation, EditArguments, GrantOption
from handrail.contract.decision import Decision
from handrail.contract.values import value
from handrail.errors import JournalError, ToolDefinitionError, UsageError
from handrail.policy.grants import Grant
from handrail.runtime.answers import Given, check_fits, in_words
from handrail.runtime.approval_rows import question_row
from handrail.runtime.edits import check_edit
from handrail.runtime.grant_store import KEEP_GRANT, GrantStore, grant_id, grant_row
from handrail.runtime.journal_file import connect, errors_in_words, writing
from handrail.runtime.stored import decoded, encoded, revived
from handrail.runtime.who import Answerer, ProcessName


@value
class Shown:
    """What a person is shown: gone when the payload was deleted."""

    arguments: JsonObject
    confirmation: Confirmation
    decision: Decision
    """The ask, with its reason."""
    offers: tuple[GrantOption, ...]
    expires_at: Instant | None = None


@value
class ApprovalRecord:
    """One question, open or not."""

    id: ApprovalId
    session: SessionId
    call: CallId
    kind: str
    """`tool`, `question`, `plan` or `elicitation`."""
    asked_at: Instant
    expires_at: Instant | None
    fingerprint: str
    """Of all that is shown: an answer may name it, and is refused when it is another by then."""
    state: str
    """`open`, `answered`, `settled`, `withdrawn` or `expired`."""
    tool: str
    name: str
    """What the model called it."""
    source: str
    """What asked: `rule:FILE:LINE`, `mode:NAME`, `tool`, `check:NAME`, …"""
    needs_person: bool
    asking: ProcessName
    schema: str
    """The digest of what the tool takes: see `ApprovalStore.schema_of`; empty where that is not kept."""
    shown: Shown | None
    given: Given | None

    def standing(self, now: float) -> str:
        """The state as it is for whoever would answer: an open question's time may be over, and nobody has it yet."""
        over = self.state == "open" and self.expires_at is not None and self.expires_at <= now
        return "expired" if over else self.state

    @property
    def who_may_answer(self) -> str:
        return "a person who has seen it" if self.needs_person else "anyone but a governed call"


_SELECT = """
SELECT a.id, a.session, a.call, a.kind, a.asked, a.expires, a.shown, a.body, a.state, a.answer, a.answered, a.answerer,
       p.content
FROM approvals a LEFT JOIN payloads p
  ON p.session = a.session AND p.call = a.call AND p.kind = 'confirmation' AND p.sequence = a.sequence
"""
_OPEN = f"{_SELECT} WHERE a.state = 'open' ORDER BY a.asked, a.rowid"
_OPEN_OF_ONE = f"{_SELECT} WHERE a.session = ? AND a.state = 'open' ORDER BY a.asked, a.rowid"
_BY_ID = f"{_SELECT} WHERE a.id = ?"

_PARENT = "SELECT parent FROM events WHERE session = ? AND call = ? ORDER BY sequence LIMIT 1"

_CLAIMED = """
INSERT INTO approvals
  (id, session, call, sequence, kind, asked, expires, shown, body, state, answer, answered, answerer)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE
SET state = excluded.state, answer = excluded.answer, answered = excluded.answered, answerer = excluded.answerer
WHERE state = 'open'
"""


class ApprovalStore:
    """The questions in one journal file."""

    def __init__(self, path: Path, *, acknowledged: bool = True) -> None:
        """`acknowledged`: an answer is on the disk before `answer` returns. Without it, it is on the disk with the
        next event: for the session, which starts nothing before that. Raises JournalError where there is no journal.
        """
        self._path = path
        self._connection = connect(path, make=False)
        if not acknowledged:
            self._connection.execute("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        self._connection.close()

    def open_questions(self, session: SessionId | None = None) -> list[ApprovalRecord]:
        """The oldest first, of all sessions or of one."""
        return self._records(_OPEN_OF_ONE, (session,)) if session else self._records(_OPEN)

    def find(self, approval: str) -> ApprovalRecord:
        """Raises UsageError when there is no such question."""
        found = self._records(_BY_ID, (approval,))
        if not found:
            raise UsageError(f"there is no question {approval!r} here; see 'handrail approvals list'")
        return found[0]

    def schema_of(self, record: ApprovalRecord) -> JsonObject | None:
        """What the tool takes, as JSON Schema; None where that is not kept."""
        with errors_in_words(self._path):
            row = self._connection.execute("SELECT content FROM schemas WHERE digest = ?", (record.schema,)).fetchone()
        schema: JsonObject | None = None if row is None else json.loads(row[0])
        return schema

    def answered(self, session: SessionId) -> list[tuple[ApprovalId, Given]]:
        """Answers that the session has not taken up yet."""
        with errors_in_words(self._path):
            rows = self._connection.execute(
                "SELECT id, answer, answered, answerer FROM approvals "
                "WHERE session = ? AND state = 'answered' AND answer IS NOT NULL",
                (session,),
            ).fetchall()
        return [(ApprovalId(id), _given(answer, at, by)) for id, answer, at, by in rows]

    def ends_with_its_process(self, record: ApprovalRecord) -> bool:
        """It is about a call that another call made, a subagent's say: that one is not run again after its process has
        ended, and no answer reaches it. What a tool asks a person itself is asked again."""
        with errors_in_words(self._path):
            row = self._connection.execute(_PARENT, (record.session, record.call)).fetchone()
        return record.kind == "tool" and row is not None and row[0] is not None

    def version(self) -> int:
        """Another number whenever another connection has changed the file."""
        with errors_in_words(self._path):
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def answer(self, approval: str, answer: Answer, by: Answerer, at: Instant, fingerprint: str = "") -> ApprovalRecord:
        """Records the first answer, and the grant that it gives: that holds from now on.

        `fingerprint` is that of what the answering person saw, where they say so.

        Raises UsageError when the question is unknown, answered, expired, another by now, of another kind than
        the answer, or about a tool that doesn't take the edited arguments; JournalError when it can't be kept.
        """
        with writing(self._connection, self._path):
            record = self.find(approval)
            check_open(record, at)
            if fingerprint and fingerprint != record.fingerprint:
                raise UsageError(
                    f"what {approval} asks has changed since you saw it; look again with "
                    f"'handrail approvals show {approval}'"
                )
            check_fits(record.kind, record.shown.offers if record.shown else (), answer)
            if isinstance(answer, EditArguments):
                self._check_edit(record, answer.arguments)
            self._connection.execute(
                "UPDATE approvals SET state = 'answered', answer = ?, answered = ?, answerer = ? WHERE id = ?",
                (encoded(answer), at, encoded(by), approval),
            )
            granted = Grant(grant_id(record.id), answer.grant) if isinstance(answer, Always) else None
            if granted is not None and granted.option.scope != "user":
                self._connection.execute(KEEP_GRANT, grant_row(granted, record.session, at))
        if granted is not None and granted.option.scope == "user":
            self._keep_for_user(granted, record, at)
        return record

    def _keep_for_user(self, grant: Grant, record: ApprovalRecord, at: Instant) -> None:
        """In another file, so after the answer; where it fails, the session that takes the answer up does it."""
        try:
            with closing(GrantStore(self._path, self._path.parent)) as store:
                store.add(grant, record.session, at)
        except JournalError as error:
            raise JournalError(
                f"{record.id} is answered, but its grant is kept only when its session goes on: {error}"
            ) from error

    def _check_edit(self, record: ApprovalRecord, arguments: JsonObject) -> None:
        from handrail.authoring.json_schema import schema_parameters  # defines tools: few answers need it, no start

        schema = self.schema_of(record)
        try:
            parameters = None if schema is None else schema_parameters(schema)
        except ToolDefinitionError:  # what it takes can't be said in a schema alone: the call is checked as it goes on
            return
        if parameters is not None:
            check_edit(record.tool, parameters, arguments)

    def claim(self, session: SessionId, call: AwaitingApproval, asking: ProcessName, given: Given) -> Given:
        """The session's own answer, and which one counts: an earlier one of another process goes before it.

        The question's row may not be written yet; then it is written here, answered.
        """
        id = call.request.id.encode("utf-8", "backslashreplace").decode()
        row = question_row(session, call, asking, id)
        state = "expired" if given.answer is None else "answered"
        with writing(self._connection, self._path):
            self._connection.execute(_CLAIMED, (*row, state, encoded(given.answer), given.at, encoded(given.by)))
            first = self._connection.execute(
                "SELECT answer, answered, answerer FROM approvals WHERE id = ?", (call.approval,)
            ).fetchone()
        return _given(*first) if first[0] is not None else given

    def _records(self, query: str, values: Sequence[object] = ()) -> list[ApprovalRecord]:
        with errors_in_words(self._path):
            return [_record(row) for row in self._connection.execute(query, values)]


def check_open(record: ApprovalRecord, now: float) -> None:
    """Raises UsageError with what has become of a question that takes no answer any more."""
    if record.given is not None and record.state in ("answered", "settled"):
        raise UsageError(f"{record.id} was answered before, by {record.given.by}: {in_words(record.given.answer)}")
    if record.standing(now) == "expired":
        raise UsageError(f"{record.id} has expired: the call counts as rejected")
    if record.state != "open":
        raise UsageError(f"{record.id} is no longer asked: its call was cancelled, or is asked about anew")


def _record(row: tuple[Any, ...]) -> ApprovalRecord:
    id, session, call, kind, asked, expires, shown, body, state, answer, answered, answerer, content = row
    about = json.loads(body)
    process = about["process"]
    return ApprovalRecord(
        id=ApprovalId(id),
        session=SessionId(session),
        call=CallId(call),
        kind=kind,
        asked_at=Instant(asked),
        expires_at=None if expires is None else Instant(expires),
        fingerprint=shown,
        state=state,
        tool=about["tool"],
        name=about["name"],
        source=about["source"],
        needs_person=about["needs_person"],
        asking=ProcessName(process["pid"], process["started"]),
        schema=about.get("schema", ""),
        shown=shown_in(content),
        given=None if answer is None else _given(answer, answered, answerer),
    )


def shown_in(content: str | None) -> Shown | None:
    """What the payload of an AwaitingApproval event holds; None where it is gone or can't be read."""
    try:
        plain = json.loads(content or "{}")
        return Shown(
            arguments=plain["arguments"],
            confirmation=revived(Confirmation, plain["confirmation"]),
            decision=revived(Decision, plain["decision"]),
            offers=tuple(revived(tuple[GrantOption, ...], plain["offers"])),
            expires_at=plain.get("expires_at"),
        )
    except (ValueError, KeyError, TypeError):
        return None


def _given(answer: str, at: float, by: str) -> Given:
    return Given(decoded(Answer | None, answer), decoded(Answerer, by), Instant(at))
