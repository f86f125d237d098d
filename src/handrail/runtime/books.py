"""What a session keeps beyond its memory: its journal, its turns, its answers and grants; and how it is taken up."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import field
from functools import partial
from pathlib import Path

from handrail.contract.basics import Instant, SessionId
from handrail.contract.ports import Journal
from handrail.contract.values import value
from handrail.errors import UsageError
from handrail.runtime.approvals import AnswerBook, Desk, OwnBook
from handrail.runtime.exchange import Exchange
from handrail.runtime.grants import Grants, GrantShelf
from handrail.runtime.journal import SqliteJournal
from handrail.runtime.openings import NOTHING_SAID, HowOpened
from handrail.runtime.recalled import RecalledSession, Taken, check_session, recall, taken_in
from handrail.runtime.session_values import KeptValues
from handrail.runtime.turn_rows import TurnKeeper
from handrail.runtime.value_rows import values_of
from handrail.settings.places import journal_file


@value
class Books:
    """The books of one session."""

    session: SessionId
    journal: Journal
    turns: TurnKeeper | None = None
    """None where the journal keeps only events."""
    values: KeptValues = field(default_factory=KeptValues)
    """What tools keep for the session."""
    exchange: Exchange | None = None
    """None where no other process can answer."""
    taken: Taken | None = None
    """What an earlier process used; None for a new session."""
    recall: Callable[[], Awaitable[RecalledSession]] | None = None
    """Reads what that process left. Raises JournalError."""

    @property
    def answers(self) -> AnswerBook:
        return self.exchange or OwnBook()

    @property
    def shelf(self) -> GrantShelf | None:
        return self.exchange

    @asynccontextmanager
    async def following(self, desk: Desk, grants: Grants, failed: Callable[[str], None]) -> AsyncIterator[None]:
        """Within it, answers and grants of other processes are taken up. `failed` is told when they can't be seen."""
        if self.exchange is None:
            yield
            return
        await self.exchange.look(desk, grants, failed)
        follower = asyncio.create_task(self.exchange.follow(desk, grants, failed))
        try:
            yield
        finally:
            follower.cancel()
            await asyncio.wait((follower,))


@value
class TakeOver:
    """A session that is to be taken up from a process that holds it yet, stopped or hanging.

    That process writes and starts nothing more, should it go on; what it had started may still be running.
    """

    id: str


@value
class WantedSession:
    """Which session is to be opened, and how."""

    named: str | TakeOver = ""
    """Its id; empty for a new one."""
    how: HowOpened = NOTHING_SAID
    """Kept for whoever takes the session up."""

    @property
    def id(self) -> str:
        return self.named.id if isinstance(self.named, TakeOver) else self.named


@asynccontextmanager
async def open_books(
    journal: Journal | None, state: Path | None, workspace: Path, clock: Callable[[], float], wanted: WantedSession
) -> AsyncIterator[Books]:
    """The books of a new session, or of the one that is named: it is taken over from the process that left it.

    A caller's own journal lasts as long as that caller says, and holds new sessions only. Raises JournalError when
    the books can't be opened, when there is no such session, or while another process holds it.
    """
    id = SessionId(wanted.id or f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}")
    if journal is None and state is not None:
        path = journal_file(state, workspace)
        begin = partial(
            SqliteJournal.open,
            path,
            id,
            workspace=workspace,
            started=Instant(clock()),
            how=wanted.how,
            take_over=isinstance(wanted.named, TakeOver),
        )
        async with _opened(path, state, id, begin, again=bool(wanted.id)) as books:
            yield books
    elif journal is not None and not wanted.id:
        try:
            yield Books(id, journal)
        finally:
            await journal.close()
    else:
        raise UsageError("only a session of the workspace's own journal can be taken up again")


@asynccontextmanager
async def _opened(
    path: Path, state: Path, id: SessionId, begin: Callable[[], Awaitable[SqliteJournal]], *, again: bool
) -> AsyncIterator[Books]:
    if again:
        await asyncio.to_thread(check_session, path, id)
    async with AsyncExitStack() as closing:
        journal = await begin()
        closing.push_async_callback(journal.close)
        exchange = await Exchange.open(path, state, id)
        closing.push_async_callback(exchange.close)
        if not again:
            yield Books(id, journal, journal, KeptValues(journal), exchange)
            return
        taken = await asyncio.to_thread(taken_in, path, id)
        values = KeptValues(journal, await asyncio.to_thread(values_of, path, id))
        yield Books(id, journal, journal, values, exchange, taken, partial(asyncio.to_thread, recall, path, id))
