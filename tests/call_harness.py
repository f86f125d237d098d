"""Sessions for tests of calls: a workspace, tools, a person who answers, and what was journaled."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from handrail.contract.basics import CallId
from handrail.contract.calls import AwaitingApproval, CallRequest, CallState, Executing, ObjectArguments, SettledState
from handrail.contract.confirmation import Answer
from handrail.contract.events import CallChanged, Event
from handrail.contract.ports import Unanswered
from handrail.runtime.live import LiveCall
from handrail.runtime.parts import Parts
from handrail.session import Session
from handrail.testing import MemoryJournal


class Person:
    """Gives the answers in order; afterwards, waits for ever."""

    surface = "test"

    def __init__(self, *answers: Answer | Unanswered | Callable[[AwaitingApproval], Answer]) -> None:
        self.asked: list[AwaitingApproval] = []
        self._answers = list(answers)

    async def answer(self, call: AwaitingApproval) -> Answer | Unanswered:
        self.asked.append(call)
        if not self._answers:
            await asyncio.Event().wait()
        answer = self._answers.pop(0)
        return answer(call) if callable(answer) else answer


@asynccontextmanager
async def opened(
    workspace: Path, *tools: Any, mode: str = "bypass", rules: Any = (), **parts: Any
) -> AsyncIterator[Session]:
    parts.setdefault("journal", MemoryJournal())
    async with Session.open(workspace, mode=mode, rules=rules, parts=Parts(tools=tools, **parts)) as session:
        yield session


def request(name: str, arguments: dict[str, Any] | None = None, id: str = "c1") -> CallRequest:
    return CallRequest(CallId(id), name, ObjectArguments(arguments or {}), wire_id=id)


async def settled(session: Session, name: str, arguments: dict[str, Any] | None = None, id: str = "c1") -> SettledState:
    return await session.submit(request(name, arguments, id)).settled


async def until(session: Session, wanted: Callable[[Event], bool]) -> None:
    """Returns when an event is what is wanted."""
    seen = asyncio.Event()
    unsubscribe = session.subscribe(lambda event: seen.set() if wanted(event) else None)
    await seen.wait()
    unsubscribe()


async def started(session: Session, asked: CallRequest) -> LiveCall:
    """The call, submitted, when it runs."""
    waiting = asyncio.ensure_future(
        until(
            session,
            lambda event: (
                isinstance(event, CallChanged)
                and isinstance(event.state, Executing)
                and event.state.request.id == asked.id
            ),
        )
    )
    await asyncio.sleep(0)
    live = session.submit(asked)
    await waiting
    await asyncio.sleep(0)
    return live


def states_of(journal: MemoryJournal, call: str) -> Sequence[CallState]:
    return [state for _, state in journal.states if state.request.id == call]
