"""Sessions as lines for people: how each stands, how old it is, what it did and cost, and what it was for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from handrail.contract.basics import JsonObject
from handrail.runtime.stored_sessions import StoredSession
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.endings import ENDINGS, in_dollars
from handrail.surfaces.cli.text import age, printable

_NARROWEST_TASK, _WIDEST_TASK = 20, 60
"""Characters: with fewer nobody knows which it was."""


def session_lines(found: Sequence[StoredSession], now: float, redactor: Redactor, columns: int = 0) -> Iterator[str]:
    """A line for each. Of its task as much stands there as fits into `columns`, 0 for as many as there are."""
    ids = max((len(session.id) for session in found), default=0)
    stands = [standing(session) for session in found]
    widest = max(map(len, stands), default=0)
    for session, stand in zip(found, stands, strict=True):
        work = session.work
        cost = in_dollars(work.money) if work is not None and work.money is not None else ""
        task = redactor.text(work.task) if work is not None else ""
        calls = "1 call " if session.calls == 1 else f"{session.calls:,} calls"
        line = f"{printable(session.id):<{ids}}  {age(now - session.last):>4}  {stand:<{widest}}  {calls:>9}  {cost:>8}"
        room = max(_NARROWEST_TASK, min(_WIDEST_TASK, columns - len(line) - 2)) if columns else _WIDEST_TASK
        shown = printable(task)
        yield f"{line}  {shown if len(shown) <= room else shown[: room - 1] + '…'}".rstrip()


def work_json(session: StoredSession, redactor: Redactor) -> JsonObject | None:
    """For programs, what an agent worked on; None where none did."""
    work = session.work
    return None if work is None else {**asdict(work), "task": redactor.text(work.task), "why": redactor.text(work.why)}


def standing(session: StoredSession) -> str:
    """Whether it is done, and what could still happen to it."""
    if session.holder is not None:
        return f"open in process {session.holder}"
    if session.waiting:
        return f"{session.waiting:,} waiting for approval"
    if session.unfinished:
        return f"{'' if session.work is None else 'interrupted, '}{session.unfinished:,} unfinished"
    if session.work is None:
        return "done"
    return ENDINGS.get(session.work.ended, "interrupted")
