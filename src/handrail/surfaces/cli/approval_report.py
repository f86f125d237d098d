"""A question that some process asks, as lines for people and as JSON for programs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import cast

from handrail.contract.basics import Json, JsonObject
from handrail.runtime.answers import in_words
from handrail.runtime.approval_store import ApprovalRecord
from handrail.runtime.event_json import confirmation_json
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.confirming import shown_lines, titled
from handrail.surfaces.cli.text import age, beside, printable

GONE = "(what it shows is no longer kept)"


def table_lines(records: Sequence[ApprovalRecord], now: float, redactor: Redactor) -> Iterator[str]:
    """A line for each question."""
    if not records:
        yield "No questions are open."
    for record in records:
        title = beside(record.tool, record.shown.confirmation.title) if record.shown else GONE
        line = f"{record.id}  {age(now - record.asked_at):>4}  {record.tool:<14}  {printable(redactor.text(title))}"
        yield line.rstrip()


def approval_lines(record: ApprovalRecord, root: Path, redactor: Redactor, *, colour: bool) -> Iterator[str]:
    """All of one question, secrets aside."""
    state = record.standing(time.time())
    yield f"{record.id}  {state}  {record.kind}  session {record.session}"
    shown = record.shown
    if shown is None:
        yield f"{record.tool}: {GONE}"
    else:
        reason = replace(shown.decision, reason=redactor.text(shown.decision.reason))
        lines = shown_lines(
            titled(record.tool, shown.confirmation.title), shown.confirmation, reason, shown.offers, root, colour=colour
        )
        yield from map(redactor.text, lines)
    yield f"May answer: {record.who_may_answer}."
    if record.expires_at is not None:
        word = "Expired" if state == "expired" else "Expires"
        yield f"{word} {time.strftime('%Y-%m-%d %H:%M:%S', time.localtime(record.expires_at))}."
    if record.given is not None:
        yield f"Answered by {printable(str(record.given.by))}: {printable(in_words(record.given.answer))}"


def approval_json(record: ApprovalRecord) -> JsonObject:
    """Exact, for programs that show it to a person: what they print may hold secrets."""
    shown, given = record.shown, record.given
    return {
        "approval": record.id,
        "shown": record.fingerprint,
        "session": record.session,
        "call": record.call,
        "kind": record.kind,
        "state": record.standing(time.time()),
        "tool": record.tool,
        "name": record.name,
        "arguments": shown.arguments if shown else None,
        "confirmation": confirmation_json(shown.confirmation) if shown else None,
        "reason": shown.decision.reason if shown else None,
        "source": record.source,
        "offers": [cast(Json, asdict(offer)) for offer in shown.offers] if shown else [],
        "who_may_answer": record.who_may_answer,
        "asked_at": record.asked_at,
        "expires_at": record.expires_at,
        "answer": in_words(given.answer) if given else None,
        "answered_at": given.at if given else None,
        "answered_by": cast(Json, asdict(given.by)) if given else None,
    }
