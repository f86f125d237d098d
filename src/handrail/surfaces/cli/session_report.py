"""One session as `handrail sessions show` tells it, to people and to programs: the same of it, without secrets."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from handrail.agent.conversation import CarriedOut
from handrail.agent.kept import KeptConversation
from handrail.agent.subagents.roster import KeptAgent, Roster
from handrail.contract.agents import AgentState
from handrail.contract.basics import JsonObject
from handrail.contract.values import value
from handrail.policy.wording import shortened
from handrail.runtime.histories import CallHistory
from handrail.runtime.session_values import KeptValues
from handrail.runtime.stored_sessions import StoredSession
from handrail.runtime.value_rows import values_of
from handrail.settings.redaction import Redactor
from handrail.surfaces.cli.call_lines import call_lines, how_it_ended, what_was_sent
from handrail.surfaces.cli.endings import in_dollars
from handrail.surfaces.cli.session_lines import standing, work_json
from handrail.surfaces.cli.text import printable

Payloads = Mapping[str, Mapping[str, JsonObject]]
"""By call and by the state's name, what is kept of it."""


@value
class AgentWork:
    """What an agent did in a session, and its subagents: as long as it is kept."""

    last_words: str = ""
    """What the model said last; exact, so it may hold a secret."""
    agents: tuple[KeptAgent, ...] = ()


def agent_work(journal: Path, session: StoredSession) -> AgentWork:
    """Raises JournalError."""
    if session.work is None:
        return AgentWork()
    values = KeptValues(kept=values_of(journal, session.id))
    entries = KeptConversation(values).conversation().entries
    said = (entry.response.text for entry in reversed(entries) if isinstance(entry, CarriedOut))
    return AgentWork(next(filter(str.strip, said), ""), tuple(Roster(values)))


def session_lines(
    session: StoredSession, did: AgentWork, calls: Sequence[CallHistory], payloads: Payloads
) -> Iterator[str]:
    """What an agent worked on and how that ended; then the calls."""
    if session.work is not None:
        yield from _work_lines(session, did)
    for call in calls:
        yield from call_lines(call, payloads.get(call.call, {}))
    if not calls:
        yield "No calls."


def session_json(
    session: StoredSession, did: AgentWork, calls: Sequence[CallHistory], payloads: Payloads
) -> JsonObject:
    """The same for programs."""
    redactor = Redactor(os.environ)
    return {
        "version": 1,
        "session": session.id,
        "standing": standing(session),
        "work": work_json(session, redactor),
        "last_words": redactor.text(did.last_words) or None,
        "agents": [_agent_json(agent, session, redactor) for agent in did.agents],
        "calls": [_call_json(call, payloads.get(call.call, {})) for call in calls],
    }


def _work_lines(session: StoredSession, did: AgentWork) -> Iterator[str]:
    work, redactor = session.work, Redactor(os.environ)
    if work is None:
        return
    yield f"{standing(session)}: {printable(redactor.text(work.task))}"
    if work.why:
        yield f"  {printable(redactor.text(work.why))}"
    cost = f"{in_dollars(work.money)}, " if work.money is not None else ""
    yield f"  {cost}{work.tokens:,} tokens"
    for agent in did.agents:
        task = printable(shortened(redactor.text(agent.task)))
        yield f"  agent {printable(agent.id)} ({printable(agent.kind)}), {_state(agent, session)}: {task}"
    if did.last_words:
        yield f"  said last: {printable(shortened(' '.join(redactor.text(did.last_words).split())))}"


def _agent_json(agent: KeptAgent, session: StoredSession, redactor: Redactor) -> JsonObject:
    return {
        "id": agent.id,
        "kind": agent.kind,
        "name": agent.name,
        "task": redactor.text(agent.task),
        "state": _state(agent, session),
        "background": agent.background,
    }


def _state(agent: KeptAgent, session: StoredSession) -> str:
    """One that worked when its process ended works no more."""
    gone = agent.state is AgentState.RUNNING and session.holder is None
    return "interrupted" if gone else agent.state.value


def _call_json(call: CallHistory, payloads: Mapping[str, JsonObject]) -> JsonObject:
    return {
        **asdict(call),
        "edited_from": call.edited_from,
        "sent": what_was_sent(call, payloads) or None,
        "ended": how_it_ended(call, payloads) or None,
    }
