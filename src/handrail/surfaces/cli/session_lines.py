"""Sessions as lines for people: how each stands, how old it is, what it did and cost, and what it was for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict

from handrail.contract.basics import JsonObject
from handrail.runtime.stored_sessions import StoredSession
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.endings import ENDINGS, in_dollars
from handrail.surfaces.cli.text import age, printable

_WIDEST_TASK = 60
"""Characters."""


def session_lines(found: Sequence[StoredSession], now: float, redactor: Redactor) -> Iterator[str]:
    """A line for each."""
    ids = max((len(session.id) for session in found), default=0)
    stands = [standing(session) for session in found]
    widest = max(map(len, stands), default=0)
    for session, stand in zip(found, stands, strict=True):
        work = session.work
        cost = in_dollars(work.money) if work is not None and work.money is not None else ""
        task = redactor.text(work.task) if work is not None else ""
        shown = task if len(task) <= _WIDEST_TASK else task[: _WIDEST_TASK - 1] + "…"
        calls = "1 call " if session.calls == 1 else f"{session.calls:,} calls"
        line = f"{printable(session.id):<{ids}}  {age(now - session.last):>4}  {stand:<{widest}}  {calls:>9}  {cost:>8}"
        yield f"{line}  {printable(shown)}".rstrip()


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
