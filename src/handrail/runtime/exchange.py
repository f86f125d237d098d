"""What other processes and a session tell each other through the journal's file: answers, and grants.

The file is looked at a few times a second, by its version alone while nothing has changed. All of it happens on one
thread of its own, never on the event loop.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import TypeVar, TypeVarTuple

from handrail.contract.basics import ApprovalId, Instant, SessionId
from handrail.contract.calls import AwaitingApproval
from handrail.contract.values import value
from handrail.errors import JournalError
from handrail.policy.grants import Grant
from handrail.runtime.answers import Given
from handrail.runtime.approval_store import ApprovalStore
from handrail.runtime.approvals import Desk
from handrail.runtime.grant_store import GrantStore
from handrail.runtime.grants import Grants
from handrail.runtime.who import this_process

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

LOOK_SECONDS = 0.15
"""Between two looks: an answer from elsewhere is noticed within a quarter of a second."""


@value
class _News:
    """What stands in the files now."""

    answers: tuple[tuple[ApprovalId, Given], ...]
    grants: tuple[Grant, ...]
    problem: str = ""
    """Why the grants can't be read: without them it is asked more often, and no more is wrong."""


class Exchange:
    """One session's part: `approvals.AnswerBook` and `grants.GrantShelf` on disk. Made by `open`."""

    def __init__(self, worker: ThreadPoolExecutor, approvals: ApprovalStore, grants: GrantStore, session: SessionId):
        self._worker = worker
        self._approvals = approvals
        self._grants = grants
        self._session = session
        self._process = this_process()
        self._known: set[ApprovalId] = set()
        """Questions whose answers were passed on, or given here."""
        self._version: tuple[int, ...] = ()
        self._told = ""

    @classmethod
    async def open(cls, journal: Path, state: Path, session: SessionId) -> Exchange:
        """Raises JournalError."""
        worker = ThreadPoolExecutor(1, f"exchange of {session}")
        with ExitStack() as on_failure:
            on_failure.callback(worker.shutdown, wait=False)
            approvals, grants = await asyncio.get_running_loop().run_in_executor(worker, _opened, journal, state)
            on_failure.pop_all()
        return cls(worker, approvals, grants, session)

    async def claim(self, call: AwaitingApproval, given: Given) -> Given:
        """`approvals.AnswerBook`."""
        if call.approval in self._known:
            return given  # it came from the file
        self._known.add(call.approval)
        return await self._on_worker(self._approvals.claim, self._session, call, self._process, given)

    async def keep_grant(self, grant: Grant) -> bool:
        """`grants.GrantShelf`."""
        return await self._on_worker(self._grants.add, grant, self._session, Instant(time.time()))

    async def follow(self, desk: Desk, grants: Grants, failed: Callable[[str], None]) -> None:
        """Passes on what others do, until it is cancelled. `failed` is told once of each thing that goes wrong."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.look(desk, grants, failed)

    async def look(self, desk: Desk, grants: Grants, failed: Callable[[str], None]) -> None:
        """Passes on what is new."""
        try:
            news = await self._on_worker(self._look)
        except JournalError as error:
            self._tell(f"Answers of other processes are not seen for now: {error}", failed)
            return
        if news is None:
            return
        self._tell(news.problem, failed)
        for approval, given in news.answers:  # before the grants: a yes for good is a yes first
            if approval not in self._known:
                self._known.add(approval)
                desk.take(approval, given)
        grants.found(news.grants)

    def _tell(self, problem: str, failed: Callable[[str], None]) -> None:
        if problem and problem != self._told:
            failed(problem)
        self._told = problem

    async def close(self) -> None:
        await self._on_worker(self._close)
        self._worker.shutdown(wait=False)

    async def _on_worker(self, work: Callable[[*Ts], T], *arguments: *Ts) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *arguments)

    # On the worker's thread.

    def _look(self) -> _News | None:
        """None while nothing has changed."""
        answered, problem = self._approvals.version(), ""
        try:
            version = (answered, *self._grants.version())
            if version == self._version:
                return None
            self._version, granted = version, self._grants.in_force(self._session)
        except JournalError as error:
            granted, problem = (), f"No grants hold for now: {error}"
        return _News(tuple(self._approvals.answered(self._session)), granted, problem)

    def _close(self) -> None:
        self._approvals.close()
        self._grants.close()


def _opened(journal: Path, state: Path) -> tuple[ApprovalStore, GrantStore]:
    return ApprovalStore(journal, acknowledged=False), GrantStore(journal, state)
